// y = A x on Hopper (sm_90a), bf16 in, fp32 out: how a tile lies in shared memory, and how it is read.
//
// A is [M, K], x is [1, K], y is [M]; M is a multiple of 256, K of 64.  Launch with grid (M/256), 256 threads and 136 192
// bytes of dynamic shared memory.  A tile has 256 rows of 128 bytes.  The TMA unit fills it by boxes whose rows have 16,
// 32, 64 or 128 bytes: 8, 4, 2 or 1 of them beside one another.  x comes in boxes of 8 rows: those that it does not have
// are zeros.
//
//   lds_ROW        a thread has a row, and reads 16 bytes of it at a time
//   ldmatrix_ROW   a warp has 32 rows, read as matrices of 8 x 8 for mma.sync
//   wgmma_ROW      a warpgroup has 128 rows, which its products read by themselves
//
// ROW_swizzled: boxes are swizzled over as many bytes as their rows have.  Without a swizzle wgmma takes rows of 16 bytes
// alone: a descriptor says of longer ones how they are swizzled.

#include "hopper.cuh"

namespace {

using namespace hopper;

enum : int {
    ROWS = 256,  // of a tile
    THREADS = 256,
    PIECE = 16,  // bytes that stay together
    PIECES = 8,  // of a tile's row
    PLACES = 4,
    X_ROWS = 8,
    WARPGROUP = 128,
};

struct bf16 {
    unsigned short bits;
};

struct Shared {
    char a[PLACES][ROWS * PIECES * PIECE];
    char x[PLACES][X_ROWS * PIECES * PIECE];
};

extern __shared__ char dynamic[];

// A tile of so many rows, in boxes whose rows have ROW bytes.
template <int ROW, bool SWIZZLED>
struct Layout {
    enum : int { BOXES = PIECES * PIECE / ROW, SWIZZLE = ROW == 128 ? 1 : ROW == 64 ? 2 : 3 };

    // Bytes from the tile's begin to a piece of a row: bits 4 to 6 of an address are mixed with bits 7 to 9.
    static __device__ __forceinline__ int place(int rows, int row, int piece) {
        const int box = piece * PIECE / ROW, within = piece % (ROW / PIECE);
        const int mixed = SWIZZLED ? within ^ row * ROW / 128 % (ROW / PIECE) : within;
        return box * rows * ROW + row * ROW + mixed * PIECE;
    }

    // Rows from `row` on, 32 bytes of each, as wgmma wants to know them.
    static __device__ __forceinline__ u64 descriptor(const char* tile, int rows, int row, int piece) {
        const int begin = shared_address(tile) + piece * PIECE / ROW * rows * ROW + row * ROW + piece * PIECE % ROW;
        const u64 next_piece = rows * ROW >> 4, eight_rows = 8 * ROW >> 4;
        return static_cast<u64>((begin & 0x3ffff) >> 4) | next_piece << 16 | eight_rows << 32 |
               static_cast<u64>(SWIZZLED ? SWIZZLE : 0) << 62;
    }

    static __device__ __forceinline__ void ask(Shared& s, const TensorMap* A, const TensorMap* x, int step, u64* full) {
        const int p = step % PLACES, first = step * PIECES * PIECE / 2;
        expect(full + p, sizeof(s.a[0]) + sizeof(s.x[0]));
        for (int box = 0; box < BOXES; box++) {
            load_box(s.a[p] + box * ROWS * ROW, A, first + box * ROW / 2, blockIdx.x * ROWS, full + p);
            load_box(s.x[p] + box * X_ROWS * ROW, x, first + box * ROW / 2, 0, full + p);
        }
    }
};

// ---------------------------------------------------------------- three ways of reading

__device__ __forceinline__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }

struct Words {
    float sum = 0;

    template <class L>
    __device__ __forceinline__ void add(const char* a, const char* x) {
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            const uint4 of_a = *reinterpret_cast<const uint4*>(a + L::place(ROWS, threadIdx.x, piece));
            const uint4 of_x = *reinterpret_cast<const uint4*>(x + L::place(X_ROWS, 0, piece));
            sum += low(of_a.x) * low(of_x.x) + high(of_a.x) * high(of_x.x);
            sum += low(of_a.y) * low(of_x.y) + high(of_a.y) * high(of_x.y);
            sum += low(of_a.z) * low(of_x.z) + high(of_a.z) * high(of_x.z);
            sum += low(of_a.w) * low(of_x.w) + high(of_a.w) * high(of_x.w);
        }
    }
    __device__ __forceinline__ void store(float* y) { y[threadIdx.x] = sum; }
};

