"""Names of kernels from their symbols."""

import shutil
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpusim.cuda.demangle import demangle

# Symbols that NVRTC 13.0 gave such kernels.
NAMES = {
    "_Z1kIZ4mainEUlfE_EvT_Pf": "k<main::{lambda(float)#1}>(main::{lambda(float)#1}, float*)",
    "_ZN2ns1kIZNS_2goEvEUlvE0_fEEvT_PT0_": "ns::k<ns::go()::{lambda()#2}, float>(ns::go()::{lambda()#2}, float*)",
    "saxpy": "saxpy",
    "_Z6negatePfi": "negate(float*, int)",
    "_Z7nothingv": "nothing()",
    "_Z5sgemmILi128ELi8EEviifPKfS1_fPf": "sgemm<128, 8>(int, int, float, const float*, const float*, float, float*)",
    "_ZN2ns2k2ILNS_4ModeE1EEEvPi": "ns::k2<(ns::Mode)1>(int*)",
    "_ZN2ns2k1IfLi3ELb1EEEvNS_3VecIT_XT0_EEEPS2_RKNS_1PENS_4ModeE": (
        "ns::k1<float, 3, true>(ns::Vec<float, 3>, float*, const ns::P&, ns::Mode)"
    ),
    "_Z3redI6__half3AddIS0_EEvPKT_PS3_T0_i": "red<__half, Add<__half>>(const __half*, __half*, Add<__half>, int)",
    "_Z3varIJEEvDpT_": "var<>()",
    "_Z3varIJifPdEEvDpT_": "var<int, float, double*>(int, float, double*)",
    "_Z4litsILj4ELc97ELln5ELx6ELy7ELs8EEvPi": "lits<4u, (char)97, -5l, 6ll, 7ull, (short)8>(int*)",
    "_Z3fnpIXadL_Z2sqiEEEvPi": "fnp<&sq>(int*)",
    "_Z3ttpI3AddEvT_IiEPi": "ttp<Add>(Add<int>, int*)",
    "_Z3depI4HasTEvT_PNS1_4typeE": "dep<HasT>(HasT, HasT::type*)",
    "_Z4arrpPA4_fPA5_i": "arrp(float (*)[4], int (*)[5])",
    "_Z4volsPViPKPVKfPFiiERA4_iPPcPv": (
        "vols(volatile int*, const volatile float* const*, int (*)(int), int (&)[4], char**, void*)"
    ),
    "_ZN2ns36_GLOBAL__N__00000000_4_x_cu_d37e53332anEPi": "ns::(anonymous namespace)::an(int*)",
    "_Z1kPKSt6vectorIfSaIfEE": "k(const std::vector<float, std::allocator<float>>*)",
    "_ZN7cutlass6KernelI4GemmLi3EE3runIfEEvPT_NS0_IS2_Li3EEE": (
        "cutlass::Kernel<Gemm, 3>::run<float>(float*, cutlass::Kernel<cutlass::Kernel<Gemm, 3>, 3>)"
    ),
}


@pytest.mark.parametrize(("symbol", "name"), NAMES.items())
def test_symbols_read_as_cpp_writes_them(symbol, name):
    assert str(demangle(symbol)) == name


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")
@pytest.mark.parametrize("symbol", [symbol for symbol in NAMES if not symbol.startswith("_Z3fnp")])
def test_names_are_those_of_cxxfilt(symbol):
    told = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout
    assert plain(str(demangle(symbol))) == plain(told.removeprefix("void "))


@pytest.mark.parametrize("symbol", ["_Z", "_Z3", "_Z99short", "_ZN", "_Z1kS9_", "_Z1kT_"])
def test_what_is_not_understood_stays_a_symbol(symbol):
    assert str(demangle(symbol)) == symbol


@given(st.text("_ZNSILEKPRTvifdk0123456789AXJDpst", max_size=40))
@example("I" * 5000)
def test_no_symbol_breaks_it(rest):
    assert str(demangle("_Z" + rest))


def plain(name):
    """A name without spaces and without the place of ``const``."""
    words = name.replace("const", " ").replace("volatile", " ").split()
    return "".join(words)
