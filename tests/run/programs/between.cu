// How long one launch takes between two events, four in a row, and four in a graph.
#include <cstdio>

__global__ void fill(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = n;
}

int main() {
    const int n = 4096;
    int *x;
    cudaMalloc(&x, n * 4);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEvent_t before, after;
    cudaEventCreate(&before), cudaEventCreate(&after);
    auto launch = [=] { fill<<<n / 256, 256, 0, stream>>>(x, n); };
    auto print = [=] {
        float ms;
        cudaEventSynchronize(after);
        cudaEventElapsedTime(&ms, before, after);
        printf("%.4f\n", 1e3 * ms);
    };
    launch();
    cudaEventRecord(before, stream), cudaEventRecord(after, stream);
    print();
    cudaEventRecord(before, stream), launch(), cudaEventRecord(after, stream);
    print();
    cudaEventRecord(before, stream);
    for (int k = 0; k < 4; ++k) launch();
    cudaEventRecord(after, stream);
    print();

    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 4; ++k) launch();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaEventRecord(before, stream), cudaGraphLaunch(made, stream), cudaEventRecord(after, stream);
    print();
}
