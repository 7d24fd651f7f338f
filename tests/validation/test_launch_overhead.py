"""Is what a host program prints of launches read, and what does not fit refused?"""

import pytest

from calibration import launch_overhead

PRINTED = """NVIDIA H200, 13000, 13000
asked for: 2.5000 2.4000 3.0000
each waited for: 8.2000 8.0000 9.1000
"""


def test_what_is_printed_is_read():
    found = launch_overhead.read(PRINTED)
    assert (found["device"], found["driver_cuda"], found["runtime_cuda"]) == ("NVIDIA H200", 13000, 13000)
    assert found["us"] == {"asked for": [2.5, 2.4, 3.0], "each waited for": [8.2, 8.0, 9.1]}


@pytest.mark.parametrize("wrong", ["", "NVIDIA H200, 13000, 13000\nasked for: 2.5 2.4\n", "no GPU\n"])
def test_what_is_of_another_form_is_refused(wrong):
    with pytest.raises(ValueError):  # noqa: PT011 (of unpacking, too)
        launch_overhead.read(wrong)


def test_the_program_measures_what_the_scenario_shows():
    source = launch_overhead.SOURCE.read_text(encoding="utf-8")
    for name in ("asked for", "in a row", "each waited for", "in a graph"):
        assert f'measure("{name}"' in source
