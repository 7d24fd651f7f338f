"""Is every number about hardware in the files of the GPUs and their generations, and none in the engine?"""

import pytest

from tests.house.bare_numbers import OWN, PLAIN, ROOT, bare, excused, numbers

HIDDEN = {
    "engine/core/issue.py": "READ_AFTER = 3\n",
    "engine/state/columns.py": "CODE_LINES = 272\n",
    "engine/hierarchy/constant_cache.py": "CONSTANT_LINES, GPC_LINES = 32, 1024\n",
    "engine/hierarchy/address_map.py": "def home_of(page):\n    return popcount(page & 0b10101011)\n",
    "engine/hierarchy/fabric.py": "def send_across(n, rate):\n    return 3 * n * rate // 2\n",
    "engine/core/warp.py": "def run(t):\n    return t + 8 * TICKS\n",
    "engine/load_store/global_memory.py": "def read_lines(begin, j):\n    begin += j // 4\n    return begin\n",
    "engine/hierarchy/l1.py": "def vacate(n):\n    return n < 20\n",
    "simulate/build.py": "def rates(gpu):\n    return ticks(16)\n",
}


def test_the_engine_and_what_builds_it_hold_no_number_about_hardware():
    assert bare() == []


@pytest.mark.parametrize("file", HIDDEN)
def test_one_that_is_put_there_is_found(file):
    found = [number for number in numbers(HIDDEN[file], file) if not excused(number)]
    assert found
    assert all(number.value not in PLAIN for number in found)


def test_everything_that_is_excused_is_there():
    files = {path.relative_to(ROOT).as_posix(): path for path in ROOT.rglob("*.py")}
    for place, _, names in OWN:
        held = [n.scope for file in files if file.startswith(place) for n in numbers(files[file].read_text(), file)]
        assert held, place
        assert set(names.split()) - {"*"} <= set(held), place
