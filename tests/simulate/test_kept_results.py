"""Is what was predicted before given again, where all that decides it is the same, and only there?"""

import enum
import importlib.util
import linecache
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpusimError
from gpusim.frontends import described
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import TOP
from gpusim.isa.instruction import Instr
from gpusim.isa.program import Program
from gpusim.kept import package
from gpusim.kept.fingerprint import fingerprint
from gpusim.kept.store import FORGET
from gpusim.simulate import kept_results, simulation
from gpusim.simulate.launch import Buffer, Launch
from gpusim.simulate.prediction import listening, noting, simulating_anew
from gpusim.simulate.work import How, Work


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where results are kept, of each test its own."""
    monkeypatch.delenv(FORGET, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    return tmp_path / "results"


@pytest.fixture
def simulated(monkeypatch):
    """Names of what is simulated."""
    names, simulate = [], simulation.simulate

    def noted(works, gpu, how):
        names.append([work.name for work in works])
        return simulate(works, gpu, how)

    monkeypatch.setattr(simulation, "simulate", noted)
    return names


# ------------------------------------------------------------------ the same answer, and said


def test_the_second_answer_is_the_first_and_says_when_that_was(simulated):
    first, second = (gpusim.predict("copy", N=64) for _ in range(2))
    assert simulated == [["copy"]]
    assert first.kept is None
    assert abs(datetime.now(UTC) - second.kept) < timedelta(minutes=5)
    assert second == first
    assert second.to_dict() | {"kept": None} == first.to_dict()
    assert second.to_dict()["kept"] == second.kept.isoformat()
    assert f"{first}" in f"{second}"
    assert f"{second}".splitlines()[-1].startswith("Kept from a run of 2")


def test_fresh_simulates_anew_and_replaces_what_is_kept(simulated, monkeypatch):
    gpusim.predict("copy", N=64)
    stale = replace(gpusim.predict("copy", N=64), notes=("stale",))
    monkeypatch.setattr(simulation, "simulate", lambda *what: [replace(stale, kept=None)])
    assert gpusim.predict("copy", N=64, fresh=True).notes == ("stale",)
    assert gpusim.predict("copy", N=64).notes == ("stale",)


def test_a_program_may_be_run_anew_as_a_whole(simulated):
    gpusim.predict("copy", N=64)
    with noting() as times, simulating_anew():
        gpusim.predict("copy", N=64)
    with noting() as later:
        gpusim.predict("copy", N=64)
    assert len(simulated) == 2
    assert times == [None]
    assert later != [None]


def test_a_chain_is_kept_as_a_whole(simulated):
    how = {"H": 1, "N": 64, "d": 32}
    first, second = (gpusim.predict_chain("attention-standard", **how) for _ in range(2))
    assert len(simulated) == 1
    assert first.kept is None
    assert second.kept is not None
    assert second.to_dict()["steps"][0]["kept"] == second.kept.isoformat()
    assert [*map(Comparable, first.steps)] == [*map(Comparable, second.steps)]
    alone = gpusim.predict(first.steps[0].kernel, **first.steps[0].params)
    assert alone.kept is None


class Comparable:
    """A profile by what JSON says of it."""

    def __init__(self, profile):
        self.said = profile.to_dict() | {"kept": None}

    def __eq__(self, other):
        return self.said == other.said

    __hash__ = None


def test_who_listens_hears_of_what_is_kept_too():
    gpusim.predict("copy", N=64)
    heard = []
    with listening(lambda work: heard.append(work.name)):
        gpusim.predict("copy", N=64)
    assert heard == ["copy"]


# ------------------------------------------------------------------ what is not kept


def test_a_run_that_fails_or_is_interrupted_is_not_kept(folder, monkeypatch):
    for error in (GpusimError("no"), KeyboardInterrupt()):

        def fail(*what, error=error):
            raise error

        monkeypatch.setattr(simulation, "simulate", fail)
        with pytest.raises(type(error)):
            gpusim.predict("copy", N=64)
    assert not folder.exists()


def test_a_timeline_is_recorded_every_time(folder, simulated):
    for _ in range(2):
        assert gpusim.predict("copy", N=64, timeline=gpusim.Recording()).timeline.events
    assert len(simulated) == 2
    assert not folder.exists()


def test_values_are_computed_every_time(work, gpu):
    assert kept_results.key([work], gpu, How(values=True)) is None


def test_a_damaged_result_is_simulated_anew(folder, simulated):
    first = gpusim.predict("copy", N=64)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    assert gpusim.predict("copy", N=64) == first
    assert len(simulated) == 2
    assert gpusim.predict("copy", N=64).kept is not None


def test_what_another_gpusim_found_is_not_taken(simulated, monkeypatch):
    gpusim.predict("copy", N=64)
    monkeypatch.setattr("gpusim.kept.store.package_digest", lambda: "another")
    assert gpusim.predict("copy", N=64).kept is None
    monkeypatch.setattr("gpusim.kept.store.package_digest", lambda: None)
    assert gpusim.predict("copy", N=64).kept is None
    assert len(simulated) == 3


# ------------------------------------------------------------------ all that decides a result is in its key


@pytest.fixture(scope="module")
def gpu():
    return gpusim.load_gpu("h200")


@pytest.fixture(scope="module")
def work(gpu):
    algorithm = described.algorithm_of("copy")
    return described.work(described.Described(algorithm, algorithm.launch(N=64)), gpu)


@pytest.fixture
def key(work, gpu):
    """Gives the key of the work with some of it changed."""

    def of(works=None, spec=gpu, how=None):
        found = kept_results.key([work] if works is None else works, spec, How() if how is None else how)
        assert found is not None
        return found

    return of


def other(value):
    """A value of the same kind that is not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, enum.Enum):
        return next(one for one in type(value) if one is not value)
    if isinstance(value, int | float | np.generic):
        return value + 1
    if isinstance(value, str):
        return value + "?"
    if isinstance(value, bytes):
        return value + b"?"
    if is_dataclass(value):
        return changed(value, fields(value)[0].name)
    if isinstance(value, tuple | list):
        return type(value)([*value, *value]) if value and type(value) in (tuple, list) else ("?",)
    if isinstance(value, dict) or hasattr(value, "keys"):
        return {**value, "?": 1}
    assert value is None, f"{value}: say here what another one is"
    return 1


