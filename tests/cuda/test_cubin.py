"""Cubins taken apart, whole and damaged."""

import contextlib
import dataclasses
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import cuda
from gpusim.cuda import CubinError, nvrtc
from gpusim.cuda.cubin import parse
from gpusim.cuda.headers import HEADERS
from gpusim.cuda.options import options as checked
from gpusim.cuda.relocate import initial, relocate
from tests.cuda.conftest import ARCHITECTURES, SOURCES

pytestmark = pytest.mark.usefixtures("compiler")


# Static shared bytes, launch bounds, barriers, offset and size of each parameter.
PLAIN = {
    "scale": (0, 1024, 0, [(0, 8), (8, 8), (16, 4), (20, 4)]),
    "reverse": (512, 128, 1, [(0, 8)]),
    "rotate_dynamic": (0, 1024, 1, [(0, 8), (8, 4)]),
    "stack": (0, 1024, 0, [(0, 8), (8, 4)]),
    "mixed": (0, 1024, 0, [(0, 4), (4, 4), (8, 1), (16, 8), (24, 2), (32, 24), (56, 1), (64, 8)]),
    "nothing": (0, 1024, 0, []),
}
# What ``cuobjdump -res-usage`` says of registers and stack, for sm_90.
USAGE = {
    (13, 0): {"scale": (10, 0), "reverse": (10, 0), "rotate_dynamic": (12, 0), "mixed": (10, 0), "nothing": (4, 0)},
    (13, 5): {"scale": (10, 0), "reverse": (10, 0), "rotate_dynamic": (12, 0), "mixed": (10, 0), "nothing": (4, 0)},
}


@pytest.fixture(scope="module")
def plain():
    return cuda.compile(SOURCES / "plain.cu", gpu="sm_90").cubin


@pytest.fixture(scope="module")
def variables():
    return cuda.compile(SOURCES / "variables.cu", gpu="sm_90").cubin


@pytest.mark.parametrize("arch", [*ARCHITECTURES, "sm_90a"])
def test_every_kernel_comes_out_as_written(arch):
    cubin = cuda.compile(SOURCES / "plain.cu", gpu=arch).cubin
    assert cubin.arch == arch
    found = {
        name: (code.shared_bytes, code.max_threads, code.barriers, [tuple(place) for place in code.parameters])
        for name, code in cubin.kernels.items()
    }
    assert found == PLAIN
    for code in cubin.kernels.values():
        assert len(code.code) % 128 == 0
        assert code.shared_alignment == 128
        assert (code.local_bytes > 0) == (code.name == "stack")
        assert code.relocations == ()


def test_registers_and_stack_are_those_of_the_compiler(plain):
    usage = USAGE.get(nvrtc.version())
    if usage is None:
        pytest.skip(f"registers are not known for {nvrtc.name()}")
    found = {name: (code.registers, code.local_bytes) for name, code in plain.kernels.items() if name in usage}
    assert found == usage


def test_lines_change_no_instruction(plain):
    """``-lineinfo``, which is always on, against the same without."""
    text = (SOURCES / "plain.cu").read_text()
    chosen = checked("sm_90")
    without = type("Without", (), {"arch": "sm_90", "device": lambda self: self})()
    without.command = lambda: [word for word in chosen.command() if word != "-lineinfo"]
    other = parse(nvrtc.compile_source(text, "plain.cu", without, (), HEADERS).cubin)
    assert b".debug_line" in plain.data
    assert b".debug_line" not in other.data
    assert {n: (k.code, k.banks) for n, k in other.kernels.items()} == {
        n: (k.code, k.banks) for n, k in plain.kernels.items()
    }


