// CUB's iterators, which are Thrust's since CUDA 13.
#if __CUDACC_VER_MAJOR__ >= 13
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
namespace cub {
template <class Value, class F, class Iterator, class Offset = ptrdiff_t>
using TransformInputIterator = ::thrust::transform_iterator<F, Iterator, Value, Value>;
template <class Value, class Offset = ptrdiff_t> using CountingInputIterator = ::thrust::counting_iterator<Value>;
template <class Value, class Offset = ptrdiff_t> using ConstantInputIterator = ::thrust::constant_iterator<Value>;
}
#endif
