// Kernels beside their mended forms: each pair computes the same, and one thing costs the first of it time.

#define N_THREADS (gridDim.x * blockDim.x)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// ---------------------------------------------------------------- global accesses

// Each thread copies a stretch of its own; threads of a warp are a stretch apart.
extern "C" __global__ void copy_stretches(const float *x, float *y, int each) {
    for (int i = 0; i < each; i++) y[THREAD * each + i] = x[THREAD * each + i] + 1.0f;
}

extern "C" __global__ void copy_side_by_side(const float *x, float *y, int each) {
    for (int i = 0; i < each; i++) y[i * N_THREADS + THREAD] = x[i * N_THREADS + THREAD] + 1.0f;
}

struct Particle { float x, y, z, vx, vy, vz, mass, charge; };

// One field of eight, an array of structs; and the same field as an array.
extern "C" __global__ void push_structs(Particle *p, float dt) { p[THREAD].x += dt; }
extern "C" __global__ void push_arrays(float *x, float dt) { x[THREAD] += dt; }

// Sums of columns: a thread a row of the transposed matrix, or a thread a column.
extern "C" __global__ void sums_of_rows(const float *a, float *sums, int rows, int columns) {
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) sum += a[THREAD * columns + i];
    sums[THREAD] = sum;
}

extern "C" __global__ void sums_of_columns(const float *a, float *sums, int rows, int columns) {
    float sum = 0.0f;
    for (int i = 0; i < rows; i++) sum += a[i * columns + THREAD];
    sums[THREAD] = sum;
}

// Rows of a matrix that begin anywhere, or at lines.
extern "C" __global__ void scale_pitched(const float *x, float *y, int pitch, int width) {
    for (int i = threadIdx.x; i < width; i += blockDim.x) y[blockIdx.x * pitch + i] = 2.0f * x[blockIdx.x * pitch + i];
}

extern "C" __global__ void shift(const float *x, float *y, int by) {
    y[THREAD] = x[THREAD + by];
}

// ---------------------------------------------------------------- shared memory

template <int PITCH> __global__ void transpose(const float *x, float *y, int n) {
    __shared__ float tile[32 * PITCH];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[(threadIdx.y + i) * PITCH + threadIdx.x] = x[(row + i) * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) y[(row + i) * n + column] = tile[threadIdx.x * PITCH + threadIdx.y + i];
}
template __global__ void transpose<32>(const float *, float *, int);
template __global__ void transpose<33>(const float *, float *, int);

extern "C" __global__ void transpose_direct(const float *x, float *y, int n) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) y[column * n + row + i] = x[(row + i) * n + column];
}

// Products of tiles in shared memory; a row of one tile lies along a row of a warp, or down a column.
template <int PITCH> __global__ void products(const float *a, const float *b, float *c, int n) {
    __shared__ float as[32 * PITCH], bs[32 * PITCH];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 32) {
        as[x * PITCH + y] = a[(blockIdx.y * 32 + y) * n + k + x];
        bs[y * PITCH + x] = b[(k + y) * n + blockIdx.x * 32 + x];
        __syncthreads();
        for (int i = 0; i < 32; i++) sum += as[i * PITCH + y] * bs[i * PITCH + x];
        __syncthreads();
    }
    c[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x] = sum;
}
template __global__ void products<32>(const float *, const float *, float *, int);
template __global__ void products<33>(const float *, const float *, float *, int);

