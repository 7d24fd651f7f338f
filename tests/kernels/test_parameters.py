"""Parameters of an algorithm: aliases, defaults, and what a wrong one is told."""

import numpy as np
import pytest

from gpusim.catalogue import lookup
from gpusim.catalogue.formulas import FormulaError, pretty, read_formula
from gpusim.errors import ParameterError

TILED = lookup.get("matmul-tiled")


def test_a_word_for_several_sizes_yields_to_a_word_for_one():
    assert TILED.bind(n=64, m=32) == {"M": 32, "N": 64, "K": 64, "T": 32}
    assert TILED.bind(m=32, n=64) == TILED.bind(n=64, m=32)
    assert TILED.bind(n=64, N=8, tile=16) == {"M": 64, "N": 8, "K": 64, "T": 16}


@pytest.mark.parametrize("algorithm", lookup.search([], hidden=True), ids=lambda algorithm: algorithm.name)
def test_every_word_sets_parameters_that_there_are(algorithm):
    set_by = [*algorithm.aliases.values(), *algorithm.rules.values()]
    assert {target for targets in set_by for target in targets} <= set(algorithm.defaults)


def test_defaults_come_from_the_algorithm_and_the_description():
    assert TILED.bind() == {"M": 1024, "N": 1024, "K": 1024, "T": 32}
    assert lookup.get("divergence").bind() == {"N": 1 << 20, "w": 2, "B": 256}


def test_numpy_integers_are_integers():
    bound = TILED.bind(n=np.int64(100))
    assert bound["M"] == 100
    assert type(bound["M"]) is int


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("matmul-tiled", {"n": 0}, "n must be at least 1, not 0"),
        ("matmul-tiled", {"K": -5}, "K must be at least 1, not -5"),
        ("matmul-tiled", {"n": 2**31}, "does not fit a 32-bit int"),
        ("matmul-tiled", {"n": 10.5}, "n must be an integer, not 10.5"),
        ("matmul-tiled", {"n": True}, "n must be an integer, not True"),
        ("matmul-tiled", {"n": "64"}, "n must be an integer, not '64'"),
        ("matmul-tiled", {"tiel": 16}, "unknown parameter of matmul-tiled 'tiel': did you mean tile"),
        ("matmul-tiled", {"tile": 33}, "T is at most 32"),
        ("copy-vec4", {"N": 10}, "N must be a multiple of 4"),
        ("copy-offset", {"o": -1}, "o must be 0 or more"),
        ("divergence", {"w": 5}, "w must be 1, 2, 3 or 4"),
        ("reduce-sequential", {"B": 96}, "B must be a power of two"),
        ("reduce-shuffle", {"B": 48}, "a multiple of 32"),
        ("softmax", {"B": 48}, "a multiple of 32"),
        ("layernorm", {"B": 2048}, "must fit a block of 1024"),
        ("dropout-residual", {"p": 256}, "0 <= p <= 255"),
        ("transpose", {"R": 5}, "R must divide T"),
        ("stencil5", {"X": 64, "Y": 32}, "must fit a block of 1024"),
        ("matmul-register-tiled", {"TM": 3}, "TM must divide BM"),
        ("matmul-register-tiled", {"TM": 2, "TN": 2}, "must fit a block of 1024"),
        ("matmul-register-tiled-vec4", {"k": 1023}, "K must be a multiple of 4"),
        ("matmul-register-tiled-vec4", {"TN": 2}, "TN must be a multiple of 4"),
    ],
)
def test_a_wrong_parameter_is_told_what_would_be_right(name, given, message):
    with pytest.raises(ValueError, match=message) as error:
        lookup.get(name).bind(**given)
    assert type(error.value) is not ValueError
    assert "\n" not in str(error.value)


def test_a_launch_has_grid_block_and_buffers():
    launch = TILED.launch(m=100, n=64, k=10, T=16)
    assert (launch.grid, launch.block) == ((4, 7, 1), (256, 1, 1))
    assert [(array.name, array.dtype, array.shape, array.intent) for array in launch.arrays] == [
        ("A", "f32", (100, 10), "in"),
        ("B", "f32", (10, 64), "in"),
        ("C", "f32", (100, 64), "out"),
    ]
    assert launch.arrays[0].nbytes == 4000


def test_shapes_may_be_expressions():
    shapes = {array.name: array.shape for array in lookup.get("copy-strided").launch(N=10, s=3).arrays}
    assert shapes == {"x": (30,), "y": (10,)}
    assert lookup.get("reduce-shuffle").launch(N=257).arrays[1].shape == (2,)
    assert lookup.get("copy-offset").launch(N=10, o=0).arrays[0].shape == (10,)


def test_formulas_are_read_strictly():
    with pytest.raises(FormulaError, match=r"uses Q; its parameters: M, N"):
        read_formula("M*Q", "mine", ["M", "N"])
    with pytest.raises(FormulaError, match=r"cannot read the formula 'M\*'"):
        read_formula("M*", "mine", ["M", "N"])


def test_names_that_sympy_gives_a_meaning_are_sizes():
    assert str(read_formula("N*S + E", "mine", ["N", "S", "E"])) == "E + N*S"


def test_the_textbook_reads_as_a_textbook():
    assert pretty("2*M*N*K/T") == "2MNK/T"
    assert TILED.textbook_text == "2MNK/T elements read, MN written"
    values = TILED.textbook_values(n=2048)
    assert values["reads"].nbytes == 2 * 2048**3 // 32 * 4
    assert values["compulsory"].nbytes == 2 * 2048**2 * 4


@pytest.mark.parametrize("algorithm", lookup.all(hidden=True), ids=lambda algorithm: algorithm.name)
def test_every_textbook_and_closed_form_can_be_evaluated(algorithm):
    values = algorithm.textbook_values()
    assert all(value.nbytes > 0 for value in values.values())
    assert {type(value.nbytes) for value in values.values()} == {int}
    arrays = {array.name for array in algorithm.launch().arrays}
    assert set(algorithm.elements()) in (arrays, set())


def test_tiles_follow_from_the_memory_on_chip():
    flash = lookup.get("flash-attention-1")
    assert flash.bind(M=25600, d=64) == {**flash.defaults, "Bc": 100, "Br": 64}
    assert flash.bind(M=25600, d=64, Br=32)["Br"] == 32
    assert flash.bind(M=1, d=64)["Bc"] == 1


def test_what_does_not_follow_is_said():
    flash = lookup.get("flash-attention-1")
    with pytest.raises(ParameterError, match="M must be at least 1, not 0"):
        flash.bind(M=0)
    with pytest.raises(ParameterError, match="Br threads"):
        lookup.get("flash-attention-1-swapped").bind(M=10**6, d=16)