def test_variables_and_constants_have_names_sizes_and_contents(variables):
    sizes = {variable.name: variable.nbytes for variable in variables.variables}
    assert {"table": 16, "zeros": 400, "into": 8}.items() <= sizes.items()
    assert {(one.name, one.nbytes) for one in variables.constants} == {("weights", 64), ("offsets", 12)}
    table = next(one for one in variables.variables if one.name == "table")
    assert table.data == b"".join(number.to_bytes(4, "little") for number in (1, 2, 3, 4))
    offsets = next(one for one in variables.constants if one.name == "offsets")
    assert variables.kernels["lookup"].banks[3][offsets.offset :][:12] == bytes([7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0])


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_addresses_are_filled_in(arch):
    cubin = cuda.compile(SOURCES / "variables.cu", gpu=arch).cubin
    kernel = cubin.kernels["lookup"]
    symbols = {fix.symbol for fix in kernel.relocations}
    assert {"table", "zeros", "into", "vprintf"} <= symbols
    where = {symbol: 0x7F00_0000_0000 + 0x1000 * position for position, symbol in enumerate(sorted(symbols))}
    filled = relocate(kernel, where.__getitem__)
    assert filled.relocations == ()
    for fix in kernel.relocations:
        assert fix.section == "bank4"
        assert int.from_bytes(filled.banks[4][fix.offset :][:8], "little") == where[fix.symbol]
    into = next(one for one in cubin.variables if one.name == "into")
    assert int.from_bytes(initial(into, where.__getitem__), "little") == where["table"] + 8


def test_zeros_need_no_bytes(variables):
    zeros = next(one for one in variables.variables if one.name == "zeros")
    assert zeros.data == b""
    assert initial(zeros, lambda symbol: 0) == bytes(400)


def test_an_address_of_unknown_kind_is_refused(variables):
    kernel = variables.kernels["lookup"]
    odd = dataclasses.replace(kernel, relocations=(kernel.relocations[0]._replace(kind=99),))
    with pytest.raises(CubinError, match="kind \\(99\\) that is not known"):
        relocate(odd, lambda symbol: 0)


def test_files_of_cuda_12_number_architectures_elsewhere(plain):
    data = bytearray(plain.data)
    data[7:9] = 0x33, 7
    data[48:52] = (0x5A055A).to_bytes(4, "little")
    assert parse(bytes(data)).arch == "sm_90"
    data[49] = 0x0D
    assert parse(bytes(data).replace(b"-arch sm_90", b"-hcra sm_90")).arch == "sm_90a"
    data[8] = 9
    with pytest.raises(CubinError, match="not that of CUDA 12 or 13"):
        parse(bytes(data))


def test_parameters_lie_where_the_architecture_has_them(plain):
    area = (24 << 16 | 0x210).to_bytes(4, "little")
    assert plain.data.count(area) > 0
    with pytest.raises(CubinError, match=r"parameters of kernel .* are at 0x220, not at 0x210"):
        parse(plain.data.replace(area, (24 << 16 | 0x220).to_bytes(4, "little")))


def test_machine_code_for_an_architecture_of_which_nothing_is_known_is_refused(plain):
    data = bytearray(plain.data.replace(b"-arch sm_90", b"-arch sm_77"))
    data[49] = 77
    with pytest.raises(CubinError, match="unknown architecture 'sm_77'"):
        parse(bytes(data))


@settings(max_examples=300)
@given(data=st.data())
def test_a_truncated_file_is_refused(plain, data):
    length = data.draw(st.integers(0, len(plain.data) - 1))
    (needed,) = struct.unpack_from("<Q", plain.data, 32)  # program headers come last, and are not read
    with contextlib.nullcontext() if length >= needed else pytest.raises(CubinError):
        parse(plain.data[:length])


@settings(max_examples=500)
@given(data=st.data())
def test_flipped_bytes_never_crash(variables, data):
    bad = bytearray(variables.data)
    for _ in range(data.draw(st.integers(1, 8))):
        bad[data.draw(st.integers(0, len(bad) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(CubinError):
        parsed = parse(bytes(bad))
        for kernel in parsed.kernels.values():
            relocate(kernel, lambda symbol: 1 << 40)
        for variable in parsed.variables:
            initial(variable, lambda symbol: 1 << 40)


@given(st.binary(max_size=200))
def test_noise_is_refused(noise):
    with pytest.raises(CubinError):
        parse(b"\x7fELF\x02\x01" + noise)
