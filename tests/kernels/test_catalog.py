"""Finding algorithms: built in, in a user's folder, by entry point; and what a wrong name or file is told."""

import importlib.metadata
import os
import sys
import textwrap

import pytest

from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import Algorithm

USER_FILE = """
import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Traffic

@gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.B),), block=lambda p: (p.B,))
def twice(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], B: gl.Tile = 128):
    i = gl.ctaid.x * B + gl.tid.x
    with gl.if_(i < gl.sizes("N")):
        y[i] = x[i] + x[i]

{variable} = Algorithm(
    name="{name}", summary="y = 2 x", kernel=twice, sizes={{"N": 1000}},
    reference=lambda x, **p: {{"y": 2 * x["x"]}},
    io={{"x": Traffic("2*N"), "y": Traffic(stores="N")}},
)
"""


def write(folder, name="twice", file="mine.py", variable="algorithm"):
    path = folder / file
    path.write_text(USER_FILE.format(name=name, variable=variable))
    return path


def one_line(error):
    text = str(error.value)
    assert "\n" not in text
    return text


def test_the_names_a_user_types_are_there():
    names = lookup.kernels()
    for name in (
        *("vector-add", "copy", "copy-vec4", "copy-strided", "copy-offset", "store-strided", "gather"),
        *("transpose-naive", "transpose-shared", "transpose-padded", "divergence", "stencil5"),
        *("reduce-divergent", "reduce-conflicting", "reduce-sequential", "reduce-shuffle"),
        *("matmul-naive", "matmul-coalesced", "matmul-tiled", "matmul-coarsened"),
        *("matmul-register-tiled", "matmul-register-tiled-vec4"),
        *("softmax-naive", "softmax-safe", "softmax-online", "softmax-parallel", "layernorm", "rmsnorm"),
        *("sin", "square", "sin2cos2", "chain3-fused", "relu", "elu", "gelu", "dropout-residual", "copy-f16"),
    ):
        assert name in names


def test_other_names_lead_to_the_same_algorithm():
    assert lookup.get("transpose") is lookup.get("transpose-naive")
    assert lookup.get("matmul") is lookup.get("matmul-tiled")
    assert lookup.get("softmax") is lookup.get("softmax-safe")


def test_parts_of_chains_are_hidden_but_can_be_had():
    parts = {"row-mean", "row-centre", "gelu-inner"}
    assert not parts & {*lookup.kernels()}
    assert parts <= {*lookup.kernels(hidden=True)}
    assert lookup.get("row-mean").family == "normalisation"


def test_every_algorithm_has_a_summary_of_one_line():
    for algorithm in lookup.all(hidden=True):
        assert algorithm.summary
        assert "\n" not in algorithm.summary
        assert len(algorithm.name) + len(algorithm.summary) < 120


def test_algorithms_of_several_types_may_stand_in_a_tuple(tmp_path):
    path = write(tmp_path, variable="one")
    more = "from dataclasses import replace\nboth = one, replace(one, name='twice-f16')\n"
    path.write_text(f"{path.read_text()}\n{more}")
    assert [lookup.get(name, [tmp_path]).name for name in ("twice", "twice-f16")] == ["twice", "twice-f16"]


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(lookup.UnknownKernelError) as error:
        lookup.get("matmul-tilde")
    assert "matmul-tiled" in one_line(error)
    assert "'matmul-tilde'" in one_line(error)


def test_a_users_folder_is_found(tmp_path):
    write(tmp_path)
    (tmp_path / "_helper.py").write_text("raise RuntimeError('private files are not run')")
    assert lookup.get("twice", [tmp_path]).launch(N=300).grid == (3, 1, 1)
    assert "twice" in lookup.kernels([tmp_path])
    assert "twice" not in lookup.kernels()


def test_a_single_file_will_do(tmp_path):
    assert lookup.get("twice", [write(tmp_path)]).name == "twice"


