// A program of two files, with a macro and a header of its own folder.
#include "two.h"
#include <cstdio>

int main() {
    int *x, found;
    cudaMalloc(&x, 4);
    launch(x);
    cudaMemcpy(&found, x, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", found, MINE);
}
