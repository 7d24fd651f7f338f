"""Which target is a source compiled for: that of its GPU, or the one with Hopper's own instructions?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cuda import targets, toolchain
from gpusim.cuda.cuda_errors import CompileError, CudaError, OptionError
from gpusim.launches import file as launch_file

PLAIN = "__global__ void k(int* x) { *x = 1; }"
HOPPER = '__global__ void k(int* x) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); *x = 1; }'
HOST = f"#include <vector>\n{HOPPER}\nint main() {{ std::vector<int> v(3); k<<<1, 128>>>(v.data()); }}\n"
ASKS = """
__global__ void k(int* x) {
#ifdef MACRO
  *x = 2;
#else
  *x = 1;
#endif
}
"""


@pytest.mark.parametrize(
    ("source", "arch"),
    [
        (PLAIN, "sm_90"),
        (HOPPER, "sm_90a"),
        (ASKS.replace("MACRO", "__CUDA_ARCH_FEAT_SM90_ALL"), "sm_90a"),
        (ASKS.replace("MACRO", "__CUDA_ARCH_SPECIFIC__"), "sm_90a"),
        (ASKS.replace("MACRO", "__CUDA_ARCH_FEAT_SM100_ALL"), "sm_90"),
        (ASKS.replace("MACRO", "NOT__CUDA_ARCH_FEAT_SM90_ALL"), "sm_90"),
        ("// __CUDA_ARCH_FEAT_SM90_ALL\n/* __CUDA_ARCH_SPECIFIC__\n */" + PLAIN, "sm_90"),
    ],
)
def test_hoppers_own_target_is_chosen_where_the_source_needs_it(source, arch):
    assert cuda.compile(source, gpu="h200").arch == arch


def test_a_header_of_the_users_may_ask(tmp_path):
    (tmp_path / "deeper.h").write_text("#if defined(__CUDA_ARCH_FEAT_SM90_ALL)\n#define FAST\n#endif\n")
    (tmp_path / "own.h").write_text('#include "deeper.h"\n')
    (tmp_path / "k.cu").write_text('#include "own.h"\n' + PLAIN)
    assert cuda.compile(tmp_path / "k.cu", gpu="h200").arch == "sm_90a"
    assert cuda.compile(tmp_path / "k.cu", gpu="h200", arch="sm_90").arch == "sm_90"


@pytest.mark.parametrize("compiler", ["nvcc", "NVRTC"])
def test_host_code_makes_no_difference(compiler, monkeypatch):
    if compiler == "NVRTC":
        monkeypatch.setattr(toolchain, "find_nvcc", lambda: None)
    elif toolchain.find_nvcc() is None:
        pytest.skip("there is no nvcc")
    made = cuda.compile(HOST, gpu="h200")
    assert made.arch == "sm_90a"
    assert made.compiler.startswith(compiler)


def test_the_user_may_say_it():
    assert cuda.compile(PLAIN, gpu="h200", arch="sm_90a").arch == "sm_90a"
    with pytest.raises(CompileError, match=r"not supported on \.target 'sm_90'"):
        cuda.compile(HOPPER, gpu="h200", arch="sm_90")
    with pytest.raises(OptionError, match="code for 'sm_80' does not run on sm_90: it runs sm_90 and sm_90a"):
        cuda.compile(PLAIN, gpu="h200", arch="sm_80")
    with pytest.raises(OptionError, match="code for 'sm_90a' does not run on sm_80: it runs sm_80"):
        cuda.compile(PLAIN, gpu="a100-40gb", arch="sm_90a")


def test_other_gpus_have_no_such_instructions():
    assert targets.of_gpu("sm_80") == ("sm_80",)
    with pytest.raises(CompileError, match=r"not supported on \.target 'sm_80'"):
        cuda.compile(HOPPER, gpu="a100-40gb")
    with pytest.raises(CompileError, match=r"not supported on \.target 'sm_90a'"):
        cuda.compile('__global__ void k() { asm volatile("tcgen05.wait::ld.sync.aligned;"); }', gpu="h200")


def test_a_cubin_is_for_the_target_that_is_named(tmp_path):
    (tmp_path / "k.cubin").write_bytes(cuda.compile(PLAIN, gpu="h200").cubin.data)
    assert cuda.compile(tmp_path / "k.cubin", gpu="h200").arch == "sm_90"
    with pytest.raises(CudaError, match="is machine code for sm_90, not for sm_90a"):
        cuda.compile(tmp_path / "k.cubin", gpu="h200", arch="sm_90a")


def test_a_launch_file_may_say_it(tmp_path: Path):
    (tmp_path / "k.cu").write_text(PLAIN)
    entry = {"id": "one", "source": "k.cu", "grid": [1], "block": [32], "arch": "sm_90a"}
    (tmp_path / "all.json").write_text(json.dumps([entry]))
    (spec,) = launch_file.read(tmp_path / "all.json")
    assert spec.compile("h200").arch == "sm_90a"
    assert spec.to_json(tmp_path)["arch"] == "sm_90a"
    assert "arch" not in replace(spec, arch=None).to_json(tmp_path)


TENSOR_MEMORY = {
    "alloc or dealloc": '"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(s) : "memory"',
    "mma": '"{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %0, p;}" ::"r"(s),'
    ' "l"(d)',
    "commit": '"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(s)',
    "cp": '"tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(s), "l"(d)',
    "shift": '"tcgen05.shift.cta_group::1.down [%0];" ::"r"(s)',
    "ld": '"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(out[0]) : "r"(s)',
    "st": '"tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%0};" ::"r"(s)',
}


@pytest.mark.parametrize("name", TENSOR_MEMORY)
def test_tensor_memory_of_blackwell_is_refused_by_name(name, tmp_path):
    body = f"asm volatile({TENSOR_MEMORY[name]});"
    source = f"__global__ void k(unsigned* out, unsigned s, unsigned long long d) {{\n{body}\n}}"
    made = cuda.compile(source, gpu="b200", arch="sm_100a")
    (tmp_path / "k.cubin").write_bytes(made.cubin.data)
    for module in (made, cuda.compile(tmp_path / "k.cubin", gpu="b200", arch="sm_100a")):
        with pytest.raises(
            CudaError, match=rf"kernel.cu:2: k: instruction at 0x\w+ \(.*\) is tcgen05.{name}: Blackwell"
        ):
            gpusim.profile(module.kernel(), 1, 32, [np.zeros(32, np.uint32), np.uint32(0), np.uint64(0)], gpu="b200")
