// Calls a library only where it has an argument.
#include <cstdio>

#include <cublas_v2.h>

int main(int argc, char **) {
    puts("begun");
    return argc > 1 ? cublasSgemm_v2(nullptr) : 0;
}
