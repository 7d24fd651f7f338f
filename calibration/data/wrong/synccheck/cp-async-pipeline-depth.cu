// --grid 1 --block 32 --arg rounds=4 --arg x=arange:160 --arg y=zeros:32
// A pipeline of two stages waits as one of three would: the stage in use is still under way.
#include "../asynchronous.cuh"

__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int stage[2][32];
    int sum = 0, lane = threadIdx.x;
    COPY_ASYNC4(&stage[0][lane], &x[lane]);  // here: unawaited-copy
    COPY_COMMIT();
    for (int k = 0; k < rounds; ++k) {
        COPY_ASYNC4(&stage[(k + 1) % 2][lane], &x[(k + 1) * 32 + lane]);  // here: unawaited-copy
        COPY_COMMIT();
        COPY_WAIT(2);
        sum += stage[k % 2][lane];  // here: unawaited-copy
    }
    COPY_WAIT(0);
    y[lane] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int stage[2][32];
    int sum = 0, lane = threadIdx.x;
    COPY_ASYNC4(&stage[0][lane], &x[lane]);
    COPY_COMMIT();
    for (int k = 0; k < rounds; ++k) {
        COPY_ASYNC4(&stage[(k + 1) % 2][lane], &x[(k + 1) * 32 + lane]);
        COPY_COMMIT();
        COPY_WAIT(1);
        sum += stage[k % 2][lane];
    }
    COPY_WAIT(0);
    y[lane] = sum;
}
