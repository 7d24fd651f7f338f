// CUB's functors, which are libcu++'s since CUDA 13.
#if __CUDACC_VER_MAJOR__ >= 13
#include <cuda/functional>
#include <cuda/std/functional>
#include <cub/util_type.cuh>
namespace cub {
using Sum = ::cuda::std::plus<>;
using Difference = ::cuda::std::minus<>;
using Division = ::cuda::std::divides<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;
using Equality = ::cuda::std::equal_to<>;
using Inequality = ::cuda::std::not_equal_to<>;
struct ArgMax {
  template <class T, class Key>
  __host__ __device__ KeyValuePair<Key, T> operator()(KeyValuePair<Key, T> a, KeyValuePair<Key, T> b) const {
    return (b.value > a.value) || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class Key>
  __host__ __device__ KeyValuePair<Key, T> operator()(KeyValuePair<Key, T> a, KeyValuePair<Key, T> b) const {
    return (b.value < a.value) || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
}
#endif
