// A kernel for each kind of instruction that some counter counts: what does Nsight Compute take it for?
//
// Every kernel repeats its instruction 8 times; lanes of odd warps beyond `some` take no part, so that full, partly
// active and empty accesses all occur.  `data` holds small integers, `out` a word a thread.

#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define KERNEL(name) extern "C" __global__ void name(unsigned *data, unsigned *out, unsigned some)
#define THREAD const unsigned t = threadIdx.x, k = blockIdx.x * blockDim.x + t
#define MANY _Pragma("unroll") for (unsigned i = 0; i < 8; ++i)
#define ACTIVE ((t & 32) == 0 || (t & 31) < some)
#define ASM asm volatile

static __device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ unsigned long long global(const void *p) { return __cvta_generic_to_global(p); }

// ---------------------------------------------------------------- loads and stores

KERNEL(nothing) {}

KERNEL(load_global) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(data + (k + i * 64) % 4096)); sum += v; }
    out[k] = sum;
}
KERNEL(load_global_128) {
    THREAD; unsigned sum = 0;
    MANY { uint4 v = {}; if (ACTIVE) ASM("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(data + (k + i * 64) % 1024 * 4)); sum += v.x + v.w; }
    out[k] = sum;
}
KERNEL(load_global_bytes) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.global.u8 %0, [%1];" : "=r"(v) : "l"((char *)data + k + i * 64)); sum += v; }
    out[k] = sum;
}
KERNEL(load_read_only) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(data + (k + i * 64) % 4096)); sum += v; }
    out[k] = sum;
}
KERNEL(load_volatile) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(data + (k + i * 64) % 4096)); sum += v; }
    out[k] = sum;
}
KERNEL(load_past_l1) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + (k + i * 64) % 4096)); sum += v; }
    out[k] = sum;
}
KERNEL(store_global) {
    THREAD;
    MANY if (ACTIVE) ASM("st.global.u32 [%0], %1;" :: "l"(data + (k + i * 64) % 4096), "r"(k));
    out[k] = k;
}
KERNEL(store_global_128) {
    THREAD;
    MANY if (ACTIVE) ASM("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(data + (k + i * 64) % 1024 * 4), "r"(k));
    out[k] = k;
}
KERNEL(load_generic) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned sum = 0; const unsigned *place = some & 1 ? tile + t : data + k;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.u32 %0, [%1];" : "=r"(v) : "l"(place)); sum += v; }
    out[k] = sum;
}
KERNEL(load_generic_shared) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned sum = 0; const unsigned *place = some < 64 ? tile + t : data + k;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.u32 %0, [%1];" : "=r"(v) : "l"(place)); sum += v; }
    out[k] = sum;
}
KERNEL(load_generic_mixed) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned sum = 0; const unsigned *place = t & 1 ? tile + t : data + k;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.u32 %0, [%1];" : "=r"(v) : "l"(place)); sum += v; }
    out[k] = sum;
}
KERNEL(store_generic_shared) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned *place = some < 64 ? tile + t : data + k;
    MANY if (ACTIVE) ASM("st.u32 [%0], %1;" :: "l"(place), "r"(k + i));
    out[k] = tile[t];
}
KERNEL(store_generic) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned *place = some >= 64 ? tile + t : data + k;
    MANY if (ACTIVE) ASM("st.u32 [%0], %1;" :: "l"(place), "r"(k + i));
    out[k] = tile[t];
}
KERNEL(local_memory) {
    THREAD; volatile unsigned own[32];
    MANY own[i * some % 32] = k + i;
    unsigned sum = 0;
    MANY sum += own[(i + some) % 32];
    out[k] = sum;
}
KERNEL(local_memory_64) {
    THREAD; volatile unsigned long long own[32];
    MANY own[i * some % 32] = k + i;
    unsigned long long sum = 0;
    MANY sum += own[(i + some) % 32];
    out[k] = (unsigned)sum;
}
__constant__ unsigned table[1024] = {1, 2, 3};
KERNEL(load_constant) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) v = table[(t * some + i) % 1024]; sum += v; }
    out[k] = sum;
}
KERNEL(prefetch) {
    THREAD;
    MANY if (ACTIVE) ASM("prefetch.global.L2 [%0];" :: "l"(data + (k + i * 64) % 4096));
    MANY if (ACTIVE) ASM("prefetch.global.L1 [%0];" :: "l"(data + (k + i * 64) % 4096));
    out[k] = k;
}

// ---------------------------------------------------------------- shared memory

