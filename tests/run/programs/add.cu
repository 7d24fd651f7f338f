// Adds two vectors, times itself and checks the result; the first argument is the length.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1 << 16;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
    float *da, *db, *dc, ms;
    size_t nbytes = n * sizeof(float);
    cudaMalloc(&da, nbytes), cudaMalloc(&db, nbytes), cudaMalloc(&dc, nbytes);
    cudaMemcpy(da, a.data(), nbytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), nbytes, cudaMemcpyHostToDevice);
    cudaEvent_t start, end;
    cudaEventCreate(&start), cudaEventCreate(&end);
    cudaEventRecord(start);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    cudaMemcpy(c.data(), dc, nbytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (c[i] != 3.0f * i) return 3;
    printf("passed in %.6f us: %s\n", 1e3 * ms, cudaGetErrorString(cudaGetLastError()));
}
