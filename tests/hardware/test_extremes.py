"""Is a GPU of extreme numbers either refused in one line, or simulated without a crash and to figures that can be?"""

import math
import os
import signal
import typing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import hardware
from gpusim.errors import GpusimError
from gpusim.hardware.quantities import rules
from gpusim.hardware.sections import SECTIONS

EXAMPLES = int(os.environ.get("GPUSIM_EXAMPLES", "8"))
"""By hand, before a release: some thousands."""
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
BASE = hardware.load("h200")
KEYS = [
    (section, name) for section, kind in SECTIONS.items() for name, rule in rules(kind).items() if rule.unit != "name"
]
NUMBERS = [-1, 0, 1, 2, 3, 5, 12, 31, 33, 100, 127, 1000, 4096, 4097, 65536, 10**6, 10**9, 2**31, 2**40, 2**62]


def now(section, name):
    return getattr(BASE if section == "identity" else getattr(BASE, section), name)


@st.composite
def numbers(draw, section, name):
    """A number near its bounds, near what it is, or anywhere."""
    rule, value = rules(SECTIONS[section])[name], now(section, name)
    near = [bound + step for bound in (rule.low, rule.high) if bound is not None for step in (-1, 0, 1)]
    if isinstance(value, int | float):
        near += [value * 2, value // 2, value * 3, value // 10, value + 1, value - 1]
    return draw(st.sampled_from(near or NUMBERS) | st.sampled_from(NUMBERS))


@st.composite
def values(draw, section, name):
    """A value for a key, of its type."""
    hint = str(typing.get_type_hints(SECTIONS[section])[name])
    if "tuple" not in hint:
        number = draw(numbers(section, name))
        return float(number) if "float" in hint else int(number)
    items = [list(item) if isinstance(item, tuple) else item for item in now(section, name)]
    at = draw(st.integers(0, len(items) - 1))
    nested = isinstance(items[0], list)
    items[at : at + draw(st.integers(0, 1))] = (
        [] if draw(st.booleans()) else [[3] if nested else draw(st.sampled_from(NUMBERS))]
    )
    return items


@st.composite
def files(draw):
    """A GPU file that changes one to three numbers of an H200."""
    chosen = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True))
    lines = ['base = "h200"']
    for section in dict.fromkeys(section for section, _ in chosen):
        lines.append(f"[{section}]")
        for name in (name for of, name in chosen if of == section):
            unit = rules(SECTIONS[section])[name].unit
            value = draw(values(section, name))
            lines.append(f'{name} = {{ value = {value}, unit = "{unit}", kind = "assumed", source = "x" }}')
    return "\n".join(lines)


def is_refused(path):
    """Whether the file itself is refused, in one line."""
    try:
        hardware.load(path)
    except GpusimError as error:
        return "\n" not in str(error)
    return False


def simulate(path):
    """Exit status of a process that predicts two small launches: 0, 3 for an error in one line, 4 for nonsense."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 5
    try:
        signal.alarm(300)
        found = [gpusim.predict("copy", path, N=5000), gpusim.predict("matmul-tiled", path, n=64, tile=16)]
        numbers = [number for profile in found for number in (profile.seconds, profile.dram_bytes_read)]
        status = 0 if all(math.isfinite(number) and number >= 0 for number in numbers) else 4
    except GpusimError as error:
        status = 3 if "\n" not in str(error) else 4
    finally:
        os._exit(status)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    gpusim.predict("copy", N=64)  # the engine is loaded once, not in each child
    return str(tmp_path_factory.mktemp("extremes") / "gpu.toml")


@settings(max_examples=EXAMPLES)
@given(text=files())
def test_a_gpu_of_extreme_numbers_is_refused_or_simulated(path, text):
    with Path(path).open("w") as file:
        file.write(text)
    if not is_refused(path):
        assert simulate(path) in (0, 3)


@pytest.mark.parametrize("size", [1, 1000, 4096, 65536, 2 * 48 * 1024 - 1])
def test_an_l2_too_small_to_be_simulated_is_refused_with_the_least_allowed(path, size):
    with Path(path).open("w") as file:
        file.write(
            f'base = "h200"\n[l2]\nsize_bytes = {{ value = {size}, unit = "byte", kind = "assumed", source = "x" }}'
        )
    with pytest.raises(hardware.SpecError, match=rf"gpu\.toml: l2\.size_bytes: must be at least 98304, not {size}"):
        hardware.load(path)


def test_the_least_l2_is_simulated(path):
    with Path(path).open("w") as file:
        file.write('base = "h200"\n[l2]\nsize_bytes = { value = 98304, unit = "byte", kind = "assumed", source = "x" }')
    assert simulate(path) == 0
