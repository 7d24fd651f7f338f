// Streams, events and graphs.
//
// What is launched is done at once, in the order in which the program asks for it.  Each stream has a clock of predicted
// time, which launches move on, and events behind them; copies take none.  So streams run side by side without being in
// each other's way.

#include "runtime.h"

#include <algorithm>
#include <set>
#include <utility>

namespace gpusim {

namespace {

struct Stream {
    double clock = 0;  // seconds; when all that was put into it is done
    bool ran = false;  // something since the latest event
    bool blocking = true;
    int priority = 0;
    unsigned flags = 0;
    uint64_t number = 0;
    std::shared_ptr<Graph> capture;
};

struct Event {
    double at = 0;
    bool recorded = false, timed = true;
    std::shared_ptr<Graph> capture;
};

struct Streams {
    Stream usual;
    std::set<Stream *> others;
    double host = 0;  // when the program knows that it is
    bool in_graph = false, behind = false;  // a graph runs, and has launched something
    uint64_t next = 1;
    std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs;
    std::map<cudaGraphExec_t, std::shared_ptr<Graph>> executables;
};

Streams &streams() {
    static Streams *all = new Streams;
    return *all;
}

Stream *stream_of(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return &streams().usual;
    return reinterpret_cast<Stream *>(stream);
}

// The default stream waits for those that block, and they for it.
double begins(Stream *stream) {
    double at = std::max(stream->clock, streams().host);
    if (stream != &streams().usual) return stream->blocking ? std::max(at, streams().usual.clock) : at;
    for (Stream *other : streams().others)
        if (other->blocking) at = std::max(at, other->clock);
    return at;
}

template <class Handle> Handle keep(std::map<Handle, std::shared_ptr<Graph>> &where, std::shared_ptr<Graph> graph) {
    auto handle = reinterpret_cast<Handle>(new char);  // an address of its own
    where[handle] = std::move(graph);
    return handle;
}

cudaError_t make_stream(cudaStream_t *stream, unsigned flags, int priority) {
    auto one = new Stream;
    one->blocking = !(flags & cudaStreamNonBlocking), one->flags = flags, one->priority = priority;
    one->number = streams().next++;
    streams().others.insert(one);
    *stream = reinterpret_cast<cudaStream_t>(one);
    return faulted();
}

double seconds_of(const char *nanoseconds) { return 1e-9 * double(device(nanoseconds)); }

cudaError_t replay(const std::shared_ptr<Graph> &graph, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    streams().in_graph = true, streams().behind = false;
    for (auto &step : graph->steps)
        if ((error = step(stream))) break;
    streams().in_graph = streams().behind = false;
    return error;
}

}  // namespace

cudaError_t in_stream(cudaStream_t stream, const std::function<cudaError_t(cudaStream_t)> &work) {
    if (faulted()) return faulted();
    if (auto graph = stream_of(stream)->capture) {
        graph->steps.push_back(work);
        return cudaSuccess;
    }
    return work(stream);
}

void advance(cudaStream_t stream, double seconds) {
    if (!seconds) return;  // it was not timed
    Stream *one = stream_of(stream);
    double saved = streams().behind ? seconds_of("graph_saves_ns") : 0;
    one->clock = begins(one) + std::max(seconds - saved, 0.0), one->ran = true;
    streams().behind = streams().in_graph;
}

void wait_for(cudaStream_t stream) {
    settle();
    streams().host = std::max(streams().host, begins(stream_of(stream)));
}

void wait_for_all() {
    wait_for(nullptr);
    for (Stream *other : streams().others) streams().host = std::max(streams().host, other->clock);
}

uint64_t stream_number(cudaStream_t stream) { return stream_of(stream)->number; }

std::shared_ptr<Graph> graph_of(cudaGraph_t graph) {
    auto found = streams().graphs.find(graph);
    return found == streams().graphs.end() ? nullptr : found->second;
}

}  // namespace gpusim

using namespace gpusim;

// ---------------------------------------------------------------- streams

