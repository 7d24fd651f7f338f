// How far apart launches are: so many of them between two events, in a stream and in a graph.  nvcc -arch=sm_90 between.cu
//
// A line each: microseconds a launch in the median of seven times, and the least and the most.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

static void check(cudaError_t error) {
    if (error) std::printf("%s\n", cudaGetErrorString(error)), std::exit(1);
}

__global__ void empty() {}

__global__ void spin(long long cycles) {
    for (long long begin = clock64(); clock64() - begin < cycles;) {}
}

__global__ void copy(const float4 *from, float4 *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

using Launch = std::function<void(cudaStream_t)>;
static const int TIMES = 7;

static void print(const char *kind, const char *name, int n, float *us) {
    std::sort(us, us + TIMES);
    std::printf("%s, %s, %d: %.4f %.4f %.4f\n", kind, name, n, us[TIMES / 2], us[0], us[TIMES - 1]);
}

template <class Work> static float between_events(cudaStream_t stream, Work work) {
    cudaEvent_t before, after;
    float ms;
    check(cudaEventCreate(&before)), check(cudaEventCreate(&after));
    spin<<<1, 32, 0, stream>>>(4000000);  // the GPU is busy until the host has sent all
    cudaEventRecord(before, stream), work(), cudaEventRecord(after, stream);
    check(cudaEventSynchronize(after));
    cudaEventElapsedTime(&ms, before, after);
    return 1e3f * ms;
}

static void in_stream(cudaStream_t stream, const char *name, const Launch &launch) {
    for (int n : {1, 2, 5, 50, 200}) {
        float us[TIMES];
        for (float &each : us)
            each = between_events(stream, [&] {
                for (int k = 0; k < n; ++k) launch(stream);
            }) / n;
        print("stream", name, n, us);
    }
}

static void in_graph(cudaStream_t stream, const char *name, const Launch &launch) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    float us[TIMES];
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 200; ++k) launch(stream);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&made, graph, 0));
    for (float &each : us) each = between_events(stream, [&] { cudaGraphLaunch(made, stream); }) / 200;
    print("graph", name, 200, us);
}

int main() {
    float4 *from, *to;
    cudaStream_t stream;
    check(cudaMalloc(&from, 64 << 20)), check(cudaMalloc(&to, 64 << 20)), check(cudaStreamCreate(&stream));
    auto both = [&](const char *name, const Launch &launch) {
        in_stream(stream, name, launch), in_graph(stream, name, launch);
    };
    for (int blocks : {1, 132, 1056, 8448}) {
        char name[64];
        std::snprintf(name, sizeof name, "empty %d", blocks);
        both(name, [=](cudaStream_t s) { empty<<<blocks, 256, 0, s>>>(); });
    }
    for (int blocks : {1, 66, 132})
        for (long long cycles : {2000, 5000, 20000, 100000}) {
            char name[64];
            std::snprintf(name, sizeof name, "spin %lld %d", cycles, blocks);
            both(name, [=](cudaStream_t s) { spin<<<blocks, 1024, 0, s>>>(cycles); });
        }
    for (int mib : {1, 4, 16, 64}) {
        char name[64];
        std::snprintf(name, sizeof name, "copy %d MiB", mib);
        both(name, [=](cudaStream_t s) { copy<<<mib << 8, 256, 0, s>>>(from, to, mib << 16); });
    }
}