KERNEL(load_shared) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at(tile + (t * (i + 1)) % 2048))); sum += v; }
    out[k] = sum;
}
KERNEL(load_shared_128) {
    THREAD; __shared__ __align__(16) unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    unsigned sum = 0;
    MANY { uint4 v = {}; if (ACTIVE) ASM("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at(tile + (t * (i + 1)) % 512 * 4))); sum += v.y; }
    out[k] = sum;
}
KERNEL(store_shared) {
    THREAD; __shared__ unsigned tile[2048];
    MANY if (ACTIVE) ASM("st.shared.u32 [%0], %1;" :: "r"(at(tile + (t * (i + 1)) % 2048)), "r"(k));
    __syncthreads(); out[k] = tile[t];
}
KERNEL(store_shared_64) {
    THREAD; __shared__ __align__(16) unsigned tile[2048];
    MANY if (ACTIVE) ASM("st.shared.v2.u32 [%0], {%1, %1};" :: "r"(at(tile + (t * (i + 1)) % 1024 * 2)), "r"(k));
    __syncthreads(); out[k] = tile[t];
}
KERNEL(load_matrix) {
    THREAD; __shared__ __align__(16) unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    unsigned sum = 0;
    MANY { unsigned a, b, c, d; ASM("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at(tile + (t * (i + 1)) % 512 * 4))); sum += a + d; }
    MANY { unsigned a; ASM("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at(tile + (t * (i + 1)) % 512 * 4))); sum += a; }
    out[k] = sum;
}
KERNEL(store_matrix) {
    THREAD; __shared__ __align__(16) unsigned tile[2048];
    MANY ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" :: "r"(at(tile + t % 32 * 4 + i * 128)), "r"(k));
    __syncthreads(); out[k] = tile[t];
}
KERNEL(copy_async_4) {
    THREAD; __shared__ __align__(16) unsigned tile[2048];
    MANY if (ACTIVE) ASM("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(tile + (t + i * 64) % 2048)), "l"(data + (k + i * 64) % 4096));
    ASM("cp.async.commit_group;"); ASM("cp.async.wait_group 0;"); __syncthreads(); out[k] = tile[t];
}
KERNEL(copy_async_16) {
    THREAD; __shared__ __align__(16) unsigned tile[2048];
    MANY if (ACTIVE) ASM("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(tile + (t + i * 64) % 512 * 4)), "l"(data + (k + i * 64) % 1024 * 4));
    ASM("cp.async.commit_group;"); ASM("cp.async.wait_group 0;"); __syncthreads(); out[k] = tile[t];
}
KERNEL(copy_async_conflicts) {
    THREAD; __shared__ __align__(16) unsigned tile[2048];
    MANY ASM("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(tile + (t * (i + 1)) % 2048)), "l"(data + (k + i * 64) % 4096));
    ASM("cp.async.commit_group;"); ASM("cp.async.wait_group 0;"); __syncthreads(); out[k] = tile[t];
}

// ---------------------------------------------------------------- atomics

KERNEL(atom_global_add) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(data + k + i * 32)); sum += v; }
    out[k] = sum;
}
KERNEL(atom_global_cas) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(v) : "l"(data + k), "r"(i), "r"(t)); sum += v; }
    out[k] = sum;
}
KERNEL(atom_global_same) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.global.max.u32 %0, [%1], %2;" : "=r"(v) : "l"(data + i), "r"(t)); sum += v; }
    out[k] = sum & 0;
}
KERNEL(red_global_add) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.add.u32 [%0], 1;" :: "l"(data + k + i * 32));
    out[k] = k;
}
KERNEL(red_global_float) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.add.f32 [%0], %1;" :: "l"(data + k + i * 32), "f"(1.0f));
    out[k] = k;
}
KERNEL(red_global_same) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.add.u32 [%0], %1;" :: "l"(data + i), "r"(t));
    out[k] = k;
}
KERNEL(red_global_64) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.add.u64 [%0], %1;" :: "l"((unsigned long long *)data + k + i * 32), "l"(1ull));
    out[k] = k;
}
KERNEL(red_global_half2) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(data + k + i * 32), "r"(0x3c003c00));
    out[k] = k;
}
KERNEL(red_global_vector) {
    THREAD;
    MANY if (ACTIVE) ASM("red.global.v4.f32.add [%0], {%1, %1, %1, %1};" :: "l"(data + (k + i * 32) * 4), "f"(1.0f));
    out[k] = k;
}
KERNEL(atom_global_vector) {
    THREAD; float sum = 0;
    MANY { float a = 0, b = 0; if (ACTIVE) ASM("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %3};" : "=f"(a), "=f"(b) : "l"(data + (k + i * 32) * 2), "f"(1.0f)); sum += a + b; }
    out[k] = (unsigned)sum;
}
KERNEL(atom_generic) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned sum = 0; unsigned *place = some < 64 ? tile + t : data + k;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(place)); sum += v; }
    out[k] = sum;
}
KERNEL(atom_generic_global) {
    THREAD; __shared__ unsigned tile[256]; tile[t] = t; __syncthreads();
    unsigned sum = 0; unsigned *place = some >= 64 ? tile + t : data + k;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(place)); sum += v; }
    out[k] = sum;
}
KERNEL(atom_shared_add) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(at(tile + (t * (i + 1)) % 2048)), "r"(t)); sum += v; }
    out[k] = sum;
}
KERNEL(atom_shared_same) {
    THREAD; __shared__ unsigned tile[64]; if (t < 64) tile[t] = t; __syncthreads();
    unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) ASM("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(at(tile + t % 4)), "r"(t)); sum += v; }
    out[k] = sum & 0;
}
KERNEL(red_shared_add) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    MANY if (ACTIVE) ASM("red.shared.add.u32 [%0], %1;" :: "r"(at(tile + (t * (i + 1)) % 2048)), "r"(t));
    __syncthreads(); out[k] = tile[t];
}
KERNEL(red_shared_count) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    MANY if (ACTIVE) atomicAdd(tile + (t * (i + 1)) % 2048, 1u);
    __syncthreads(); out[k] = tile[t];
}
KERNEL(red_shared_or) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    MANY if (ACTIVE) atomicOr(tile + (t * (i + 1)) % 2048, t);
    __syncthreads(); out[k] = tile[t];
}
KERNEL(atom_shared_cas) {
    THREAD; __shared__ unsigned tile[2048]; for (unsigned j = t; j < 2048; j += blockDim.x) tile[j] = j; __syncthreads();
    unsigned sum = 0;
    MANY { unsigned v = 0; if (ACTIVE) v = atomicCAS(tile + t, t + i, t + i + 1); sum += v; }
    out[k] = sum;
}
KERNEL(atom_shared_float) {
    THREAD; __shared__ float tile[256]; tile[t] = t; __syncthreads();
    float sum = 0;
    MANY { float v = 0; if (ACTIVE) v = atomicAdd(tile + t, 1.0f); sum += v; }
    out[k] = (unsigned)sum;
}
KERNEL(atom_shared_64) {
    THREAD; __shared__ unsigned long long tile[256]; tile[t] = t; __syncthreads();
    unsigned long long sum = 0;
    MANY { unsigned long long v = 0; if (ACTIVE) v = atomicAdd(tile + t, 1ull); sum += v; }
    out[k] = (unsigned)sum;
}
KERNEL(atom_shared_double) {
    THREAD; __shared__ double tile[256]; tile[t] = t; __syncthreads();
    MANY if (ACTIVE) atomicAdd(tile + t, 1.0);
    __syncthreads(); out[k] = (unsigned)tile[t];
}

