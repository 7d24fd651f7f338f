// Integer arithmetic of every width, division, shifts, bit games.
#include <stdint.h>

extern "C" __global__ void widths(const int *a, const unsigned *b, const long long *c, const unsigned long long *d,
                                  const short *s, const unsigned char *u, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = c[i];
    unsigned long long y = d[i];
    int p = a[i];
    unsigned q = b[i];
    x += (long long)p * q + s[i] * 3 - u[i];
    y = y * 0x9E3779B97F4A7C15ull + (y >> 29) + ((unsigned long long)q << 7);
    x ^= (long long)(y >> (q & 63)) | (x << (p & 63)) | (x >> (p & 31));
    out[i] = x + (long long)y - __mulhi(p, (int)q) - __umulhi(q, (unsigned)p) - __mul64hi(x, c[i]) + __umul64hi(y, d[i]);
}

extern "C" __global__ void division(const int *a, const unsigned *b, const long long *c, const unsigned long long *d,
                                    int *out, long long *wide, int n, int m, unsigned k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] / m + a[i] % 7 + (int)(b[i] / k) - (int)(b[i] % 10u) + a[i] / (int)b[i] + a[i] % (m + 1);
    wide[i] = c[i] / (m + 3LL) + c[i] % (1LL + k) + (long long)(d[i] / (b[i] + 5ull)) + (long long)(d[i] % 1000003ull);
}

extern "C" __global__ void bits(const unsigned *a, const int *b, unsigned *out, int n, unsigned lo, unsigned len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], r = 0;
    int y = b[i];
    r += __popc(x) + __clz(y) + __ffs(y) + __brev(x) + __popcll(((unsigned long long)x << 32) | (unsigned)y);
    r ^= __clzll(((long long)y << 20) ^ x) + (unsigned)__brevll(((unsigned long long)x << 17) + y);
    r ^= __byte_perm(x, (unsigned)y, 0x3210 + (i & 7)) + __byte_perm(x, (unsigned)y, 0x5410);
    r += __funnelshift_l(x, (unsigned)y, i) ^ __funnelshift_r(x, (unsigned)y, 11) ^ __funnelshift_lc(x, (unsigned)y, i);
    r -= __sad(y, (int)x, r) + __usad(x, (unsigned)y, r) + abs(y) + min(y, 17) + max(x, 99u);
    r += __hadd(y, (int)x) + __rhadd(y, (int)x) + __mul24(y, (int)x) + __dp4a(y, (int)x, (int)r) + __dp4a(x, x, r);
    r ^= __vadd4(x, (unsigned)y) + __vmaxs2(x, (unsigned)y) + __vcmpeq4(x, (unsigned)y) + __vabsdiffu4(x, (unsigned)y);
    unsigned field, other;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(lo), "r"(len));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(other) : "r"(x), "r"((unsigned)y), "r"(lo), "r"(len));
    int sfield, found;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(sfield) : "r"(y), "r"(lo), "r"(len));
    asm("bfind.s32 %0, %1;" : "=r"(found) : "r"(y));
    unsigned shifted, mask;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(shifted) : "r"(x));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(lo), "r"(len));
    int narrow;
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(narrow) : "r"(y), "r"(len));
    out[i] = r + field + other + sfield + found + shifted + mask + narrow;
}

extern "C" __global__ void minmax(const int *a, const int *b, const int *c, int *out, unsigned *uout,
                                  const long long *w, long long *wout, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = min(max(a[i], b[i]), c[i]) + max(a[i] + b[i], c[i]) + (a[i] > b[i] ? c[i] : -a[i]);
    uout[i] = max(min((unsigned)a[i], (unsigned)b[i]), (unsigned)c[i] + 3u);
    wout[i] = max(min(w[i], w[i + 1]), -5LL) + (w[i] > w[i + 2] && a[i] != 0 || b[i] <= 3 ? 4 : llabs(w[i]));
}

extern "C" __global__ void bytes(const uchar4 *a, const signed char *b, const short *s, unsigned short *out,
                                 unsigned char *bout, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 v = a[i];
    out[i] = (unsigned short)(v.x * v.y + v.z - v.w + b[i] * s[i]);
    bout[i] = (unsigned char)(v.x > v.y ? b[i] : v.z) + (unsigned char)(s[i] >> 3);
}

extern "C" __global__ void carries(const unsigned *a, const unsigned *b, unsigned *out) {
    unsigned t = threadIdx.x, r[4];
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a[t]), "r"(a[t + 1]), "r"(a[t + 2]), "r"(a[t + 3]), "r"(b[t]), "r"(b[t + 1]), "r"(b[t + 2]), "r"(b[t + 3]));
    asm("sub.cc.u32 %0, %0, %4; subc.cc.u32 %1, %1, %5; subc.cc.u32 %2, %2, %6; subc.u32 %3, %3, %7;"
        : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "r"(b[t + 9]), "r"(b[t + 8]), "r"(a[t + 7]), "r"(a[t + 6]));
    asm("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.u32 %1, %2, %3, %1;" : "+r"(r[0]), "+r"(r[1]) : "r"(r[2]), "r"(r[3]));
    unsigned __int128 w = ((unsigned __int128)r[3] << 64 | r[2]) * (((unsigned __int128)r[1] << 32) | r[0]);
    out[t] = r[0] ^ r[1] ^ r[2] ^ r[3] ^ (unsigned)(w >> 91) ^ (unsigned)w;
}