// A tree of sums whose steps are far apart, or near.
extern "C" __global__ void tree_far(const float *x, float *sums) {
    __shared__ float part[512];
    int t = threadIdx.x;
    part[t] = x[THREAD];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        int i = 2 * step * t;
        if (i < 512) part[i] += part[i + step];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void tree_near(const float *x, float *sums) {
    __shared__ float part[512];
    int t = threadIdx.x;
    part[t] = x[THREAD];
    for (int step = 256; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) part[t] += part[t + step];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// Each thread has a table of its own in shared memory: a row of it, or a column.
template <int BY_COLUMNS> __global__ void tables(const int *x, int *y, int rounds) {
    __shared__ int table[128 * 32];
    int t = threadIdx.x, at = 0;
    for (int i = 0; i < 32; i++) table[BY_COLUMNS ? i * 128 + t : t * 32 + i] = x[i * 128 + t];
    for (int i = 0; i < rounds; i++) at = table[BY_COLUMNS ? (i & 31) * 128 + t : t * 32 + (i & 31)] + 3 * at;
    y[THREAD] = at;
}
template __global__ void tables<0>(const int *, int *, int);
template __global__ void tables<1>(const int *, int *, int);

// ---------------------------------------------------------------- atomics

extern "C" __global__ void histogram_global(const int *x, int *bins, int each) {
    for (int i = 0; i < each; i++) atomicAdd(&bins[x[i * N_THREADS + THREAD] & 255], 1);
}

extern "C" __global__ void histogram_shared(const int *x, int *bins, int each) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < each; i++) atomicAdd(&own[x[i * N_THREADS + THREAD] & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void sum_by_atomics(const float *x, float *sum) { atomicAdd(sum, x[THREAD]); }

extern "C" __global__ void sum_by_shuffles(const float *x, float *sum) {
    __shared__ float part[8];
    float mine = x[THREAD];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) mine += part[k];
        atomicAdd(sum, mine);
    }
}

// ---------------------------------------------------------------- divergence

__device__ float one_way(float v, int rounds) {
    for (int i = 0; i < rounds; i++) v = v * 1.0001f + 0.5f;
    return v;
}

__device__ float other_way(float v, int rounds) {
    for (int i = 0; i < rounds; i++) v = v * 0.9999f - 0.25f;
    return v;
}

// Which way a thread goes alternates from lane to lane, or from warp to warp.
extern "C" __global__ void ways_by_lane(const float *x, float *y, int rounds) {
    float v = x[THREAD];
    if (threadIdx.x & 1) v = one_way(v, rounds); else v = other_way(v, rounds);
    y[THREAD] = v;
}

extern "C" __global__ void ways_by_warp(const float *x, float *y, int rounds) {
    float v = x[THREAD];
    if (threadIdx.x >> 5 & 1) v = one_way(v, rounds); else v = other_way(v, rounds);
    y[THREAD] = v;
}

// How long a thread works goes by its lane, or by its warp: 1 to 32 times as long.
extern "C" __global__ void rounds_by_lane(const float *x, float *y, int rounds) {
    y[THREAD] = one_way(x[THREAD], rounds * (1 + (threadIdx.x & 31)));
}

extern "C" __global__ void rounds_by_warp(const float *x, float *y, int rounds) {
    y[THREAD] = one_way(x[THREAD], rounds * (1 + (threadIdx.x >> 5 & 31)));
}

// Four ways of a switch.
template <int SHIFT> __global__ void four_ways(const float *x, float *y, int rounds) {
    float v = x[THREAD];
    switch (threadIdx.x >> SHIFT & 3) {
    case 0: v = one_way(v, rounds); break;
    case 1: v = other_way(v, rounds); break;
    case 2: for (int i = 0; i < rounds; i++) v = v * v * 0.5f + 0.1f; break;
    default: for (int i = 0; i < rounds; i++) v = 0.3f - v * v; break;
    }
    y[THREAD] = v;
}
template __global__ void four_ways<0>(const float *, float *, int);
template __global__ void four_ways<5>(const float *, float *, int);

// ---------------------------------------------------------------- registers and local memory

// Sums of 64 shifted products: as many registers as it likes, or 32, so that most of them spill.
template <int BLOCKS> __global__ void __launch_bounds__(256, BLOCKS) sums64(const float *x, float *y, int rounds) {
    float sums[64];
    for (int i = 0; i < 64; i++) sums[i] = x[i * N_THREADS + THREAD];
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 64; i++) sums[i] = sums[i] * 0.5f + sums[(i * 7 + 1) & 63];
    float sum = 0.0f;
    for (int i = 0; i < 64; i++) sum += sums[i];
    y[THREAD] = sum;
}
template __global__ void sums64<2>(const float *, float *, int);
template __global__ void sums64<8>(const float *, float *, int);

