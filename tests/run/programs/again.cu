// Launches in a cycle, each after others that change what it reads: memory is looked at in the middle of the cycle, at
// its end, and after the host has changed some of it.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int N = 1 << 16;

__global__ void fill(float *x, const float *from, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = from[i];
    for (int r = 0; r < rounds; ++r) v = v * 0.5f + r;
    x[i] = v;
}

__global__ void add(float *x, float what, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int r = 0; r < rounds; ++r) v += what;
    x[i] = v;
}

static float fill_of(float v, int rounds) {
    for (int r = 0; r < rounds; ++r) v = v * 0.5f + r;
    return v;
}

int main(int argc, char **argv) {
    bool pinned = argc > 1;
    const int rounds = 300;
    std::vector<float> host(N, 3.0f), seen(N);
    float *from, *x, *spare, *shared = nullptr;
    cudaMalloc(&from, N * sizeof(float));
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&spare, N * sizeof(float));
    if (pinned) cudaMallocHost(&shared, N * sizeof(float));
    float *read = pinned ? shared : from;
    auto set = [&](float v) {
        for (float &one : host) one = v;
        if (pinned)
            for (int i = 0; i < N; ++i) shared[i] = v;
        else
            cudaMemcpy(from, host.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    };
    int wrong = 0;
    auto check = [&](float want) {
        cudaMemcpy(seen.data(), x, N * sizeof(float), cudaMemcpyDeviceToHost);
        for (float one : seen) wrong += one != want;
    };
    for (float start : {3.0f, 5.0f, 3.0f}) {
        set(start);
        float want = fill_of(start, rounds);
        for (int k = 0; k < 20; ++k) {
            fill<<<N / 256, 256>>>(x, read, rounds);
            if (k == 9) check(want);
            add<<<N / 256, 256>>>(x, 1.0f, rounds);
            if (k == 11) check(want + rounds);
            add<<<N / 256, 256>>>(x, 2.0f, rounds);
            if (k == 15) cudaMemset(spare, k, 100);
        }
        check(want + 3 * rounds);
        add<<<N / 256, 256>>>(x, 2.0f, rounds);
        check(want + 5 * rounds);
    }
    fill<<<N / 256, 256>>>(x, read, rounds);
    fill<<<N / 256, 256>>>(spare, read, rounds);
    fill<<<N / 256, 256>>>(x, read, rounds);
    cudaFree(spare);
    check(fill_of(3.0f, rounds));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
