// Streams side by side and in turn, events, and a graph captured from two streams.
#include <cstdio>

template <int STEPS> __global__ void add(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < STEPS; ++k)
        if (i < n) atomicAdd(x + i, 1);
}

static float between(cudaEvent_t a, cudaEvent_t b) {
    float ms;
    return cudaEventElapsedTime(&ms, a, b) ? -1 : ms;
}

int main() {
    const int n = 4096;
    int *x, *y, back[n];
    cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4);
    cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4);
    cudaStream_t one, other;
    cudaStreamCreate(&one), cudaStreamCreate(&other);
    cudaEvent_t e[4];
    for (auto &each : e) cudaEventCreate(&each);

    cudaEventRecord(e[0], one);
    add<50><<<n / 128, 128, 0, one>>>(x, n);
    cudaEventRecord(e[1], one);
    add<50><<<n / 128, 128, 0, other>>>(y, n);
    cudaEventRecord(e[2], other);
    cudaStreamWaitEvent(other, e[1]);
    add<50><<<n / 128, 128, 0, other>>>(x, n);
    cudaEventRecord(e[3], other);
    cudaDeviceSynchronize();
    float alone = between(e[0], e[1]), beside = between(e[0], e[2]), after = between(e[0], e[3]);
    printf("%d %d\n", beside < 1.5f * alone, after > 1.5f * alone);

    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    add<1><<<n / 128, 128, 0, one>>>(x, n);
    cudaEventRecord(e[0], one);
    cudaStreamWaitEvent(other, e[0]);
    add<2><<<n / 128, 128, 0, other>>>(x, n);
    cudaEventRecord(e[1], other);
    cudaStreamWaitEvent(one, e[1]);
    cudaMemcpyAsync(back, x, sizeof back, cudaMemcpyDeviceToHost, one);
    cudaStreamEndCapture(one, &graph);
    back[n - 1] = -1;
    cudaGraphInstantiate(&made, graph, 0);
    for (int k = 0; k < 3; ++k) cudaGraphLaunch(made, one);
    cudaStreamSynchronize(one);
    printf("%d\n", back[n - 1]);
}
