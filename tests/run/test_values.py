"""Is what launches make of memory computed once where it repeats, and always where somebody looks?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gpusim.programs import values
from gpusim.programs.values import Values
from gpusim.simulate.printed import NOTHING

ADD, DOUBLE, CLEAR = "add", "double", "clear"
CHANGES = {ADD: lambda x: x + 1, DOUBLE: lambda x: 2 * x, CLEAR: lambda x: 0 * x}


class FakeMemory:
    """One array, and what :class:`Values` asks of device memory."""

    def __init__(self) -> None:
        self.words, self.is_hosts_too = np.zeros(4, np.uint8), False
        self.now = SimpleNamespace(layout=SimpleNamespace(address={"x": 0}, nbytes={"x": 4}))

    def at(self, first: int, nbytes: int) -> np.ndarray:
        return self.words[first : first + nbytes]


@pytest.fixture
def memory(monkeypatch):
    found = FakeMemory()
    found.computed = []

    def compute(launch, *args, **kwargs):
        found.computed.append(launch.program)
        found.words[:] = CHANGES[launch.program](found.words)
        return NOTHING

    monkeypatch.setattr(values, "compute", compute)
    monkeypatch.setattr(values, "calls_the_system", lambda program: False)
    monkeypatch.setattr(values, "LOOKING", float("inf"))
    return found


def _launcher(memory):
    changing = Values(None, memory, SimpleNamespace(limit=None, jobs=1), None)

    def launch(*names: str, stored: bool = False) -> None:
        for name in names:
            changing.run(
                SimpleNamespace(program=name), SimpleNamespace(what=name, stored=stored, cooperative=False), None, None
            )

    return changing, launch


def test_a_cycle_is_computed_until_memory_is_as_it_was(memory):
    changing, launch = _launcher(memory)
    launch(*[CLEAR, ADD, DOUBLE] * 50)
    assert len(memory.computed) < 10
    changing.catch_up()
    assert memory.words.tolist() == [2] * 4
    assert len(memory.computed) < 10


def test_what_is_put_off_is_there_when_somebody_looks(memory):
    changing, launch = _launcher(memory)
    launch(*[CLEAR, ADD, DOUBLE] * 5, CLEAR, ADD)
    assert changing.behind
    changing.catch_up()
    assert not changing.behind
    assert memory.words.tolist() == [1] * 4
    launch(DOUBLE, ADD)
    changing.catch_up()
    assert memory.words.tolist() == [3] * 4


def test_nothing_is_known_of_memory_that_the_host_has_changed(memory):
    changing, launch = _launcher(memory)
    launch(*[CLEAR, ADD, DOUBLE] * 5)
    changing.catch_up()
    memory.words[:] = 7
    launch(ADD, stored=True)
    changing.catch_up()
    assert memory.words.tolist() == [8] * 4


def test_what_the_host_sees_at_any_time_is_not_put_off(memory):
    memory.is_hosts_too = True
    _, launch = _launcher(memory)
    for _ in range(5):
        for name, want in ((CLEAR, 0), (ADD, 1), (DOUBLE, 2)):
            launch(name)
            assert memory.words.tolist() == [want] * 4
    launch(CLEAR, CLEAR, CLEAR)
    before = len(memory.computed)
    launch(CLEAR)
    assert len(memory.computed) == before