__device__ __forceinline__ void load_matrices(unsigned (&r)[4], const char* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(from)) : "memory");
}

// Column 0 of a product is at lanes 0, 4, 8, ...: rows r and r + 8 of 16.
struct Matrices {
    float sums[2][4] = {};

    template <class L>
    __device__ __forceinline__ void add(const char* a, const char* x) {
        const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 32 + lane % 16;
#pragma unroll
        for (int piece = 0; piece < PIECES; piece += 4) {
            unsigned b[4];
            load_matrices(b, x + L::place(X_ROWS, lane % 8, piece + lane / 8));
#pragma unroll
            for (int half = 0; half < 2; half++)
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    unsigned r[4];
                    load_matrices(r, a + L::place(ROWS, row + 16 * i, piece + 2 * half + lane / 16));
                    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
                        : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b[2 * half]), "r"(b[2 * half + 1]));
                }
        }
    }
    __device__ __forceinline__ void store(float* y) {
        const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 32 + lane / 4;
        if (lane % 4 == 0)
            for (int i = 0; i < 2; i++) y[row + 16 * i] = sums[i][0], y[row + 16 * i + 8] = sums[i][2];
    }
};

struct Products {
    float sums[2][4] = {};

    template <class L>
    __device__ __forceinline__ void add(const char* a, const char* x) {
        begin_products();
#pragma unroll
        for (int piece = 0; piece < PIECES; piece += 2)
#pragma unroll
            for (int i = 0; i < 2; i++)
                asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                             "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                             : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
                             : "l"(L::descriptor(a, ROWS, threadIdx.x / WARPGROUP * 128 + 64 * i, piece)),
                               "l"(L::descriptor(x, X_ROWS, 0, piece)));
        commit_products();
        wait_for_products<0>();
    }
    __device__ __forceinline__ void store(float* y) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
        const int row = threadIdx.x / WARPGROUP * 128 + warp * 16 + lane / 4;
        if (lane % 4 == 0)
            for (int i = 0; i < 2; i++) y[row + 64 * i] = sums[i][0], y[row + 64 * i + 8] = sums[i][2];
    }
};

// ---------------------------------------------------------------- tile after tile

template <class How, class L>
__device__ __forceinline__ void multiply(const TensorMap* A, const TensorMap* x, float* y, int K) {
    __shared__ u64 full[PLACES];
    Shared& s = *reinterpret_cast<Shared*>(dynamic + (1024 - shared_address(dynamic) % 1024) % 1024);
    const int steps = K * 2 / (PIECES * PIECE);
    if (threadIdx.x == 0) {
        for (int p = 0; p < PLACES; p++) init(full + p, 1);
        publish_barriers();
        for (int step = 0; step < PLACES - 1 && step < steps; step++) L::ask(s, A, x, step, full);
    }
    __syncthreads();
    How how;
    for (int step = 0; step < steps; step++) {
        const int p = step % PLACES;
        wait(full + p, step / PLACES % 2);
        how.template add<L>(s.a[p], s.x[p]);
        __syncthreads();  // the place that the next load fills was read in the step before
        if (threadIdx.x == 0 && step + PLACES - 1 < steps) L::ask(s, A, x, step + PLACES - 1, full);
    }
    how.store(y + blockIdx.x * ROWS);
}

}  // namespace

#define KERNEL(NAME, HOW, ROW, SWIZZLED)                                                                               \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        NAME(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap x, float* y, int K) {              \
        multiply<HOW, Layout<ROW, SWIZZLED>>(&A, &x, y, K);                                                            \
    }
#define SWIZZLED(NAME, HOW)                                                                                            \
    KERNEL(NAME##_16, HOW, 16, false)                                                                                  \
    KERNEL(NAME##_32_swizzled, HOW, 32, true)                                                                          \
    KERNEL(NAME##_64_swizzled, HOW, 64, true)                                                                          \
    KERNEL(NAME##_128_swizzled, HOW, 128, true)
#define PLAIN(NAME, HOW)                                                                                               \
    KERNEL(NAME##_32, HOW, 32, false)                                                                                  \
    KERNEL(NAME##_64, HOW, 64, false)                                                                                  \
    KERNEL(NAME##_128, HOW, 128, false)

SWIZZLED(lds, Words)
SWIZZLED(ldmatrix, Matrices)
SWIZZLED(wgmma, Products)
PLAIN(lds, Words)
PLAIN(ldmatrix, Matrices)
