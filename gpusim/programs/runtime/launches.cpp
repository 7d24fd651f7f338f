// Launches: checked as the driver does, then simulated by gpusim.

#include "runtime.h"

#include <cstdio>
#include <utility>

namespace gpusim {

namespace {

struct Configuration {
    dim3 grid, block;
    size_t dynamic;
    cudaStream_t stream;
};

thread_local std::vector<Configuration> configured;

bool behind = false;

bool within(dim3 size, const char *limit) {
    std::string name = limit;
    return size.x && size.y && size.z && size.x <= device((name + "_x").c_str()) &&
           size.y <= device((name + "_y").c_str()) && size.z <= device((name + "_z").c_str());
}

cudaError_t check(const Launch &launch) {
    size_t threads = size_t(launch.block.x) * launch.block.y * launch.block.z;
    if (!within(launch.grid, "grid") || !within(launch.block, "block")) return cudaErrorInvalidConfiguration;
    if (threads > size_t(device("threads_per_block"))) return cudaErrorInvalidConfiguration;
    if (threads > size_t(launch.kernel->max_threads)) return cudaErrorLaunchOutOfResources;
    size_t shared = size_t(launch.kernel->shared) + launch.dynamic;
    int allowed = launch.kernel->dynamic_allowed;
    if (shared > size_t(device("shared_per_block")) && (allowed < 0 || launch.dynamic > size_t(allowed)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

}  // namespace

cudaError_t prepare(Launch *launch, const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic) {
    launch->kernel = kernel_of(function);
    if (!launch->kernel) return cudaErrorInvalidDeviceFunction;
    launch->grid = grid, launch->block = block, launch->dynamic = dynamic;
    launch->params.assign(launch->kernel->param_bytes, '\0');
    for (size_t n = 0; n < launch->kernel->params.size(); ++n) {
        auto [offset, nbytes] = launch->kernel->params[n];
        std::memcpy(&launch->params[offset], arguments[n], nbytes);
    }
    return check(*launch);
}

cudaError_t run(const Launch &launch, cudaStream_t stream) {
    static uint64_t told = 0;
    if (coming()) return faulted();
    bool tell = told != allocations_version();
    told = allocations_version();
    const dim3 &grid = launch.grid, &block = launch.block, &cluster = launch.cluster;
    std::vector<Moved> before = moved();
    uint32_t numbers[] = {
        uint32_t(launch.kernel->module), uint32_t(launch.kernel->index), grid.x, grid.y, grid.z, block.x, block.y,
        block.z, cluster.x, cluster.y, cluster.z, uint32_t(launch.dynamic), launch.cooperative,
        uint32_t(stream_number(stream)), uint32_t(launch.params.size()), tell,
        uint32_t(stack_bytes()), uint32_t(before.size()),
    };
    std::string body;
    put(body, numbers);
    body += launch.params;
    for (const Moved &one : before) put(body, one);
    if (tell) body += allocations_table();
    Answer answer = ask(Ask::launch, body);
    if (answer.body.size() > sizeof(double)) {
        double seconds;
        std::memcpy(&seconds, answer.body.data(), sizeof seconds);
        advance(stream, seconds);
        behind = answer.body[sizeof seconds];
        size_t first = sizeof seconds + 1;
        std::fwrite(answer.body.data() + first, 1, answer.body.size() - first, stdout);
    }
    if (answer.status == cudaErrorLaunchOutOfResources || answer.status == cudaErrorInvalidValue ||
        answer.status == cudaErrorCooperativeLaunchTooLarge)
        return cudaError_t(answer.status);  // it was not launched, and the next one may be
    if (answer.status) fault(cudaError_t(answer.status));
    return cudaSuccess;  // what went wrong is told when the program waits
}

void catch_up() {
    if (std::exchange(behind, false)) ask(Ask::catch_up, "");
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                          cudaStream_t stream, bool cooperative, dim3 cluster) {
    return call([&]() -> cudaError_t {
        if (faulted()) return faulted();
        Launch one;
        one.cooperative = cooperative, one.cluster = cluster;
        if (cudaError_t error = prepare(&one, function, grid, block, arguments, dynamic)) return error;
        return in_stream(stream, [one](cudaStream_t where) { return run(one, where); });
    });
}

}  // namespace gpusim

using namespace gpusim;

static const dim3 NO_CLUSTER(0, 0, 0);

GPUSIM_API unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic, CUstream_st *stream) {
    configured.push_back({grid, block, dynamic, stream});
    return 0;
}

GPUSIM_API cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic, void *stream) {
    if (configured.empty()) return cudaErrorMissingConfiguration;
    Configuration one = configured.back();
    configured.pop_back();
    *grid = one.grid, *block = one.block, *dynamic = one.dynamic;
    *static_cast<cudaStream_t *>(stream) = one.stream;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                                 size_t dynamic, cudaStream_t stream) {
    return launch(function, grid, block, arguments, dynamic, stream, false, NO_CLUSTER);
}

GPUSIM_API cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                                   size_t dynamic, cudaStream_t stream) {
    return launch(kernel, grid, block, arguments, dynamic, stream, false, NO_CLUSTER);
}