// A small array of each thread, at places known only when it runs, or all of them in turn.
extern "C" __global__ void array_at_run_time(const float *x, float *y, const int *order, int rounds) {
    float own[16];
    for (int i = 0; i < 16; i++) own[i] = x[i * N_THREADS + THREAD];
    for (int r = 0; r < rounds; r++) own[order[r] & 15] += own[order[r + 1] & 15];
    float sum = 0.0f;
    for (int i = 0; i < 16; i++) sum += own[i];
    y[THREAD] = sum;
}

extern "C" __global__ void array_in_registers(const float *x, float *y, const int *order, int rounds) {
    float own[16];
    for (int i = 0; i < 16; i++) own[i] = x[i * N_THREADS + THREAD];
    for (int r = 0; r < rounds; r += 16)
#pragma unroll
        for (int i = 0; i < 16; i++) own[i] += own[(i + 5) & 15];
    float sum = 0.0f;
    for (int i = 0; i < 16; i++) sum += own[i];
    y[THREAD] = sum;
}

// ---------------------------------------------------------------- parallelism

// A stream of single loads, each of which the next one waits for; dynamic shared memory decides how many blocks fit.
extern "C" __global__ void stream_slowly(const float *x, float *y, int each) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < each; i++) sum += x[i * N_THREADS + THREAD];
    y[THREAD] = sum;
}

extern "C" __global__ void stream_by_two(const float *x, float *y, int each) {
    float sum = 0.0f;
#pragma unroll 2
    for (int i = 0; i < each; i++) sum += x[i * N_THREADS + THREAD];
    y[THREAD] = sum;
}

// Work that does not end with the grid: as many blocks as there are, whatever they are.
extern "C" __global__ void scale_all(const float *x, float *y, int n, int rounds) {
    for (int i = THREAD; i < n; i += N_THREADS) y[i] = one_way(x[i], rounds);
}

// ---------------------------------------------------------------- barriers

template <int EVERY> __global__ void steps(const float *x, float *y, int rounds) {
    __shared__ float part[1024];
    float v = x[THREAD];
    for (int i = 0; i < rounds; i++) {
        part[threadIdx.x] = v;
        if (EVERY) __syncthreads(); else __syncwarp();
        v = v * 0.5f + part[threadIdx.x ^ 1];
        if (EVERY) __syncthreads(); else __syncwarp();
    }
    y[THREAD] = v;
}
template __global__ void steps<0>(const float *, float *, int);
template __global__ void steps<1>(const float *, float *, int);

// ---------------------------------------------------------------- order of work, and of launches

// An array gone through several times: all of it each time, or a part of it several times before the next.
extern "C" __global__ void passes(const float4 *x, float *y, int n, int part, int times) {
    float sum = 0.0f;
    for (int first = 0; first < n; first += part)
        for (int k = 0; k < times; k++)
            for (int i = THREAD; i < part; i += N_THREADS) {
                float4 v = x[first + i];
                sum += v.x + v.y + v.z + v.w;
            }
    y[THREAD] = sum;
}

// Two launches, of which the second reads what the first wrote; or one.
extern "C" __global__ void scale_by(const float *x, float *y, float by) { y[THREAD] = by * x[THREAD]; }
extern "C" __global__ void square(const float *x, float *y) { y[THREAD] = x[THREAD] * x[THREAD]; }
extern "C" __global__ void scale_and_square(const float *x, float *y, float by) {
    float v = by * x[THREAD];
    y[THREAD] = v * v;
}

