// What emitted kernels call for tensor cores and asynchronous copies, on the host: lanes exchange what they hold.
#pragma once

// Four matrices of 8 x 8 halves; lane 8 k + r names row r of matrix k.
inline void matrices(unsigned* d, const void* row, bool transposed) {
    const Exchange all = gather(~0u, reinterpret_cast<unsigned long long>(row));
    const unsigned first = this_lane() / 4, second = this_lane() % 4 * 2;
    for (int k = 0; k < 4; ++k) {
        auto half = [&](unsigned r, unsigned c) {
            return unsigned(reinterpret_cast<const unsigned short*>(all.values[8 * k + r])[c]);
        };
        d[k] = transposed ? half(second, first) | half(second + 1, first) << 16
                          : half(first, second) | half(first, second + 1) << 16;
    }
}
inline void load_matrices(unsigned& a, unsigned& b, unsigned& c, unsigned& d, const void* row) {
    unsigned loaded[4];
    matrices(loaded, row, false);
    a = loaded[0], b = loaded[1], c = loaded[2], d = loaded[3];
}
inline void load_transposed(unsigned& a, unsigned& b, unsigned& c, unsigned& d, const void* row) {
    unsigned loaded[4];
    matrices(loaded, row, true);
    a = loaded[0], b = loaded[1], c = loaded[2], d = loaded[3];
}

// sums += a b, with so many elements in a register; `element` gives the number that some bits are.
template <unsigned per, typename F>
void product(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2], F element) {
    const Exchange top = gather(~0u, a[0] | static_cast<unsigned long long>(a[1]) << 32);
    const Exchange bottom = gather(~0u, a[2] | static_cast<unsigned long long>(a[3]) << 32);
    const Exchange right = gather(~0u, b[0] | static_cast<unsigned long long>(b[1]) << 32);
    auto part = [&](unsigned long long registers, unsigned upper, unsigned e) {
        const unsigned word = unsigned(registers >> 32 * upper);
        return double(element(per == 1 ? word : word >> 32 / per * e & ((1ull << 32 / per) - 1)));
    };
    for (unsigned place = 0; place < 4; ++place) {
        const unsigned row = this_lane() / 4, column = this_lane() % 4 * 2 + place % 2;
        double sum = sums[place];
        for (unsigned k = 0; k < 8 * per; ++k) {
            const unsigned lane = k % (4 * per) / per, upper = k / (4 * per), e = k % per;
            const Exchange& left = upper ? bottom : top;
            sum += part(left.values[row * 4 + lane], place / 2, e) * part(right.values[column * 4 + lane], upper, e);
        }
        sums[place] = float(sum);
    }
}
inline void mma_f16(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    product<2>(sums, a, b, [](unsigned bits) { return __half2float({static_cast<unsigned short>(bits)}); });
}
inline void mma_bf16(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    product<2>(sums, a, b, [](unsigned bits) { return __int_as_float(int(bits << 16)); });
}
inline void mma_tf32(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    product<1>(sums, a, b, [](unsigned bits) { return __int_as_float(int(bits & ~0x1fffu)); });
}
inline void mma_e4m3(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    product<4>(sums, a, b, [](unsigned bits) {
        __nv_fp8_e4m3 x;
        x.bits = static_cast<unsigned char>(bits);
        return float(x);
    });
}
inline unsigned pair_f16(float low, float high) { return __float2half(low).bits | __float2half(high).bits << 16; }
inline unsigned pair_bf16(float low, float high) {
    return __float2bfloat16(low).bits | __float2bfloat16(high).bits << 16;
}

inline void copied(void* to, const void* from, bool there, int nbytes) {
    if (there) std::memcpy(to, from, nbytes);
    else std::memset(to, 0, nbytes);
}
inline void copy_async_4(void* to, const void* from, bool there) { copied(to, from, there, 4); }
inline void copy_async_8(void* to, const void* from, bool there) { copied(to, from, there, 8); }
inline void copy_async_16(void* to, const void* from, bool there) { copied(to, from, there, 16); }
inline void copy_commit() {}
template <int left> void copy_wait() {}
