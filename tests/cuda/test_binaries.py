"""Device code of PTX, fat binaries and programs is found, decompressed, and taken for the GPU that is asked for."""

import struct

import numpy as np
import pytest

import gpusim
from gpusim import GpusimError, cuda
from gpusim.cuda import fatbin, jitlink, toolchain
from gpusim.cuda.cuda_errors import MissingToolError

SOURCE = '__constant__ float by; extern "C" __global__ void {name}(float *x) {{ x[threadIdx.x] *= by + {name}_; }}'
PTX = """
.version 8.0
.target {target}
.address_size 64
.visible .entry fill(.param .u64 p) {{
    .reg .u64 %a; .reg .u32 %t; .reg .u64 %o;
    ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
    st.global.u32 [%a], %t; ret;
}}
"""


def cubin(name="scale", gpu="h200"):
    text = f"#define {name}_ 1\n" + SOURCE.format(name=name)
    return cuda.compile(text, gpu=gpu).cubin.data


def entry(kind, arch, data, flags=0x11, packed=b""):
    """An entry of a fat binary."""
    stored = packed or data
    padded = -(-len(stored) // 8) * 8
    sizes = (len(packed), len(data)) if packed else (0, 0)
    head = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, padded, sizes[0], 0, 0, 0, arch, 0, 0, flags, 0, sizes[1])
    return head + stored.ljust(padded, b"\0")


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<4sHHQ", fatbin.MAGIC, 1, 16, len(body)) + body


def compiled(tmp_path, data, gpu="h200", kernel=None, name="app"):
    (tmp_path / name).write_bytes(data)
    return cuda.compile(tmp_path / name, gpu=gpu, kernel=kernel)


def zstd(data):
    return entry(2, 90, data, 0x8011, pytest.importorskip("zstandard").ZstdCompressor().compress(data))


def lz4(data):
    return entry(2, 90, data, 0x2011, pytest.importorskip("lz4.block").compress(data, store_size=False))


@pytest.mark.parametrize("stored", [lambda data: entry(2, 90, data), zstd, lz4], ids=["plain", "zstd", "lz4"])
def test_a_fat_binary_is_read(tmp_path, stored):
    module = compiled(tmp_path, container(entry(2, 80, cubin(gpu="a100-40gb")), stored(cubin())))
    x = np.ones(32, np.float32)
    gpusim.profile(module.kernel(), 1, 32, [x], gpu="h200", symbols={"by": np.float32(4)})
    assert (x == 5).all()
    assert module.arch == "sm_90"


def test_a_gpu_takes_its_own_entry_and_is_told_what_there_is(tmp_path):
    data = container(entry(2, 80, cubin(gpu="a100-40gb")), entry(1, 90, PTX.format(target="sm_90").encode()))
    assert compiled(tmp_path, data, gpu="a100-40gb").arch == "sm_80"
    with pytest.raises(GpusimError, match="has machine code for sm_80, PTX for sm_90, and nothing that runs on sm_86"):
        compiled(tmp_path, data, gpu="rtx-a6000")


def test_kernels_of_several_units_are_one_module(tmp_path):
    data = container(entry(2, 90, cubin("one"))) + bytes(24) + container(entry(2, 90, cubin("two")))
    module = compiled(tmp_path, data)
    assert sorted(module.kernels) == ["one", "two"]
    assert compiled(tmp_path, data, kernel="two").kernel().symbol == "two"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (lambda whole: whole[:200], "cannot be read: it ends within a fat binary"),
        (lambda whole: container(), "no device code"),
        (lambda whole: container(entry(2, 90, whole)[:40]), "cannot be read"),
        (lambda whole: container(zstd(bytes(64))[:-9] + bytes(9)), "not compressed as it says"),
        (lambda whole: container(entry(2, 90, bytes(1 << 40 & 0), 0x8011, b"x")), "an entry of 0 bytes"),
        (lambda whole: b"\x7fELF" + bytes(8), "cannot be read: it ends within its header"),
        (lambda whole: b"!<arch>\n", "is a static library"),
    ],
)
def test_what_is_damaged_is_named(tmp_path, data, says):
    with pytest.raises(GpusimError, match=says):
        compiled(tmp_path, data(container(entry(2, 90, cubin()))))


def test_programs_of_nvcc_are_read(tmp_path):
    import subprocess

    compiler = toolchain.find_nvcc()
    if compiler is None:
        pytest.skip("there is no nvcc")
    pytest.importorskip("zstandard")
    text = "__global__ void k(float *x) { *x = 1; } int main() { k<<<1, 1>>>(nullptr); }"
    (tmp_path / "a.cu").write_text(text)
    for options in (["-o", "app"], ["-c", "-o", "app.o"], ["-shared", "-Xcompiler", "-fPIC", "-o", "app.so"],
                    ["-rdc=true", "-o", "app.rdc"]):  # fmt: skip
        subprocess.run([compiler.path, "-arch=sm_90", "a.cu", *options], cwd=tmp_path, check=True, capture_output=True)
        module = cuda.compile(tmp_path / options[-1], gpu="h200")
        assert [str(kernel) for kernel in module.kernels.values()] == ["k(float*)"]


@pytest.fixture
def jit():
    try:
        return toolchain.nvjitlink()
    except MissingToolError:
        pytest.skip("there is no nvJitLink")


@pytest.mark.usefixtures("jit")
def test_ptx_becomes_machine_code(tmp_path):
    module = compiled(tmp_path, PTX.format(target="sm_80").encode(), name="a.ptx")
    x = np.zeros(32, np.int32)
    gpusim.profile(module.kernel("fill"), 1, 32, [x], gpu="h200")
    np.testing.assert_array_equal(x, np.arange(32))
    assert (module.arch, module.compiler) == ("sm_90", "nvJitLink")


@pytest.mark.usefixtures("jit")
def test_ptx_that_is_wrong_is_what_nvjitlink_says(tmp_path):
    with pytest.raises(cuda.CompileError, match=r"a.ptx does not compile for sm_90 \(nvJitLink(.|\n)*u33"):
        compiled(tmp_path, PTX.format(target="sm_80").replace("st.global.u32", "st.global.u33").encode(), name="a.ptx")


@pytest.mark.parametrize(
    ("target", "arch", "gives"),
    [("sm_80", "sm_90", "sm_90"), ("sm_90a", "sm_90", "sm_90a"), ("sm_90", "sm_80", ""), ("sm_90a", "sm_100", "")],
)
def test_ptx_runs_on_its_target_and_later_ones(target, arch, gives):
    ptx = PTX.format(target=target).encode()
    if gives:
        assert jitlink.target_of(ptx, arch, "a.ptx") == gives
    else:
        with pytest.raises(GpusimError, match=f"PTX for {target}, which {arch} does not run"):
            jitlink.target_of(ptx, arch, "a.ptx")