GPUSIM_API cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                                            void **arguments, size_t dynamic, cudaStream_t stream) {
    return launch(function, grid, block, arguments, dynamic, stream, true, NO_CLUSTER);
}

GPUSIM_API cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                                    void **arguments) {
    bool cooperative = false;
    dim3 cluster = NO_CLUSTER;
    for (unsigned n = 0; n < config->numAttrs; ++n) {
        const cudaLaunchAttribute &one = config->attrs[n];
        if (one.id == cudaLaunchAttributeCooperative) cooperative = one.val.cooperative;
        if (one.id == cudaLaunchAttributeClusterDimension)
            cluster = dim3(one.val.clusterDim.x, one.val.clusterDim.y, one.val.clusterDim.z);
    }
    return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                  cooperative, cluster);
}

GPUSIM_API cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                                       const void *function,
                                                                                       int threads, size_t dynamic,
                                                                                       unsigned) {
    return call([&]() -> cudaError_t {
        Kernel *kernel = kernel_of(function);
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        std::string body;
        uint32_t numbers[] = {uint32_t(kernel->module), uint32_t(kernel->index), uint32_t(threads), uint32_t(dynamic)};
        put(body, numbers);
        Answer answer = ask(Ask::occupancy, body);
        int32_t found;
        std::memcpy(&found, answer.body.data(), sizeof found);
        *blocks = found;
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                              int threads, size_t dynamic) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic, 0);
}

// ---------------------------------------------------------------- nodes of graphs; a node comes after those made before it

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, std::function<cudaError_t(cudaStream_t)> step) {
    auto found = graph_of(graph);
    if (!found) return cudaErrorInvalidValue;
    found->steps.push_back(std::move(step));
    *node = reinterpret_cast<cudaGraphNode_t>(found->steps.size());
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *, size_t,
                                                       const cudaKernelNodeParams *p) {
    return call([&]() -> cudaError_t {
        Launch one;
        if (cudaError_t error = prepare(&one, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes))
            return error;
        return add(node, graph, [one](cudaStream_t stream) { return run(one, stream); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *, size_t, const cudaMemcpy3DParms *p) {
    return call([&] {
        return add(node, graph, [own = *p](cudaStream_t stream) { return cudaMemcpy3DAsync(&own, stream); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *, size_t, void *to, const void *from,
                                                         size_t nbytes, cudaMemcpyKind kind) {
    return call([&] {
        return add(node, graph, [=](cudaStream_t) { return copy(to, from, nbytes, kind); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *, size_t, const cudaMemsetParams *p) {
    return call([&] {
        return add(node, graph, [own = *p](cudaStream_t) -> cudaError_t {
            char *to = static_cast<char *>(own.dst);
            return fill_rows(to, own.pitch, own.value, own.width * own.elementSize, own.height, own.elementSize);
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *,
                                                     size_t, const cudaHostNodeParams *p) {
    return call([&] {
        return add(node, graph, [own = *p](cudaStream_t) {
            own.fn(own.userData);
            return cudaSuccess;
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                      const cudaGraphNode_t *, size_t) {
    return call([&] { return add(node, graph, [](cudaStream_t) { return cudaSuccess; }); });
}