def test_the_environment_names_folders(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    write(first, "one")
    write(second, "two")
    monkeypatch.setenv("GPUSIM_KERNELS", f"{first}{lookup.os.pathsep}{second}")
    assert {"one", "two", "copy"} <= set(lookup.kernels())


def test_a_folder_given_twice_is_no_duplicate(tmp_path):
    write(tmp_path)
    assert lookup.kernels([tmp_path, tmp_path]).count("twice") == 1


def test_a_file_is_run_once_until_it_changes(tmp_path):
    path = write(tmp_path)
    before = lookup.get("twice", [tmp_path])
    assert lookup.get("twice", [tmp_path]) is before
    path.write_text(path.read_text().replace("1000", "2000"))
    lookup.os.utime(path, ns=(1, 1))
    assert lookup.get("twice", [tmp_path]).sizes["N"] == 2000


def test_a_file_that_has_changed_within_a_second_is_run_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for name in ("twice", "again", "twice"):
        path = write(tmp_path, name)
        os.utime(path, ns=(10**18, 10**18))
        assert lookup.get(name, [tmp_path]).name == name


def test_two_files_with_one_name_are_both_named(tmp_path):
    write(tmp_path, file="one.py")
    write(tmp_path, file="two.py")
    with pytest.raises(lookup.DuplicateKernelError) as error:
        lookup.kernels([tmp_path])
    text = one_line(error)
    assert "'twice'" in text
    assert "one.py" in text
    assert "two.py" in text


def test_a_built_in_name_cannot_be_taken(tmp_path):
    write(tmp_path, name="transpose")
    with pytest.raises(lookup.DuplicateKernelError, match=r"transpose\.py.*mine\.py"):
        lookup.kernels([tmp_path])


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("import gpusim.lang as gl\n\nnothing = gl.nonsense\n", 3, "nonsense"),
        ("x = 1\ndef broken(:\n    pass\n", 2, "invalid syntax"),
        ("import no_such_module_anywhere\n", 1, "no_such_module_anywhere"),
        ("def inner():\n    return 1 / 0\n\n\ninner()\n", 2, "ZeroDivisionError"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, text, line, what):
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(lookup.KernelFileError) as error:
        lookup.kernels([tmp_path])
    message = one_line(error)
    assert f"{path}, line {line}" in message
    assert what in message


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(lookup.KernelFileError, match=r"no such folder of kernels: .*nowhere"):
        lookup.kernels([tmp_path / "nowhere"])


class Point:
    """Stands in for an installed package's entry point."""

    name, value = "mine", "package:kernels"

    def __init__(self, loaded):
        self.loaded = loaded

    def load(self):
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


@pytest.fixture
def install(monkeypatch):
    """Pretend that a package with this entry point is installed."""

    def pretend(loaded):
        monkeypatch.setattr(lookup, "entry_points", lambda group: [Point(loaded)])

    return pretend


def test_an_entry_point_gives_an_algorithm_a_list_or_a_module(tmp_path, install):
    algorithm = lookup.get("twice", [write(tmp_path)])
    module = type(textwrap)("package")
    module.algorithm = algorithm
    for loaded in (algorithm, [algorithm], module):
        install(loaded)
        assert lookup.get("twice") is algorithm


@pytest.mark.parametrize("loaded", [ImportError("no wheel"), ["copy"]])
def test_a_broken_entry_point_is_named(install, loaded):
    install(loaded)
    with pytest.raises(lookup.KernelFileError) as error:
        lookup.kernels()
    assert "entry point mine = package:kernels" in one_line(error)


def test_entry_points_of_the_group_are_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(lookup, "entry_points", lambda group: asked.append(group) or [])
    lookup.kernels()
    assert asked == ["gpusim.kernels"]
    assert importlib.metadata.entry_points(group="gpusim.kernels") is not None


def test_listing_traces_nothing(tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text().replace("i = gl.ctaid", "assert False, 'traced'\n    i = gl.ctaid"))
    assert isinstance(lookup.get("twice", [tmp_path]), Algorithm)
