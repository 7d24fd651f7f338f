"""What do the files of architectures promise programs, and does every number of an ABI decide something?"""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from gpusim import hardware
from gpusim.hardware import library
from gpusim.hardware.programming import ARCHITECTURE_SECTIONS, Abi, Instructions, Limits
from gpusim.hardware.quantities import required, rules
from gpusim.hardware.reader import Shelf, generation, read
from gpusim.hardware.sections import Shared
from gpusim.isa.classes import CLASSES, needed
from gpusim.isa.instruction import Instr, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Convert
from gpusim.simulate.launch import Launch, put_abi
from tests.hardware.test_base import number, write

ARCHITECTURES = sorted(path.stem for path in library.ARCHITECTURES.glob("*.toml"))


HOPPERS_OWN = "warpgroup_tensor"
"""Instructions that no later generation has."""


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_architecture_says_all_that_it_promises(arch: str) -> None:
    known = hardware.architecture(arch)
    for section, kind in ARCHITECTURE_SECTIONS.items():
        assert {f"{section}.{name}" for name in required(kind)} <= known.keys()
    assert set(hardware.of_architecture(arch, Instructions).classes) <= CLASSES.keys()
    limits, shared = hardware.of_architecture(arch, Limits), hardware.of_architecture(arch, Shared)
    assert len(limits.grid) == len(limits.block) == 3
    assert shared.default_max_bytes_per_block <= shared.max_bytes_per_block <= shared.bytes_per_sm
    abi = hardware.of_architecture(arch, Abi)
    assert abi.holds(abi.block, 12)
    assert not abi.holds(abi.parameters)


def test_instructions_come_and_stay() -> None:
    order = sorted(ARCHITECTURES, key=lambda arch: int(arch.removeprefix("sm_")))
    classes = [set(hardware.of_architecture(arch, Instructions).classes) for arch in order]
    assert all(earlier - {HOPPERS_OWN} <= later for earlier, later in itertools.pairwise(classes))
    assert hardware.having(HOPPERS_OWN) == ["sm_90"]
    assert all(hardware.having(name) for name in CLASSES)


def test_what_is_inherited_says_whose_it_is() -> None:
    entries = {arch: generation(arch, library._shelf()).numbers for arch in ("sm_86", "sm_89", "sm_90")}
    assert entries["sm_89"]["abi.grid"].source.startswith("as sm_86: ")
    assert entries["sm_90"]["launch.overhead_cycles"].kind == "measured"
    assert entries["sm_86"]["launch.overhead_cycles"].kind == "assumed"
    assert entries["sm_86"]["launch.overhead_cycles"].source.startswith("as h200: ")
    assert hardware.load("a100").provenance("sm.max_warps").source.startswith("CUDA Programming Guide")
    assert hardware.load("v100").provenance("latency.fma_cycles").source == "NVIDIA Volta tuning guide"


def test_no_gpu_changes_what_its_architecture_promises(tmp_path: Path) -> None:
    path = write(tmp_path, 'base = "h200"\n[abi]\n' + number("grid", 64, "byte"))
    with pytest.raises(hardware.SpecError, match=r"my.toml: abi.grid: is the same for every GPU of an architecture"):
        hardware.load(path)


ELSEWHERE = {"parameters", "shared_base", "compiler_registers"}
"""Numbers of an ABI that tests/cuda/test_cubin.py and tests/lower ask."""


@pytest.mark.parametrize("name", sorted(rules(Abi).keys() - ELSEWHERE))
def test_every_place_of_an_abi_is_read(name: str) -> None:
    """It moves a word of the constant bank, or which of its words are known."""
    abi = hardware.of_architecture("sm_80", Abi)
    changed = replace(abi, **{name: getattr(abi, name) + 0x40})
    banks = [bytearray(0x200), bytearray(0x200)]
    launch = Launch(Program("p", (Instr(Op.EXIT),), 16, local_bytes=48), (3, 2, 2), (4, 2, 1), {}, dynamic_shared=64)
    for bank, one in zip(banks, (abi, changed), strict=True):
        put_abi(bank, launch, one)
    held = [[one.holds(offset) for offset in range(0, 0x200, 4)] for one in (abi, changed)]
    assert banks[0] != banks[1] or held[0] != held[1]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[instructions]\nclasses = { value = ["tenser_f16"], unit = "name", kind = "assumed", source = "x" }', "_f16"),
        ('[limits]\ngrid = { value = [1, 2], unit = "1", kind = "assumed", source = "x" }', "three numbers"),
        ('[instructions]\nclasses = { value = [7], unit = "name", kind = "assumed", source = "x" }', "text"),
    ],
)  # fmt: skip
def test_what_an_architecture_cannot_say_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    write(tmp_path, f'base = "sm_90"\n{text}\n', "sm_91.toml")
    shelf = library._shelf()
    more = Shelf(shelf.files, {**shelf.architectures, "sm_91": tmp_path / "sm_91.toml"})
    with pytest.raises(hardware.SpecError, match=complaint):
        read(write(tmp_path, 'base = "h200"\n[identity]\narch = "sm_91"\n'), more)


def test_classes_tell_instructions_apart() -> None:
    fp8, f16 = (Instr(Op.F2FP, reg(0), (reg(1), reg(2)), sub=sub) for sub in (Convert.E4M3, Convert.F16))
    assert needed([f16]) == set()
    assert needed([f16, fp8]) == {"fp8_conversion"}