// ---------------------------------------------------------------- lanes, barriers, fences

KERNEL(shuffle) {
    THREAD; unsigned v = k;
    MANY v += __shfl_xor_sync(~0u, v, i + 1);
    MANY v += __shfl_sync(~0u, v, v);
    out[k] = v;
}
KERNEL(vote) {
    THREAD; unsigned v = 0;
    MANY v += __ballot_sync(~0u, (t * (i + 3)) & 8) + __any_sync(~0u, t == i) + __all_sync(~0u, t < i * 8);
    out[k] = v;
}
KERNEL(match) {
    THREAD; unsigned v = 0; int all;
    MANY v += __match_any_sync(~0u, t / (i + 1)) + __match_all_sync(~0u, t / 32 * i, &all) + all;
    out[k] = v;
}
KERNEL(redux) {
    THREAD; unsigned v = 0;
    MANY v += __reduce_add_sync(~0u, t + i) + __reduce_max_sync(~0u, t ^ i) + __reduce_or_sync(~0u, t * i);
    out[k] = v;
}
KERNEL(barrier) {
    THREAD;
    MANY __syncthreads();
    out[k] = k;
}
KERNEL(barrier_vote) {
    THREAD; unsigned v = 0;
    MANY v += __syncthreads_count(t < i * 8) + __syncthreads_or(t == i) + __syncthreads_and(t < 999);
    out[k] = v;
}
KERNEL(barrier_named) {
    THREAD;
    MANY { if (t < 32) ASM("bar.arrive 1, 64;"); else ASM("bar.sync 1, 64;"); __syncthreads(); }
    out[k] = k;
}
KERNEL(warp_barrier) {
    THREAD;
    MANY { if (t & 1) out[k] = i; __syncwarp(); }
}
KERNEL(fences) {
    THREAD;
    MANY { __threadfence_block(); __threadfence(); __threadfence_system(); }
    out[k] = k;
}
KERNEL(sleep) {
    THREAD;
    MANY __nanosleep(20);
    out[k] = k;
}
KERNEL(clocks) {
    THREAD; unsigned long long v = 0;
    MANY { v += clock64() & 0; v += clock() & 0; unsigned long long g; ASM("mov.u64 %0, %%globaltimer;" : "=l"(g)); v += g & 0; }
    out[k] = (unsigned)v;
}
KERNEL(special_registers) {
    unsigned v, sum = 0;
#define READ(name) ASM("mov.u32 %0, %%" name ";" : "=r"(v)); sum += v;
    READ("tid.x") READ("tid.y") READ("tid.z") READ("ctaid.x") READ("ctaid.y") READ("laneid") READ("lanemask_lt") READ("lanemask_ge") READ("warpid") READ("smid")
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---------------------------------------------------------------- branches

KERNEL(branches) {
    THREAD; unsigned v = k;
#pragma unroll 1
    for (unsigned i = 0; i < 8 + (t & some & 3); ++i) { if (v & 1) v = v * 3 + 1; else v = v / 2 + data[v % 64]; }
    out[k] = v;
}
static __device__ __noinline__ unsigned callee(unsigned v, const unsigned *data) { return v * 5 + data[v % 64]; }
KERNEL(calls) {
    THREAD; unsigned v = k;
    MANY v = callee(v, data);
    out[k] = v;
}
KERNEL(jumps) {
    THREAD; unsigned v = k;
    MANY switch (data[(k + i) % 64] % 8) {
        case 0: v += data[1] * 3; break;
        case 1: v ^= data[2] + 9; break;
        case 2: v = __popc(v) + 77; break;
        case 3: v = v * v + 5; break;
        case 4: v = __brev(v); break;
        case 5: v = v / 7; break;
        case 6: v = v * data[3]; break;
        default: v -= 3;
    }
    out[k] = v;
}
static __device__ unsigned first(unsigned v) { return v * 3 + 1; }
static __device__ unsigned second(unsigned v) { return v ^ 0x55; }
static __device__ unsigned (*const choices[2])(unsigned) = {first, second};
KERNEL(pointers) {
    THREAD; unsigned v = k;
    MANY v = choices[data[i] & 1](v);
    out[k] = v;
}
KERNEL(exits) {
    THREAD;
    if (t % 3 == 0) return;
    if (t >= 32 && t % 32 > some) return;
    out[k] = k;
}

// ---------------------------------------------------------------- arithmetic

KERNEL(doubles) {
    THREAD; double v = k;
    MANY v = v * 1.5 + i;
    out[k] = (unsigned)v;
}
KERNEL(divisions) {
    THREAD; double v = k + 1.0; float w = k + 1.0f; unsigned n = k + 3;
    MANY { v = 100.0 / v + 1.0; w = 3.0f / w + 1.0f; n = 1000000 / n + 2; }
    out[k] = (unsigned)(v * 1000) + (unsigned)(w * 1000) + n;
}
KERNEL(transcendental) {
    THREAD; float v = k * 0.01f + 1.0f;
    MANY v = __expf(-v) + __logf(v + 2.0f) + __sinf(v) + rsqrtf(v + 1.0f);
    out[k] = (unsigned)(v * 0.0f);
}
KERNEL(halves) {
    THREAD; __half2 v = __float2half2_rn(k * 0.01f); __nv_bfloat162 w = __float2bfloat162_rn(k * 0.01f);
    MANY { v = __hfma2(v, v, __float2half2_rn(0.5f)); w = __hfma2(w, w, __float2bfloat162_rn(0.5f)); }
    out[k] = __half2int_rz(__low2half(v)) + __bfloat162int_rz(__low2bfloat16(w));
}
KERNEL(matrix_half) {
    THREAD; float d[4] = {}; unsigned a = 0x3c003c00;
    MANY ASM("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a));
    out[k] = (unsigned)(d[0] + d[3]);
}
KERNEL(matrix_int) {
    THREAD; unsigned d[4] = {}, a = 0x01020304;
    MANY ASM("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a));
    out[k] = d[0] + d[3];
}
KERNEL(matrix_double) {
    THREAD; double d[2] = {}, a = k;
    MANY ASM("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a));
    out[k] = (unsigned)(d[0] * 0.0 + d[1] * 0.0);
}
KERNEL(move_matrix) {
    THREAD; unsigned v = k;
    MANY { unsigned w; ASM("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(w) : "r"(v)); v += w; }
    out[k] = v;
}
KERNEL(histogram) {
    THREAD; __shared__ unsigned bins[64]; if (t < 64) bins[t] = 0; __syncthreads();
    MANY atomicAdd(bins + data[(k + i * 64) % 4096] % 64, 1u);
    __syncthreads(); if (t < 64) atomicAdd(out + t, bins[t]);
}