def changed(value, name):
    """A dataclass with another value of a field, whatever it then means."""
    made = object.__new__(type(value))
    for each in fields(value):
        given = getattr(value, each.name)
        object.__setattr__(made, each.name, other(given) if each.name == name else given)
    return made


TELL_NOTHING = {"closed_forms", "source", "step", "take", "progress", "fresh", "jobs"}


@pytest.mark.parametrize("name", [each.name for each in fields(Work) if each.name not in TELL_NOTHING])
def test_every_field_of_a_work_is_in_the_key(key, work, name):
    assert key([changed(work, name)]) != key()


@pytest.mark.parametrize("name", [each.name for each in fields(Launch)])
def test_every_field_of_a_launch_is_in_the_key(key, work, name):
    assert key([replace(work, launch=changed(work.launch, name))]) != key()


@pytest.mark.parametrize("name", [each.name for each in fields(Program)])
def test_every_field_of_a_program_is_in_the_key(key, work, name):
    program = changed(work.launch.program, name)
    assert key([replace(work, launch=replace(work.launch, program=program))]) != key()


@pytest.mark.parametrize("name", [each.name for each in fields(Instr)])
def test_every_field_of_an_instruction_is_in_the_key(key, work, name):
    first, *rest = work.launch.program.instrs
    program = replace(work.launch.program, instrs=(changed(first, name), *rest))
    assert key([replace(work, launch=replace(work.launch, program=program))]) != key()


NOT_KEPT = {"values", "timeline"}


