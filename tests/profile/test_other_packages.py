"""Kernels and arrays of other packages: compiled without a GPU, and launched as one's own."""

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError, ParameterError

pytestmark = pytest.mark.usefixtures("compiler")

SCALE = 'extern "C" __global__ void scale(float* x, float by, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; '
SCALE += "if (i < n) x[i] *= by * TIMES; }"
TEMPLATE = """
template <class T> __global__ void fill(T* x, T with) { x[blockIdx.x * blockDim.x + threadIdx.x] = with; }
extern "C" __global__ void nothing() {}
"""


def numbers(count):
    return np.arange(count, dtype=np.float32)


class Lent:
    """What gives itself by DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.device


class TestArrays:
    @pytest.fixture
    def kernel(self, compiler):
        return cuda.compile(SCALE + "\n", gpu="h200", defines={"TIMES": 2}).kernel()

    def test_what_gives_itself_by_dlpack_holds_the_results(self, kernel):
        x = numbers(64)
        gpusim.profile(kernel, 2, 32, [Lent(x), 3.0, 64])
        np.testing.assert_array_equal(x, 6 * numbers(64))

    def test_a_tensor_of_pytorch_holds_the_results(self, kernel):
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        x = torch.arange(64, dtype=torch.float32, requires_grad=True)
        gpusim.profile(kernel, 2, 32, [x, 3.0, 64])
        np.testing.assert_array_equal(x.detach().numpy(), 6 * numbers(64))

    def test_an_array_on_a_gpu_is_refused(self, kernel):
        with pytest.raises(ParameterError, match="argument 1 lies on a GPU"):
            gpusim.profile(kernel, 2, 32, [Lent(numbers(64), (2, 0)), 3.0, 64])

    def test_what_is_no_kernel_is_refused_with_what_would_be_one(self):
        with pytest.raises(ParameterError, match=r"or one of cupy, numba, warp, not str"):
            gpusim.profile("scale", 1, 32, [])

    def test_a_name_chooses_no_kernel_of_a_kernel(self, kernel):
        with pytest.raises(ParameterError, match="scale is one already"):
            gpusim.profile(kernel, 2, 32, [numbers(64), 3.0, 64], name="other")


class TestCuPy:
    @pytest.fixture
    def cupy(self):
        return pytest.importorskip("cupy", reason="CuPy is not installed", exc_type=ImportError)

    def test_a_raw_kernel_is_compiled_with_its_options(self, cupy):
        x = numbers(64)
        found = gpusim.profile(cupy.RawKernel(SCALE, "scale", ("-DTIMES=5",)), (2,), (32,), (x, np.float32(2), 64))
        np.testing.assert_array_equal(x, 10 * numbers(64))
        assert found.kernel == "scale"

    def test_a_raw_module_has_the_instance_that_is_named(self, cupy):
        x = np.zeros(64, np.int32)
        module = cupy.RawModule(code=TEMPLATE, options=("-std=c++17",), name_expressions=["fill<int>", "fill<double>"])
        gpusim.profile(module, 2, 32, [x, 7], name="fill<int>")
        assert (x == 7).all()
        with pytest.raises(GpusimError, match="nothing"):
            gpusim.profile(module, 2, 32, [x, 7])

    def test_cupys_own_headers_are_found(self, cupy):
        x = np.ones(32, np.complex64)
        source = "#include <cupy/complex.cuh>\n" + 'extern "C" __global__ void turn(complex<float>* x) {'
        source += " x[threadIdx.x] *= complex<float>(0, 2); }"
        gpusim.profile(cupy.RawKernel(source, "turn"), 1, 32, [x])
        np.testing.assert_array_equal(x, np.full(32, 2j, np.complex64))

    def test_another_kind_of_kernel_is_refused(self, cupy):
        kernel = cupy.ElementwiseKernel("float32 x", "float32 y", "y = x", "same")
        with pytest.raises(ParameterError, match="RawKernel and RawModule are taken, not ElementwiseKernel"):
            gpusim.profile(kernel, 1, 32, [])


class TestNumba:
    @pytest.fixture
    def jit(self):
        pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
        return pytest.importorskip("numba.cuda").jit

    def test_a_function_is_compiled_for_the_types_of_its_arguments(self, jit):
        from numba import cuda as own

        def add(x, y, by, flag):
            i = own.grid(1)
            if flag and i < x.size:
                x[i] += by * y[i, 1]

        for kind in (np.float32, np.int64):
            x, y = np.ones(100, kind), np.arange(200, dtype=kind).reshape(100, 2)
            found = gpusim.profile(jit(add), 4, 32, [x, y, kind(3), True])
            np.testing.assert_array_equal(x, 1 + 3 * y[:, 1])
            assert found.kernel == "add"

    def test_a_view_with_gaps_is_written_where_it_lies(self, jit):
        from numba import cuda as own

        def one(x):
            x[own.threadIdx.x, own.blockIdx.x] = 1

        whole = np.zeros((64, 8))
        gpusim.profile(jit(one), 4, 32, [whole[::2, 1:8:2]])
        assert whole.sum() == 32 * 4
        assert (whole[::2, 1::2] == 1).all()

    def test_shared_memory_barriers_and_tuples(self, jit):
        import numba
        from numba import cuda as own

        def mirrored(pair, z):
            held = own.shared.array(64, numba.float32)
            i = own.threadIdx.x
            held[i] = pair[0][i] * pair[1]
            own.syncthreads()
            z[i] = held[63 - i]

        x, z = numbers(64), np.zeros(64, np.float32)
        gpusim.profile(jit(mirrored), 1, 64, [(x, np.float32(2)), z])
        np.testing.assert_array_equal(z, 2 * x[::-1])

    def test_what_numba_refuses_is_refused_in_a_line(self, jit):
        def wrong(x):
            x[0] = "text"

        with pytest.raises(GpusimError, match="wrong: Numba does not compile it: ") as caught:
            gpusim.profile(jit(wrong), 1, 32, [numbers(4)])
        assert "\n" not in str(caught.value)

    def test_the_number_of_arguments_is_that_of_the_function(self, jit):
        with pytest.raises(ParameterError, match=r"f takes 2 arguments \(a, b\), not 1"):
            gpusim.profile(jit(_of_two), 1, 32, [numbers(4)])


def _of_two(a, b):
    pass


_of_two.__name__ = "f"


class TestWarp:
    @pytest.fixture
    def wp(self):
        wp = pytest.importorskip("warp", reason="Warp is not installed")
        wp.config.quiet = True
        return wp

    def test_a_kernel_runs_on_arrays_of_numpy_and_of_warp(self, wp):
        from tests.profile.warp_kernels import moved

        x = np.arange(300, dtype=np.float32).reshape(100, 3)
        y = wp.zeros(100, dtype=float, device="cpu")
        found = gpusim.profile(moved, 100, 64, [x, 0.5, y])
        np.testing.assert_allclose(y.numpy(), 0.5 * x.sum(axis=1))
        assert (found.kernel, found.grid) == ("moved", (2, 1, 1))

    def test_points_of_two_dimensions(self, wp):
        from tests.profile.warp_kernels import indexed

        y = np.zeros((5, 40), np.int32)
        gpusim.profile(indexed, (5, 40), 256, [y])
        np.testing.assert_array_equal(y, 100 * np.arange(5)[:, None] + np.arange(40))

    def test_arguments_that_do_not_fit_are_refused(self, wp):
        from tests.profile.warp_kernels import indexed

        with pytest.raises(ParameterError, match="indexed takes 1 arguments"):
            gpusim.profile(indexed, (5, 40), 256, [])
        with pytest.raises(ParameterError, match="indexed"):
            gpusim.profile(indexed, (5, 40), 256, [np.zeros((5, 40))])