// A table that L2 holds, read at places that an array names which it does not hold; that array marked to go first, or not.
template <int STREAMED> __global__ void look_up(const int *places, const float *table, float *y, int each) {
    float sum = 0.0f;
    for (int i = 0; i < each; i++) {
        const int *p = &places[i * N_THREADS + THREAD];
        sum += table[STREAMED ? __ldcs(p) : *p];
    }
    y[THREAD] = sum;
}
template __global__ void look_up<0>(const int *, const float *, float *, int);
template __global__ void look_up<1>(const int *, const float *, float *, int);

// ---------------------------------------------------------------- what a thread does

// An element a thread, or four at once.
extern "C" __global__ void add_one(const float *x, const float *y, float *z) { z[THREAD] = x[THREAD] + y[THREAD]; }
extern "C" __global__ void add_four(const float4 *x, const float4 *y, float4 *z) {
    float4 a = x[THREAD], b = y[THREAD];
    z[THREAD] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
extern "C" __global__ void copy_four(const float4 *x, float4 *y) { y[THREAD] = x[THREAD]; }

// Sums of rows, a block a row: short rows, or many of them one after another.
extern "C" __global__ void sum_rows(const float *x, float *sums, int width, int rows) {
    __shared__ float part[4];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < width; i += 128) sum += x[row * width + i];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) sums[row] = part[0] + part[1] + part[2] + part[3];
        __syncthreads();
    }
}

// ---------------------------------------------------------------- what the code does

// Products by tiles of T x T, an element a thread; and the same by tiles of 32 x 32, four elements a thread.
template <int T> __global__ void tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += T) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < T; i++) sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
template __global__ void tiles<8>(const float *, const float *, float *, int);
template __global__ void tiles<16>(const float *, const float *, float *, int);
template __global__ void tiles<32>(const float *, const float *, float *, int);

extern "C" __global__ void four_a_thread(const float *a, const float *b, float *c, int n) {
    __shared__ float as[32][32], bs[32][32];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x;
    float sums[4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            as[y + j][x] = a[(blockIdx.y * 32 + y + j) * n + k + x];
            bs[y + j][x] = b[(k + y + j) * n + column];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 4; j++) sums[j] += as[y + 8 * j][i] * bs[i][x];
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) c[(blockIdx.y * 32 + y + 8 * j) * n + column] = sums[j];
}

// A table that L1 holds, beside an array that is read once: loaded as anything else, or marked to take no place.
template <int STREAMED> __global__ void table_of_l1(const int *places, const float *table, float *y, int each) {
    float sum = 0.0f;
    for (int i = 0; i < each; i++) {
        const int *p = &places[i * N_THREADS + THREAD];
        int at;
        if (STREAMED) asm volatile("ld.global.L1::no_allocate.s32 %0, [%1];" : "=r"(at) : "l"(p));
        else at = *p;
        sum += table[at];
    }
    y[THREAD] = sum;
}
template __global__ void table_of_l1<0>(const int *, const float *, float *, int);
template __global__ void table_of_l1<1>(const int *, const float *, float *, int);

// Places by a divisor known only when it runs, or by one known when it is compiled.
extern "C" __global__ void folded_by(const int *x, int *y, int by, int rounds) {
    unsigned v = x[THREAD];
    for (int i = 0; i < rounds; i++) v = v % by * 37u + v / by;
    y[THREAD] = v;
}

template <int BY> __global__ void folded(const int *x, int *y, int by, int rounds) {
    unsigned v = x[THREAD];
    for (int i = 0; i < rounds; i++) v = v % BY * 37u + v / BY;
    y[THREAD] = v;
}
template __global__ void folded<1024>(const int *, int *, int, int);

// Floats times a constant that is a double, or a float.
extern "C" __global__ void by_doubles(const float *x, float *y, int rounds) {
    float v = x[THREAD];
    for (int i = 0; i < rounds; i++) v = v * 1.0001 + 0.5;
    y[THREAD] = v;
}

