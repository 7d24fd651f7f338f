// What device code needs of PyTorch's headers, for sources whose PyTorch is not there, or is more than NVRTC takes.
//
// Structs lie in memory as PyTorch's do, so that machine code reads their fields where it would.  Functions compute
// what PyTorch's compute.  What only host code needs is left out.
//
// Source: PyTorch's c10/util/Half.h, BFloat16.h and complex.h, c10/macros/Macros.h, ATen/core/TensorAccessor.h,
// ATen/AccumulateType.h, ATen/cuda/Atomic.cuh, ATen/cuda/PhiloxCudaState.h and ATen/cuda/detail/TensorInfo.cuh.
#pragma once
#ifndef GPUSIM_PYTORCH
#define GPUSIM_PYTORCH
#include <cstdint>
#include <cassert>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuComplex.h>
#include <tuple>
#ifndef __CUDACC_RTC__
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#endif
namespace std {}
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_RESTRICT __restrict__
#define C10_UNLIKELY(condition) (condition)
#define C10_LIKELY(condition) (condition)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type) \
  int64_t _i_n_d_e_x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#endif
#define WARP_SHFL(value, lane, ...) __shfl_sync(0xffffffff, value, lane, ##__VA_ARGS__)
#define WARP_SHFL_XOR(value, mask, ...) __shfl_xor_sync(0xffffffff, value, mask, ##__VA_ARGS__)
#define WARP_SHFL_UP(value, delta, ...) __shfl_up_sync(0xffffffff, value, delta, ##__VA_ARGS__)
#define WARP_SHFL_DOWN(value, delta, ...) __shfl_down_sync(0xffffffff, value, delta, ##__VA_ARGS__)
#define WARP_BALLOT(predicate, ...) __ballot_sync(0xffffffff, predicate)
// Spelt out twice: gpusim reads the fields of structs where no macro makes them.
namespace c10 {
struct alignas(2) Half {
  unsigned short x;
  Half() = default;
  __host__ __device__ Half(float value) { *(__half *)this = __float2half(value); }
  __host__ __device__ Half(const __half &value) { *(__half *)this = value; }
  __host__ __device__ operator float() const { return __half2float(*(const __half *)this); }
  __host__ __device__ operator __half() const { return *(const __half *)this; }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  __host__ __device__ BFloat16(float value) { *(__nv_bfloat16 *)this = __float2bfloat16(value); }
  __host__ __device__ BFloat16(const __nv_bfloat16 &value) { *(__nv_bfloat16 *)this = value; }
  __host__ __device__ operator float() const { return __bfloat162float(*(const __nv_bfloat16 *)this); }
  __host__ __device__ operator __nv_bfloat16() const { return *(const __nv_bfloat16 *)this; }
};
#define GPUSIM_ARITHMETIC(Name, sign) \
  __host__ __device__ inline Name operator sign(const Name &a, const Name &b) { return (float)a sign (float)b; } \
  __host__ __device__ inline float operator sign(Name a, float b) { return (float)a sign b; } \
  __host__ __device__ inline float operator sign(float a, Name b) { return a sign (float)b; } \
  __host__ __device__ inline double operator sign(Name a, double b) { return (double)(float)a sign b; } \
  __host__ __device__ inline double operator sign(double a, Name b) { return a sign (double)(float)b; } \
  __host__ __device__ inline Name operator sign(Name a, int b) { return (float)a sign (float)b; } \
  __host__ __device__ inline Name operator sign(int a, Name b) { return (float)a sign (float)b; } \
  __host__ __device__ inline Name &operator sign##=(Name &a, const Name &b) { return a = a sign b; }
#define GPUSIM_COMPARISON(Name, sign) \
  __host__ __device__ inline bool operator sign(const Name &a, const Name &b) { return (float)a sign (float)b; }
#define GPUSIM_OPERATORS(Name) \
  GPUSIM_ARITHMETIC(Name, +) GPUSIM_ARITHMETIC(Name, -) \
  GPUSIM_ARITHMETIC(Name, *) GPUSIM_ARITHMETIC(Name, /) \
  GPUSIM_COMPARISON(Name, <) GPUSIM_COMPARISON(Name, >) \
  GPUSIM_COMPARISON(Name, <=) GPUSIM_COMPARISON(Name, >=) \
  GPUSIM_COMPARISON(Name, ==) GPUSIM_COMPARISON(Name, !=)
GPUSIM_OPERATORS(Half)
GPUSIM_OPERATORS(BFloat16)
}
namespace c10 {
template <typename T> struct alignas(2 * sizeof(T)) complex {
  T real_ = T(0);
  T imag_ = T(0);
  constexpr complex() = default;
  __host__ __device__ constexpr complex(const T &re, const T &im = T()) : real_(re), imag_(im) {}
  template <typename U> __host__ __device__ explicit constexpr complex(const complex<U> &other)
      : real_(other.real()), imag_(other.imag()) {}
  __host__ __device__ constexpr T real() const { return real_; }
  __host__ __device__ constexpr T imag() const { return imag_; }
  __host__ __device__ constexpr void real(T value) { real_ = value; }
  __host__ __device__ constexpr void imag(T value) { imag_ = value; }
  __host__ __device__ constexpr complex &operator+=(complex b) { return *this = {real_ + b.real_, imag_ + b.imag_}; }
  __host__ __device__ constexpr complex &operator-=(complex b) { return *this = {real_ - b.real_, imag_ - b.imag_}; }
  __host__ __device__ constexpr complex &operator*=(complex b) {
    return *this = {real_ * b.real_ - imag_ * b.imag_, real_ * b.imag_ + imag_ * b.real_};
  }
  __host__ __device__ constexpr complex &operator*=(T b) { return *this = {real_ * b, imag_ * b}; }
  __host__ __device__ constexpr complex &operator/=(T b) { return *this = {real_ / b, imag_ / b}; }
  __host__ __device__ constexpr complex operator-() const { return {-real_, -imag_}; }
  friend __host__ __device__ constexpr complex operator+(complex a, complex b) { return a += b; }
  friend __host__ __device__ constexpr complex operator-(complex a, complex b) { return a -= b; }
  friend __host__ __device__ constexpr complex operator*(complex a, complex b) { return a *= b; }
  friend __host__ __device__ constexpr complex operator*(complex a, T b) { return a *= b; }
  friend __host__ __device__ constexpr complex operator*(T a, complex b) { return b *= a; }
  friend __host__ __device__ constexpr complex operator/(complex a, T b) { return a /= b; }
  friend __host__ __device__ constexpr bool operator==(complex a, complex b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
};
}
namespace std {
template <typename T> __host__ __device__ constexpr c10::complex<T> conj(const c10::complex<T> &a) {
  return {a.real_, -a.imag_};
}
template <typename T> __host__ __device__ constexpr T real(const c10::complex<T> &a) { return a.real_; }
template <typename T> __host__ __device__ constexpr T imag(const c10::complex<T> &a) { return a.imag_; }
template <typename T> __host__ __device__ T abs(const c10::complex<T> &a) { return ::hypot(a.real_, a.imag_); }
}
namespace c10 {
typedef signed char DeviceIndex;
enum class ScalarType : signed char;
class Device;
class Scalar;
class Stream;
template <typename T> class ArrayRef;
template <typename T> class optional;
typedef ArrayRef<int64_t> IntArrayRef;
namespace cuda {
class CUDAStream;
}
}
namespace at {
using namespace c10;
class Tensor;
class TensorBase;
class TensorOptions;
typedef ArrayRef<Tensor> TensorList;
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct TensorAccessor {
  T *data_;
  const index_t *sizes_;
  const index_t *strides_;
  __host__ __device__ TensorAccessor(T *data, const index_t *sizes, const index_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ T *data() const { return data_; }
  __host__ __device__ decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1)
      return (data_[strides_[0] * i]);
    else
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct GenericPackedTensorAccessor {
  T *data_;
  index_t sizes_[N];
  index_t strides_[N];
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ T *data() const { return data_; }
  __device__ decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1)
      return (data_[strides_[0] * i]);
    else
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

template <typename T, bool is_cuda = true> struct AccumulateType { typedef T type; };
template <> struct AccumulateType<Half, true> { typedef float type; };
template <> struct AccumulateType<BFloat16, true> { typedef float type; };
template <> struct AccumulateType<__half, true> { typedef float type; };
template <> struct AccumulateType<int8_t, true> { typedef int64_t type; };
template <> struct AccumulateType<uint8_t, true> { typedef int64_t type; };
template <> struct AccumulateType<int16_t, true> { typedef int64_t type; };
template <> struct AccumulateType<int32_t, true> { typedef int64_t type; };
template <typename T, bool is_cuda = true> using acc_type = typename AccumulateType<T, is_cuda>::type;
template <typename T> using opmath_type = typename AccumulateType<T, true>::type;

struct PhiloxCudaState {
  union Payload {
    uint64_t val;
    int64_t *ptr;
  };
  Payload seed_;
  Payload offset_;
  uint64_t offset_intragraph_;
  bool captured_;
};
namespace cuda {
namespace philox {
__host__ __device__ inline auto unpack(PhiloxCudaState arg) {
  if (arg.captured_)
    return std::tuple<uint64_t, uint64_t>{(uint64_t)*arg.seed_.ptr, *arg.offset_.ptr + arg.offset_intragraph_};
  return std::tuple<uint64_t, uint64_t>{arg.seed_.val, arg.offset_.val};
}
}
namespace detail {
template <typename T, typename IndexType> struct TensorInfo {
  T *data;
  IndexType sizes[25];
  IndexType strides[25];
  int dims;
  __host__ __device__ bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};
template <typename T, typename IndexType, int Dims> struct IndexToOffset {
  static __host__ __device__ IndexType get(IndexType index, const TensorInfo<T, IndexType> &info) {
    IndexType offset = 0;
    for (int i = (Dims > 0 ? Dims : info.dims) - 1; i > 0; --i) {
      offset += index % info.sizes[i] * info.strides[i];
      index /= info.sizes[i];
    }
    return offset + index * info.strides[0];
  }
};
}
}
}
namespace torch {
using namespace at;
}
template <typename T> __device__ inline T gpuAtomicAdd(T *address, T value) { return atomicAdd(address, value); }
__device__ inline c10::Half gpuAtomicAdd(c10::Half *address, c10::Half value) {
  return atomicAdd((__half *)address, (__half)value);
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return atomicAdd((__nv_bfloat16 *)address, (__nv_bfloat16)value);
}
__device__ inline int64_t gpuAtomicAdd(int64_t *address, int64_t value) {
  return atomicAdd((unsigned long long *)address, (unsigned long long)value);
}
template <typename T> __device__ inline void gpuAtomicAddNoReturn(T *address, T value) { gpuAtomicAdd(address, value); }
__device__ inline c10::Half atomicAdd(c10::Half *address, c10::Half value) { return gpuAtomicAdd(address, value); }
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return gpuAtomicAdd(address, value);
}
__device__ inline int64_t atomicAdd(int64_t *address, int64_t value) { return gpuAtomicAdd(address, value); }
#endif