GPUSIM_API cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *stream) {
    return call([&] { return make_stream(stream, 0, 0); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return call([&] { return make_stream(stream, flags, 0); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return call([&] { return make_stream(stream, flags, priority); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
    return call([&]() -> cudaError_t {
        auto one = reinterpret_cast<Stream *>(stream);
        if (!streams().others.count(one)) return cudaErrorInvalidResourceHandle;
        streams().usual.clock = std::max(streams().usual.clock, one->blocking ? one->clock : 0);
        streams().others.erase(one);
        delete one;
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
    return call([&] {
        wait_for(stream);
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceSynchronize() {
    return call([] {
        wait_for_all();
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

GPUSIM_API cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    *flags = stream_of(stream)->flags;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    *priority = stream_of(stream)->priority;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            function(data);
            return cudaSuccess;
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                                      unsigned) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            function(stream, cudaSuccess, data);
            return cudaSuccess;
        });
    });
}

// ---------------------------------------------------------------- events

GPUSIM_API cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return call([&] {
        auto one = new Event;
        one->timed = !(flags & cudaEventDisableTiming);
        *event = reinterpret_cast<cudaEvent_t>(one);
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

GPUSIM_API cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
    delete reinterpret_cast<Event *>(event);
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return call([&]() -> cudaError_t {
        auto one = reinterpret_cast<Event *>(event);
        if (!one) return cudaErrorInvalidResourceHandle;
        one->capture = stream_of(stream)->capture;
        return in_stream(stream, [=](cudaStream_t where) {
            Stream *stream = stream_of(where);
            if (std::exchange(stream->ran, false)) stream->clock = begins(stream) + seconds_of("event_ns");
            one->at = begins(stream), one->recorded = true;
            return cudaSuccess;
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
    return call([&] {
        settle();
        streams().host = std::max(streams().host, reinterpret_cast<Event *>(event)->at);
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

GPUSIM_API cudaError_t CUDARTAPI cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call([&]() -> cudaError_t {
        auto first = reinterpret_cast<Event *>(start), last = reinterpret_cast<Event *>(end);
        if (!first || !last || !first->recorded || !last->recorded || !first->timed || !last->timed)
            return cudaErrorInvalidResourceHandle;
        *milliseconds = float(1e3 * (last->at - first->at));
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return call([&] {
        auto one = reinterpret_cast<Event *>(event);
        auto waiting = stream_of(stream);
        if (one->capture) waiting->capture = one->capture;  // the stream is captured, too
        else waiting->clock = std::max(waiting->clock, one->at);
        return faulted();
    });
}

// ---------------------------------------------------------------- graphs: their steps, one after another

GPUSIM_API cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    return call([&]() -> cudaError_t {
        if (stream_of(stream) == &streams().usual) return cudaErrorStreamCaptureUnsupported;
        stream_of(stream)->capture = std::make_shared<Graph>();
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    return call([&]() -> cudaError_t {
        auto captured = stream_of(stream)->capture;
        if (!captured) return cudaErrorIllegalState;
        for (Stream *other : streams().others)
            if (other->capture == captured) other->capture = nullptr;
        *graph = keep(streams().graphs, captured);
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    *status = stream_of(stream)->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t *graph, unsigned) {
    return call([&] {
        *graph = keep(streams().graphs, std::make_shared<Graph>());
        return cudaSuccess;
    });
}

static cudaError_t executable(cudaGraphExec_t *made, cudaGraph_t graph) {
    return call([&]() -> cudaError_t {
        auto found = graph_of(graph);
        if (!found) return cudaErrorInvalidValue;
        *made = keep(streams().executables, std::make_shared<Graph>(*found));
        return cudaSuccess;
    });
}

#if CUDART_VERSION >= 12000
GPUSIM_API cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long) {
    return executable(made, graph);
}
#endif

GPUSIM_API cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph,
                                                              unsigned long long) {
    return executable(made, graph);
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    return call([&]() -> cudaError_t {
        auto found = streams().executables.find(graph);
        if (found == streams().executables.end()) return cudaErrorInvalidValue;
        auto steps = found->second;
        return in_stream(stream, [=](cudaStream_t where) { return replay(steps, where); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

GPUSIM_API cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graph) {
    return call([&] { return streams().executables.erase(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
    return call([&] { return streams().graphs.erase(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return call([&]() -> cudaError_t {
        if (nodes) refuse("cudaGraphGetNodes for the nodes themselves");
        *count = graph_of(graph)->steps.size();
        return cudaSuccess;
    });
}
