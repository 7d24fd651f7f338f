// The threads of a block as fibers: each runs until it waits for others or ends.
#include <ucontext.h>

#include <memory>
#include <vector>

#include "cuda.h"

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum State { READY, AT_WARP, AT_BLOCK, DONE };

constexpr std::size_t STACK = 1 << 16;

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[STACK]};
    State state = DONE;
    unsigned long long sent = 0;
    unsigned mask = 0;  // lanes that it waits for; 0: whoever is there
    bool sends = false;
};

std::vector<Fiber> fibers;  // only while a grid runs: a library stays loaded
ucontext_t scheduler;
unsigned current, threads;
void (*entry)(void*);
void* argument;

void begin() {
    entry(argument);
    fibers[current].state = DONE;
}

void wait(State where) {
    Fiber& self = fibers[current];
    self.state = where;
    swapcontext(&self.context, &scheduler);
}

void resume(unsigned number) {
    current = number;
    threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / (blockDim.x * blockDim.y)};
    swapcontext(&scheduler, &fibers[number].context);
}

// Let go of lanes that wait for one another, once all of them that are left do.
bool meet(unsigned first, unsigned end) {
    bool any = false;
    for (unsigned i = first; i < end; ++i) {
        const unsigned mask = fibers[i].mask;
        if (fibers[i].state != AT_WARP || !mask) continue;
        bool all = true;
        for (unsigned j = first; j < end; ++j)
            if (mask >> (j - first) & 1 && fibers[j].state != DONE)
                all &= fibers[j].state == AT_WARP && fibers[j].mask == mask;
        if (!all) continue;
        for (unsigned j = first; j < end; ++j)
            if (mask >> (j - first) & 1 && fibers[j].state == AT_WARP) fibers[j].state = READY;
        any = true;
    }
    return any;
}

// Let go of what waits, once nothing else of its warp, or of the block, can run.
bool release(unsigned first, unsigned end, State where) {
    bool any = false;
    for (unsigned i = first; i < end; ++i) {
        if (fibers[i].state < where) return true;
        any |= fibers[i].state == where;
    }
    for (unsigned i = first; i < end; ++i)
        if (fibers[i].state == where) fibers[i].state = READY;
    return any;
}

void run_block() {
    for (unsigned i = 0; i < threads; ++i) {
        Fiber& fiber = fibers[i];
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = STACK;
        fiber.context.uc_link = &scheduler;
        fiber.state = READY;
        makecontext(&fiber.context, begin, 0);
    }
    for (bool more = true; more;) {
        for (unsigned i = 0; i < threads; ++i)
            if (fibers[i].state == READY) resume(i);
        more = false;
        for (unsigned i = 0; i < threads; i += 32) {
            const unsigned end = i + 32 < threads ? i + 32 : threads;
            more |= meet(i, end) || release(i, end, AT_WARP);
        }
        if (!more) more = release(0, threads, AT_BLOCK);
    }
}

}  // namespace

void __syncthreads() { wait(AT_BLOCK); }

unsigned this_lane() { return current % 32; }

Exchange gather(unsigned mask, unsigned long long value) {
    const unsigned first = current / 32 * 32;
    Fiber& self = fibers[current];
    self.sent = value;
    self.mask = mask;
    self.sends = true;
    wait(AT_WARP);
    Exchange all;
    for (unsigned lane = 0; lane < 32 && first + lane < threads; ++lane) {
        const Fiber& other = fibers[first + lane];
        if (!other.sends || other.mask != mask || (mask && !(mask >> lane & 1))) continue;
        all.lanes |= 1u << lane;
        all.values[lane] = other.sent;
    }
    wait(AT_WARP);
    self.sends = false;
    return all;
}

void run_grid(const unsigned* shape, void (*thread)(void*), void* of) {
    gridDim = {shape[0], shape[1], shape[2]};
    blockDim = {shape[3], shape[4], shape[5]};
    threads = blockDim.x * blockDim.y * blockDim.z;
    entry = thread;
    argument = of;
    fibers = std::vector<Fiber>(threads);
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) run_block();
    std::vector<Fiber>().swap(fibers);
}
