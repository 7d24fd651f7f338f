"""What was compiled before is not compiled again; what is damaged is."""

from pathlib import Path

import pytest

from gpusim import cuda
from gpusim.cuda import cache, included, nvcc, nvrtc
from gpusim.cuda.cuda_errors import CompileError
from gpusim.cuda.nvrtc import Compiled
from gpusim.cuda.options import Options
from gpusim.folders import CacheWarning
from tests.cuda.conftest import SOURCES

TEXT = "__global__ void k(int *p) { *p = 1; }\n"
HOPPER = '__global__ void k(int* x) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); *x = 1; }'
ENTRY = Compiled(b"\x7fELF\n\0cubin", "a warning\nof two lines", "NVRTC 13.0", {"k<3>": "_Z1k"})


@pytest.fixture
def compilations(monkeypatch):
    """Names of the files that NVRTC really compiled."""
    calls = []
    real = nvrtc.compile_source
    monkeypatch.setattr(nvrtc, "compile_source", lambda *args: calls.append(args[1]) or real(*args))
    return calls


def test_an_entry_comes_back_whole():
    cache.store("key", ENTRY)
    assert cache.load("key") == ENTRY
    assert cache.load("other") is None


def test_a_damaged_entry_is_none(own_cache):
    cache.store("key", ENTRY)
    (file,) = (own_cache / "cuda").iterdir()
    whole = file.read_bytes()
    for bad in (whole[:-1], whole[: len(whole) // 2], b"", b"\xff" * 100, whole.replace(b"cubin", b"cubim")):
        file.write_bytes(bad)
        assert cache.load("key") is None


def test_no_half_written_file_stays(own_cache, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.store("key", ENTRY)
    assert not list((own_cache / "cuda").iterdir())


def test_a_folder_that_cannot_be_written_to_does_no_harm(own_cache):
    (own_cache / "cuda").write_text("a file, where a folder should be")
    with pytest.warns(CacheWarning, match=f"cannot be kept in {own_cache}"):
        cache.store("key", ENTRY)
    assert cache.load("key") is None


def test_the_key_holds_every_header_that_may_be_included(tmp_path):
    (tmp_path / "a.h").write_text('#include "sub/b.h"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.h").write_text('#include "c.h"\n#include <vector>\n')
    (tmp_path / "sub/c.h").write_text('#include "../a.h"\n')
    source = '  #  include "a.h"\n'
    keys = [cache.key(source, [tmp_path], ["x"])]
    for header in ("a.h", "sub/b.h", "sub/c.h"):
        (tmp_path / header).write_text((tmp_path / header).read_text() + "// changed\n")
        keys.append(cache.key(source, [tmp_path], ["x"]))
    keys += [
        cache.key(source, [tmp_path], ["y"]),
        cache.key(source + " ", [tmp_path], ["x"]),
        cache.key(source, [], ["x"]),
    ]
    assert len(set(keys)) == len(keys)
    assert cache.key(source, [tmp_path], ["x"]) == keys[3]


def test_where_a_macro_names_a_header_the_key_holds_every_file_there(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    before = cache.key("#include HEADER\n", [tmp_path], [])
    assert before == cache.key("#include HEADER\n", [tmp_path], [])
    (tmp_path / "sub/a.h").write_text("int a;\n")
    after = cache.key("#include HEADER\n", [tmp_path], [])
    assert None not in (before, after)
    assert before != after
    (tmp_path / "b.h").write_text("#include HEADER\n")
    by_another = cache.key('#include "b.h"\n', [tmp_path], [])
    (tmp_path / "sub/a.h").write_text("float a;\n")
    assert cache.key('#include "b.h"\n', [tmp_path], []) != by_another
    monkeypatch.setattr(included, "MOST_BELOW", 1)
    assert cache.key("#include HEADER\n", [tmp_path], []) is None


@pytest.mark.parametrize(
    "directive",
    [
        '/* of ours */ #include "a.h"', '# /* of ours */ include /* too */ "a.h"', '#inc\\\nlude "a.h"',
        '#include \\\n "a.h"', '%:include <a.h>', '\f#\vinclude"a.h"', '#include_next <a.h>',
        '#if __has_include("a.h")\n#endif', "/* two\nlines */ #include <a.h>",
    ],
)  # fmt: skip
def test_however_a_header_is_named_the_key_holds_it(directive, tmp_path):
    before = cache.key(directive, [tmp_path], [])
    (tmp_path / "a.h").write_text("int a;\n")
    assert cache.key(directive, [tmp_path], []) != before


def test_what_is_no_directive_names_no_header(tmp_path):
    for text in ("// see #include HEADER", "#includes HEADER", "#if defined(__has_include)", "/* a */" * 40 + "!"):
        assert cache.key(text, [tmp_path], []) is not None


def test_headers_beside_a_link_are_those_of_where_it_lies(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/a.h").write_text('#include "b.h"\n')
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a.h").symlink_to(tmp_path / "there/a.h")
    before = cache.key('#include "here/a.h"\n', [tmp_path], [])
    (tmp_path / "here/b.h").write_text("int b;\n")
    assert cache.key('#include "here/a.h"\n', [tmp_path], []) != before


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "options",
    [["-Iown"], ["-I", "own"], ["--include-path=own"], ["-include", "own/a.h"], ["--pre-include=own/a.h"], ["-I."]],
)
def test_a_header_that_an_option_leads_to_is_compiled_anew(options, tmp_path, monkeypatch, compilations):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    text = TEXT if any("include" in word and "path" not in word for word in options) else f'#include "a.h"\n{TEXT}'
    for number in (1, 1, 2):
        for file in (tmp_path / "own/a.h", tmp_path / "a.h"):
            file.write_text(f"constexpr int a = {number};\n")
        cuda.compile(text, gpu="sm_90", options=options)
    assert len(compilations) == 2


@pytest.mark.usefixtures("compiler")
def test_a_header_in_the_working_folder_is_compiled_anew(tmp_path, monkeypatch, compilations):
    monkeypatch.chdir(tmp_path)
    for number in (1, 1, 2):
        (tmp_path / "a.h").write_text(f"constexpr int a = {number};\n")
        cuda.compile(f'#include "a.h"\n{TEXT}', gpu="sm_90")
    assert len(compilations) == 2


def test_what_nvcc_takes_from_its_environment_is_in_force(monkeypatch):
    for name, value in {"NVCC_PREPEND_FLAGS": "-I a", "NVCC_APPEND_FLAGS": "-Ib -DN=2", "CPATH": "c"}.items():
        monkeypatch.setenv(name, value)
    found = nvcc.in_force(Options("sm_90", ("-Xcompiler=-Id,-O2",)))
    assert {Path(name) for name in "abcd"} <= set(found.searched())
    assert "-DN=2" in found.command()


@pytest.mark.usefixtures("compiler", "nvcc")
@pytest.mark.parametrize(("name", "value"), [("CPATH", "own"), ("NVCC_APPEND_FLAGS", "-Iown")])
def test_a_header_that_the_environment_leads_nvcc_to_is_compiled_anew(name, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, value)
    (tmp_path / "own").mkdir()
    text = '#include <vector>\n#include "a.h"\n__global__ void k(int *p) { *p = a; }\nstd::vector<int> host;\n'
    made = []
    for number in (1, 1, 2):
        (tmp_path / "own/a.h").write_text(f"constexpr int a = {number};\n")
        made.append(cuda.compile(text, gpu="sm_90").cubin)
    assert made[0] == made[1] != made[2]


@pytest.mark.usefixtures("compiler")
def test_the_same_source_is_compiled_once(compilations):
    first, second = (cuda.compile(TEXT, gpu="sm_90") for _ in range(2))
    assert first == second
    assert compilations == ["kernel.cu"]


@pytest.mark.usefixtures("compiler")
def test_that_a_source_needs_another_target_is_remembered(compilations):
    first, second = (cuda.compile(HOPPER, gpu="sm_90") for _ in range(2))
    assert first == second
    assert first.arch == "sm_90a"
    assert len(compilations) == 2  # for sm_90, in vain, and for sm_90a
    with pytest.raises(CompileError, match="sm_90"):
        cuda.compile(HOPPER, gpu="sm_90", arch="sm_90")


@pytest.mark.usefixtures("compiler")
def test_whatever_changes_the_result_compiles_anew(compilations):
    for options in ({}, {"gpu": "sm_80"}, {"options": ["-ftz=true"]}, {"defines": {"A": 1}}, {"kernel": "k"}):
        cuda.compile(TEXT, **{"gpu": "sm_90", **options})
    assert len(compilations) == 4  # naming a kernel that is there changes nothing


@pytest.mark.usefixtures("compiler")
def test_a_damaged_entry_is_compiled_anew(compilations, own_cache):
    first = cuda.compile(SOURCES / "plain.cu", gpu="sm_90")
    for file in (own_cache / "cuda").iterdir():
        file.write_bytes(file.read_bytes()[:-100])
    assert cuda.compile(SOURCES / "plain.cu", gpu="sm_90") == first
    assert len(compilations) == 2
