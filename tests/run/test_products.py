"""Products of matrices in device memory, and what epilogues make of them, held against NumPy written out."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from gpusim.programs import products as P
from gpusim.programs.products import Matrix, Product, compute
from gpusim.programs.program_errors import ProgramError

NONE = Matrix(0, 0, 0, 0, 0, 0, 0)
M, N, K, AT = 5, 4, 3, 1024
"""``AT``: bytes from one matrix to the next."""


@pytest.fixture
def memory():
    held = np.zeros(8 * AT, np.uint8)
    return SimpleNamespace(at=lambda address, nbytes: held[address : address + nbytes])


def put(memory, number, values, kind=0, *, transposed=False):
    """A matrix column by column at a place of its own."""
    lying = np.asarray(values.T if transposed else values, P.TYPES[kind])
    made = Matrix(number * AT, *lying.shape, lying.shape[0], lying.size, kind, transposed)
    made.of(memory, 1)[0] = values
    return made


def values(rows, columns, seed):
    return np.random.default_rng(seed).integers(-8, 8, (rows, columns)) / 4


def computed(memory, kind=0, epilogue=P.NOTHING_MORE, across=0, **changed):
    """The result of ``2 A B``, with A, B, the bias and the auxiliary matrix that went in."""
    a, b, auxiliary = values(M, K, 1), values(K, N, 2), values(M, N, 3)
    asked = Product(
        put(memory, 1, a, kind), put(memory, 2, b, kind, transposed=True), NONE, put(memory, 3, np.zeros((M, N)), kind),
        put(memory, 4, values(across or M, 1, 4), kind), put(memory, 5, auxiliary, kind), 1, epilogue, 2.0, 0.0,
    )._replace(**changed)  # fmt: skip
    compute(asked, memory)
    left = [asked.d.of(memory, 1)[0], asked.bias.of(memory, 1)[0, :, 0], asked.auxiliary.of(memory, 1)[0]]
    return 2 * a @ b, a, b, auxiliary, *(np.asarray(one, np.float64) for one in left)


@pytest.mark.parametrize("kind", P.TYPES)
def test_a_product_is_of_any_type(memory, kind):
    if kind in (3, 10):
        a, b = put(memory, 1, np.full((M, K), 7), 3), put(memory, 2, np.full((K, N), -3), 3)
        d = put(memory, 3, np.zeros((M, N)), 10)
        compute(Product(a, b, NONE, d, NONE, NONE, 1, 1, 1.0, 0.0), memory)
        assert (d.of(memory, 1) == 7 * -3 * K).all()
        return
    want, *_, got, _, _ = computed(memory, kind)
    np.testing.assert_allclose(got, want, rtol=float(ml_dtypes.finfo(P.TYPES[kind]).eps))


def test_what_was_there_is_kept_in_part(memory):
    c = values(M, N, 9)
    want, *_, got, _, _ = computed(memory, c=put(memory, 6, c), beta=-1.0)
    np.testing.assert_allclose(got, want - c, rtol=1e-6)


def test_biases_activations_and_what_they_are_taken_of(memory):
    bias = values(M, 1, 4)
    want, *_, got, _, aux = computed(memory, epilogue=P.RELU | P.BIAS)
    np.testing.assert_allclose(got, np.maximum(want + bias, 0), rtol=1e-6)
    want, *_, got, _, aux = computed(memory, epilogue=P.GELU | P.AUXILIARY | P.BIAS)
    np.testing.assert_allclose(aux, want + bias, rtol=1e-6)
    inner = np.sqrt(2 / np.pi) * (aux + 0.044715 * aux**3)
    np.testing.assert_allclose(got, aux / 2 * (1 + np.tanh(inner)), rtol=1e-5, atol=1e-6)


def test_the_slope_of_gelu_is_that_of_its_values(memory):
    want, _, _, aux, got, _, _ = computed(memory, epilogue=P.GELU_GRADIENT | P.AUXILIARY)
    step = 1e-4
    slope = (P._gelu(aux + step) - P._gelu(aux - step)) / (2 * step)
    np.testing.assert_allclose(got, want * slope, rtol=1e-4, atol=1e-4)


def test_gradients_of_a_bias(memory):
    want, *_, bias, _ = computed(memory, epilogue=P.BIAS_GRADIENT)
    np.testing.assert_allclose(bias, want.sum(axis=1), rtol=1e-6)
    _, a, _, _, _, bias, _ = computed(memory, epilogue=P.A_GRADIENT)
    np.testing.assert_allclose(bias, a.sum(axis=1), rtol=1e-6)
    _, _, b, _, _, bias, _ = computed(memory, epilogue=P.B_GRADIENT, across=N)
    np.testing.assert_allclose(bias, b.sum(axis=0), rtol=1e-6)


def test_another_epilogue_is_refused(memory):
    with pytest.raises(ProgramError, match="epilogue 130"):
        computed(memory, epilogue=P.RELU | P.AUXILIARY)
