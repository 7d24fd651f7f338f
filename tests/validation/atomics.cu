// Atomics, round after round: which words the lanes of a warp ask for, with and without the old value, in L2 and in
// shared memory.  The source of data/h200_atomics.json.
extern "C" {
__device__ __forceinline__ unsigned warp_of_grid() { return (blockIdx.x * blockDim.x + threadIdx.x) >> 5; }

// Words of a round: of each warp's own 32 KiB, or (same = 1) of the same 32 KiB for all; 4 KiB on each round.
#define PLACE(PATTERN)                                                                       \
    unsigned lane = threadIdx.x & 31;                                                        \
    unsigned first = (same ? 0 : warp_of_grid() * 8192u) + (PATTERN);

#define ADDS(NAME, TYPE, PATTERN)                                                            \
    __global__ void NAME(int rounds, int same, TYPE* p, TYPE v) {                            \
        PLACE(PATTERN)                                                                       \
        for (int r = 0; r < rounds; ++r) atomicAdd(p + first + (r & 7) * 1024, v);           \
    }

ADDS(red_line, float, lane)
ADDS(red_quads, float, (lane >> 3) * 64 + (lane & 7))
ADDS(red_pairs, float, lane >> 1)
ADDS(red_sectors, float, lane * 8)
ADDS(red_lines, float, lane * 32)
ADDS(red_word, float, 0 * lane)
ADDS(red_u32_line, unsigned, lane)
ADDS(red_u32_sectors, unsigned, lane * 8)
ADDS(red_u32_pairs, unsigned, lane >> 1)
ADDS(red_u64_line, unsigned long long, lane)

// With the old value: each asks where the one before has said, so latencies add up.
#define CHAIN(NAME, TYPE, PATTERN)                                                           \
    __global__ void NAME(int rounds, int same, TYPE* p, TYPE v) {                            \
        PLACE(PATTERN)                                                                       \
        for (int r = 0; r < rounds; ++r) first += (unsigned)atomicAdd(p + first + (r & 7) * 1024, v); \
        if (first == 0xffffffffu) p[0] = v;                                                  \
    }

CHAIN(atom_chain_line, unsigned, lane)
CHAIN(atom_chain_sectors, unsigned, lane * 8)
CHAIN(atom_chain_lane, unsigned, lane)

// With the old values, none of which is waited for until the end.
#define RETURNS(NAME, TYPE, PATTERN)                                                         \
    __global__ void NAME(int rounds, int same, TYPE* p, TYPE v) {                            \
        PLACE(PATTERN)                                                                       \
        TYPE sum = 0;                                                                        \
        for (int r = 0; r < rounds; r += 8)                                                  \
            _Pragma("unroll") for (int k = 0; k < 8; ++k) sum += atomicAdd(p + first + k * 1024, v); \
        if (sum == (TYPE)1.5e9) p[first] = 1;                                                \
    }

RETURNS(atom_line, float, lane)
RETURNS(atom_sectors, float, lane * 8)
RETURNS(atom_u32_line, unsigned, lane)

// In shared memory.
#define SHARED(NAME, TYPE, PATTERN)                                                          \
    __global__ void NAME(int rounds, int same, TYPE* p, TYPE v) {                            \
        __shared__ TYPE words[8192];                                                         \
        unsigned lane = threadIdx.x & 31;                                                    \
        unsigned first = (same ? 0 : (threadIdx.x >> 5) * 1024u) + (PATTERN);                \
        for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;                   \
        __syncthreads();                                                                     \
        for (int r = 0; r < rounds; ++r) atomicAdd(words + (first ^ (r & 1)), v);            \
        __syncthreads();                                                                     \
        if (words[first] == (TYPE)1.5e9) p[0] = v;                                           \
    }

SHARED(shared_line, unsigned, lane)
SHARED(shared_word, unsigned, 0 * lane)
SHARED(shared_pairs, unsigned, lane >> 1)
SHARED(shared_two_banks, unsigned, lane * 2)
SHARED(shared_one_bank, unsigned, lane * 32)
SHARED(shared_float_line, float, lane)
}
