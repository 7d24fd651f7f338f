// Thrust's functors of before CUDA 13.
#if __CUDACC_VER_MAJOR__ >= 13
#include <thrust/functional.h>
namespace thrust {
template <class T> struct identity {
  using argument_type = T;
  using result_type = T;
  __host__ __device__ const T &operator()(const T &x) const { return x; }
};
template <class A, class R> struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A, class B, class R> struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};
}
#endif
