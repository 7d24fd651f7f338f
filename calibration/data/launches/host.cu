// What a host takes to launch a kernel, to wait for one and to copy, by its own clock.  nvcc -O2 -arch=sm_90 host.cu
//
// First the GPU, the driver's CUDA and the runtime's; then a line each: microseconds of one in the median of several
// rounds, the least and the most.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

static void check(cudaError_t error) {
    if (error) std::fprintf(stderr, "%s\n", cudaGetErrorString(error)), std::exit(1);
}

__global__ void empty() {}
__global__ void taking(const float *, float *, float *, int, int, int, float, float) {}

using Work = std::function<void()>;
static const int ROUNDS = 21, MANY = 500;  // fewer than the launches that the driver lets queue

static double now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Microseconds of `work`, over `times`; what it left running is waited for outside of the clock.
static void measure(const char *name, int times, const Work &work) {
    double us[ROUNDS];
    work(), check(cudaDeviceSynchronize());
    for (double &each : us) {
        double begin = now();
        work();
        each = (now() - begin) / times;
        check(cudaDeviceSynchronize());
    }
    std::sort(us, us + ROUNDS);
    std::printf("%s: %.4f %.4f %.4f\n", name, us[ROUNDS / 2], us[0], us[ROUNDS - 1]);
}

static Work often(const Work &work) {
    return [=] {
        for (int k = 0; k < MANY; ++k) work();
    };
}

static void launches(cudaStream_t stream) {
    auto wait = [=] { check(cudaStreamSynchronize(stream)); };
    auto one = [=] { empty<<<1, 32, 0, stream>>>(); };
    measure("asked for", MANY, often(one));
    measure("asked for, 8 arguments", MANY, often([=] {
                taking<<<1, 32, 0, stream>>>(nullptr, nullptr, nullptr, 1, 2, 3, 4, 5);
            }));
    measure("in a row", MANY, [=] { often(one)(), wait(); });
    measure("each waited for", MANY, often([=] { one(), wait(); }));
    measure("waiting for nothing", MANY, often(wait));
}

static void graph(cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < MANY; ++k) empty<<<1, 32, 0, stream>>>();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&made, graph, 0));
    measure("in a graph", MANY, [=] { check(cudaGraphLaunch(made, stream)), check(cudaStreamSynchronize(stream)); });
}

static void copies(cudaStream_t stream) {
    const size_t much = 256 << 20;
    void *host, *device;
    check(cudaMallocHost(&host, much)), check(cudaMalloc(&device, much));
    auto copy = [=](size_t bytes, bool in) {
        check(cudaMemcpyAsync(in ? device : host, in ? host : device, bytes,
                              in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
    };
    measure("copy in of 4 bytes", MANY, often([=] { copy(4, true); }));
    measure("copy out of 4 bytes", MANY, often([=] { copy(4, false); }));
    measure("copy in of 268435456 bytes", 1, [=] { copy(much, true); });
    measure("copy out of 268435456 bytes", 1, [=] { copy(much, false); });
}

int main() {
    cudaDeviceProp gpu;
    cudaStream_t stream;
    int driver, runtime;
    check(cudaGetDeviceProperties(&gpu, 0));
    check(cudaDriverGetVersion(&driver)), check(cudaRuntimeGetVersion(&runtime));
    std::printf("%s, %d, %d\n", gpu.name, driver, runtime);
    check(cudaStreamCreate(&stream));
    launches(stream), graph(stream), copies(stream);
}
