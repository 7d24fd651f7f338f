// Hopper's mbarriers and asynchronous copies, as macros: an instruction is on the line that asks for it.
#pragma once
#include <cstdint>

#define SHARED_ADDRESS(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))

#define MBARRIER_INIT(bar, count) \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SHARED_ADDRESS(bar)), "r"(count) : "memory")
#define MBARRIER_INVALIDATE(bar) \
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(SHARED_ADDRESS(bar)) : "memory")
#define MBARRIER_ARRIVE(bar) \
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(SHARED_ADDRESS(bar)) : "memory")
#define MBARRIER_EXPECT(bar, bytes)                                                        \
    asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" \
                 ::"r"(SHARED_ADDRESS(bar)), "r"(bytes) : "memory")
#define MBARRIER_WAIT(bar, parity)                                                                   \
    asm volatile(                                                                                     \
        "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" \
        ::"r"(SHARED_ADDRESS(bar)), "r"(parity) : "memory")

// The order of ordinary accesses before, and of asynchronous copies after.
#define FENCE_ASYNC() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

#define BULK_LOAD(to, from, bytes, bar)                                                                        \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"     \
                 ::"r"(SHARED_ADDRESS(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(SHARED_ADDRESS(bar)) : "memory")
#define BULK_STORE(to, from, bytes)                                        \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" \
                 ::"l"(__cvta_generic_to_global(to)), "r"(SHARED_ADDRESS(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")

#define COPY_ASYNC4(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED_ADDRESS(to)), "l"(__cvta_generic_to_global(from)) : "memory")
#define COPY_ASYNC16(to, from) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED_ADDRESS(to)), "l"(__cvta_generic_to_global(from)) : "memory")
#define COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