extern "C" __global__ void by_floats(const float *x, float *y, int rounds) { y[THREAD] = one_way(x[THREAD], rounds); }

// Sums of 8-bit numbers, one a load, or sixteen.
extern "C" __global__ void bytes_one(const unsigned char *x, int *y, int each) {
    int sum = 0;
    for (int i = 0; i < each; i++) sum += x[i * N_THREADS + THREAD];
    y[THREAD] = sum;
}

extern "C" __global__ void bytes_sixteen(const uint4 *x, int *y, int each) {
    int sum = 0;
    for (int i = 0; i < each / 16; i++) {
        uint4 v = x[i * N_THREADS + THREAD];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) sum = __dp4a(words[k], 0x01010101u, (unsigned)sum);
    }
    y[THREAD] = sum;
}

// Products by tiles, two by two elements a thread.
template <int T> __global__ void two_by_two(const float *a, const float *b, float *c, int n) {
    __shared__ float as[2 * T][T], bs[T][2 * T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 2 * T + y, column = blockIdx.x * 2 * T + x;
    float sums[2][2] = {};
    for (int k = 0; k < n; k += T) {
        for (int j = 0; j < 2; j++) {
            as[y + j * T][x] = a[(row + j * T) * n + k + x];
            bs[y][x + j * T] = b[(k + y) * n + column + j * T];
        }
        __syncthreads();
        for (int i = 0; i < T; i++)
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 2; s++) sums[r][s] += as[y + r * T][i] * bs[i][x + s * T];
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++) c[(row + r * T) * n + column + s * T] = sums[r][s];
}
template __global__ void two_by_two<8>(const float *, const float *, float *, int);
template __global__ void two_by_two<16>(const float *, const float *, float *, int);

// The same of `products`, whose stores to shared memory have conflicts, or not.
template <int PITCH> __global__ void products_two_by_two(const float *a, const float *b, float *c, int n) {
    __shared__ float as[32 * PITCH], bs[32 * 64];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 64 + y, column = blockIdx.x * 64 + x;
    float sums[2][2] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 64; j += 32) {
            as[x * PITCH + y + j] = a[(row + j) * n + k + x];
            bs[y * 64 + x + j] = b[(k + y) * n + column + j];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++)
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 2; s++) sums[r][s] += as[i * PITCH + y + r * 32] * bs[i * 64 + x + s * 32];
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++) c[(row + r * 32) * n + column + s * 32] = sums[r][s];
}
template __global__ void products_two_by_two<64>(const float *, const float *, float *, int);

// Places by a known divisor that is no power of two.
template __global__ void folded<7>(const int *, int *, int, int);

// Sums of 16-bit numbers, one a load, or eight.
extern "C" __global__ void halves_one(const unsigned short *x, int *y, int each) {
    int sum = 0;
    for (int i = 0; i < each; i++) sum += x[i * N_THREADS + THREAD];
    y[THREAD] = sum;
}

extern "C" __global__ void halves_eight(const uint4 *x, int *y, int each) {
    int sum = 0;
    for (int i = 0; i < each / 8; i++) {
        uint4 v = x[i * N_THREADS + THREAD];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) sum += (words[k] & 0xffff) + (words[k] >> 16);
    }
    y[THREAD] = sum;
}