@pytest.mark.parametrize("name", [each.name for each in fields(How) if each.name not in TELL_NOTHING | NOT_KEPT])
def test_every_way_to_run_is_in_the_key(key, name):
    assert key(how=changed(How(), name)) != key()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_of_a_gpu_is_in_the_key(key, gpu, section):
    holder = gpu if section == TOP else getattr(gpu, section)
    keys = {key()}
    for each in fields(SECTIONS[section]):
        part = changed(holder, each.name)
        keys.add(key(spec=part if section == TOP else replace(gpu, **{section: part})))
    assert len(keys) == 1 + len(fields(SECTIONS[section]))


def test_nothing_else_of_a_work_is(key, work):
    told = replace(work, step="softmax", source="a file", take=print, closed_forms=print)
    assert key([told]) == key()
    assert key(how=How(progress=print, fresh=True)) == key()


def test_the_order_of_launches_is(key, work):
    later = replace(work, name="later")
    assert len({key([work, later]), key([later, work]), key([work]), key([later])}) == 4


def test_known_errors_are():
    known = {f"{of}-h200.json" for of in ("validation", "quick", "programs")}
    known |= {"published-a100-40gb.json"}
    assert known <= {path.name for path in package.sources(package.PACKAGE)}


# ------------------------------------------------------------------ contents of arrays


def with_arrays(work, contents, **more):
    launch = replace(work.launch, arguments={**work.launch.arguments, "x": contents}, **more)
    return replace(work, launch=launch)


def test_contents_matter_where_they_are_looked_at(key, work):
    one, two = (with_arrays(work, np.full(64 * 64, k, np.float32)) for k in (1, 2))
    assert key([one]) != key([two])  # under watch
    one, two = (replace(each, watched=False) for each in (one, two))
    assert key([one]) == key([two])  # a copy's addresses depend on no contents
    smaller = replace(with_arrays(work, np.ones(64, np.float32)), watched=False)
    assert key([one]) != key([smaller])
    assert key([one]) != key([replace(with_arrays(work, Buffer(4 * 64 * 64)), watched=False)])


def test_contents_matter_where_addresses_depend_on_them(key, gpu):
    algorithm = described.algorithm_of("gather")
    made = described.work(described.Described(algorithm, algorithm.launch()), gpu)
    name, array = next((n, a) for n, a in made.launch.arguments.items() if getattr(a, "dtype", None) == np.int32)
    moved = {**made.launch.arguments, name: array[::-1].copy()}
    made = replace(made, watched=False)
    assert key([made]) != key([replace(made, launch=replace(made.launch, arguments=moved))])


# ------------------------------------------------------------------ descriptions


SOURCE = """
import gpusim.lang as gl
@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 32),), block=lambda p: (32,))
def scaled(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
    i = gl.ctaid.x * 32 + gl.tid.x
    with gl.if_(i < gl.sizes("N")):
        y[i] = 3.0 * x[i]{comment}
"""


def described_in(path, text):
    """The kernel of a file's text."""
    path.write_text(text)
    linecache.checkcache()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.scaled


def test_the_source_is_shown_as_it_is_now(tmp_path):
    path = tmp_path / "scaled.py"
    before = gpusim.predict(described_in(path, SOURCE.format(comment="")), N=64)
    after = gpusim.predict(described_in(path, SOURCE.format(comment="  # three times")), N=64)
    again = gpusim.predict(described_in(path, SOURCE.format(comment="  # three times")), N=64)
    assert [before.kept, after.kept] == [None, None]
    assert again.kept is not None
    assert after.lines[-1].text.endswith("# three times")
    assert again.lines == after.lines


def test_another_description_and_another_textbook_are_told_apart(gpu):
    def closed_forms_of(name):
        algorithm = described.algorithm_of(name)
        return described.work(described.Described(algorithm, algorithm.launch()), gpu).closed_forms_of

    assert len({fingerprint(closed_forms_of(name)) for name in ("copy", "gather", "vector-add", "softmax-online")}) == 4


def test_nothing_of_a_kept_prediction_imports_what_simulates(folder, tmp_path):
    gpusim.predict("copy", N=64)
    ask = "import sys, gpusim; kept = gpusim.predict('copy', N=64).kept; print(bool(kept), 'numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", ask], env=os.environ, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]