// Products of 128 x 128 tiles, 8 x 8 elements a thread; and by tensor cores in TF32, a warp 32 x 64 elements.
extern "C" __global__ void __launch_bounds__(256) products_by_floats(const float *a, const float *b, float *c, int n) {
    __shared__ float as[8][132], bs[8][128];
    int t = threadIdx.x, x = t % 16, y = t / 16, row = blockIdx.y * 128, column = blockIdx.x * 128;
    float sums[8][8] = {};
    for (int k = 0; k < n; k += 8) {
        float4 p = *(const float4 *)&a[(row + t / 2) * n + k + t % 2 * 4];
        float4 q = *(const float4 *)&b[(k + t / 32) * n + column + t % 32 * 4];
        int at = t % 2 * 4;
        as[at][t / 2] = p.x, as[at + 1][t / 2] = p.y, as[at + 2][t / 2] = p.z, as[at + 3][t / 2] = p.w;
        *(float4 *)&bs[t / 32][t % 32 * 4] = q;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float u[8], v[8];
            for (int j = 0; j < 8; j++) u[j] = as[i][y * 8 + j];
            for (int j = 0; j < 4; j++) v[j] = bs[i][x * 4 + j], v[j + 4] = bs[i][64 + x * 4 + j];
            for (int r = 0; r < 8; r++)
                for (int s = 0; s < 8; s++) sums[r][s] += u[r] * v[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++)
        for (int s = 0; s < 8; s++) c[(row + y * 8 + r) * n + column + s / 4 * 64 + x * 4 + s % 4] = sums[r][s];
}

extern "C" __global__ void __launch_bounds__(256) products_by_tensor_cores(const float *a, const float *b, float *c, int n) {
    __shared__ float as[128][36], bs[32][136];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, l = lane % 4;
    int row = blockIdx.y * 128, column = blockIdx.x * 128, top = warp % 4 * 32, left = warp / 4 * 64;
    float sums[2][8][4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 4; j++) {
            int r = t / 8 + j * 32, s = t / 32 + j * 8;
            *(float4 *)&as[r][t % 8 * 4] = *(const float4 *)&a[(row + r) * n + k + t % 8 * 4];
            *(float4 *)&bs[s][t % 32 * 4] = *(const float4 *)&b[(k + s) * n + column + t % 32 * 4];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i += 8) {
            unsigned u[2][4], v[8][2];
            for (int r = 0; r < 2; r++)
                for (int j = 0; j < 4; j++)
                    u[r][j] = __float_as_uint(as[top + r * 16 + g + j % 2 * 8][i + l + j / 2 * 4]);
            for (int s = 0; s < 8; s++)
                for (int j = 0; j < 2; j++) v[s][j] = __float_as_uint(bs[i + l + j * 4][left + s * 8 + g]);
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 8; s++)
                    asm volatile(
                        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(sums[r][s][0]), "+f"(sums[r][s][1]), "+f"(sums[r][s][2]), "+f"(sums[r][s][3])
                        : "r"(u[r][0]), "r"(u[r][1]), "r"(u[r][2]), "r"(u[r][3]), "r"(v[s][0]), "r"(v[s][1]));
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 8; s++)
            for (int j = 0; j < 2; j++) {
                float *to = &c[(row + top + r * 16 + g + j * 8) * n + column + left + s * 8 + l * 2];
                to[0] = sums[r][s][2 * j], to[1] = sums[r][s][2 * j + 1];
            }
}

// Powers of two, all by the special functions; or every second one by a polynomial.
__device__ float power(float v) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(v));
    return y;
}

__device__ float power_by_polynomial(float v) {
    float whole = v + 12582912.0f, part = v - (whole - 12582912.0f);
    float y = 1.0f + part * (0.693147f + part * (0.240227f + part * 0.055504f));
    return __int_as_float(__float_as_int(y) + (__float_as_int(whole) << 23));
}

template <int HALF> __global__ void powers(const float *x, float *y, int rounds) {
    float u = x[THREAD], v = 0.5f * u, sum = 0.0f;
    for (int i = 0; i < rounds; i++) {
        sum += power(u) + (HALF ? power_by_polynomial(v) : power(v));
        u -= 0.001f, v += 0.001f;
    }
    y[THREAD] = sum;
}
template __global__ void powers<0>(const float *, float *, int);
template __global__ void powers<1>(const float *, float *, int);
