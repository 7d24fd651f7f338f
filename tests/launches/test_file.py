"""Is a launch file read as documented, and a malformed one refused by the path of what is wrong?"""

import json

import pytest

from gpusim.errors import GpusimError
from gpusim.launches.file import LaunchFileError, read, select
from gpusim.launches.plain import Filled, Scalar

GOOD = {
    "id": "one",
    "source": "k.cu",
    "options": ["-ftz=true"],
    "kernel": "k",
    "grid": [4, 2],
    "block": [32],
    "dynamic_shared": 64,
    "args": [{"int32": 5}, {"buffer": "float32", "count": 8, "init": "normal"}],
}


def written(tmp_path, *entries):
    path = tmp_path / "launches.json"
    path.write_text(json.dumps(entries))
    return path


def changed(**keys):
    return {**{key: value for key, value in GOOD.items() if keys.get(key, 0) is not None}, **_given(keys)}


def _given(keys):
    return {key: value for key, value in keys.items() if value is not None}


def test_every_key(tmp_path):
    (spec,) = read(written(tmp_path, GOOD))
    assert (spec.id, spec.source, spec.options, spec.kernel) == ("one", tmp_path / "k.cu", ("-ftz=true",), "k")
    assert (spec.grid, spec.block, spec.dynamic_shared) == ((4, 2, 1), (32, 1, 1), 64)
    assert spec.args == (Scalar("int32", 5), Filled("float32", "normal", 8))


def test_what_may_be_left_out(tmp_path):
    (spec,) = read(written(tmp_path, changed(options=None, kernel=None, dynamic_shared=None, args=None)))
    assert (spec.options, spec.kernel, spec.dynamic_shared, spec.args) == ((), None, None, ())


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (changed(grid=None), "[1].grid: Field required"),
        (changed(grid=[4, 0]), "[1].grid[1]: Input should be greater than or equal to 1"),
        (changed(grid=[4, "8"]), "[1].grid[1]: Input should be a valid integer"),
        (changed(grid=[1, 1, 1, 1]), "[1].grid: "),
        (changed(block=32), "[1].block: Input should be a valid list"),
        (changed(id=""), "[1].id: "),
        (changed(id="one"), "[1].id: 'one' is there twice"),
        (changed(source=5), "[1].source: "),
        (changed(options="-ftz=true"), "[1].options: "),
        (changed(dynamic_shared=-1), "[1].dynamic_shared: "),
        (changed(kernal="k"), "[1].kernal: unknown key: did you mean kernel?"),
        (changed(arg=[]), "[1].arg: unknown key: did you mean args?"),
        (changed(blok=32, block=None), "[1].blok: unknown key: did you mean block?"),
        ({"kernel": "copy", "param": {"N": 64}}, "[1].param: unknown key: did you mean params?"),
        ({"kernel": "copy", "params": {"N": 64}, "kernal": 1}, "[1].kernal: unknown key: did you mean kernel?"),
        ({"kernel": "copy", "params": {"N": 64}, "grid": [1]}, "[1].grid: this is for a CUDA source; a launch with"),
        (changed(zzz=1), "[1].zzz: unknown key: there are 12, such as id, source, options, kernel, grid"),
        (changed(args=[{"int32": 1}, {"buffer": "f32", "count": 1}]), "[1].args[1] 'f32'"),
        (changed(args=[{"int32": 1}, {"buffer": "float32"}]), "[1].args[1]: the number of elements"),
        ([], "[1]: "),
    ],
)
def test_what_is_wrong_is_named_by_its_path(tmp_path, entry, says):
    if isinstance(entry, dict) and "twice" not in says and entry.get("id") == "one":
        entry = {**entry, "id": "two"}
    with pytest.raises(GpusimError) as error:
        read(written(tmp_path, GOOD, entry))
    assert says in str(error.value)
    assert "launches.json" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        ["-std=c++17", "-ftz=true", "--use_fast_math", "-O3", "-lineinfo", "-maxrregcount=32", "--fmad=false", "-w"],
        ["-DN=4", "-D", "BLOCK=(8 * 4)", "-UN", "-Iinclude", "-I", "../include", "--include-path=/opt/x-y", "-lcudart"],
        ["-Xptxas", "-v,-O3", "-Xptxas=-dlcm=ca", "-diag-suppress=177", "--expt-relaxed-constexpr", "-x", "cu"],
    ],
)
def test_options_that_decide_machine_code_are_taken(tmp_path, options):
    (spec,) = read(written(tmp_path, changed(options=options)))
    assert list(spec.options) == options


RUN_OR_WRITE = """
-ccbin=/bin/sh --compiler-bindir=x -Xcompiler=-wrapper,/bin/sh --compiler-options=-o,x -Xlinker=-o,x -Xptxas=-o,x
-Xptxas=--output-file=x -Xnvlink=x -create-pch=x --create-pch=x --pch -pch --pch-dir=x --use-pch=x -time=x --time=x
-o -ox -o=x --output-file=x --keep -keep --keep-dir=x -save-temps --save-temps @file -@file --options-file=x -optf=x
-MD -MF=x -MMD -MFx --generate-dependencies-with-compile --fdevice-time-trace=x -fdevice-time-trace=x --dryrun --run
-run --use-local-env --input-drive-prefix=x -aug-hls /etc/passwd x.cu -ptx -E -dlink --split-compile=x -t8
--objdir-as-tempdir -I$(touch${IFS}x) -DX=`x` -DX=1>x -DX=1;x -include=a|b --include-path=a&b -DX="x" -dlto --optix-ir
-forward-unknown-to-host
""".split()


@pytest.mark.parametrize(
    "options",
    [[option] for option in RUN_OR_WRITE]
    + [
        ["-I", "--keep"],
        ["-D", "@x"],
        ["-I"],
        ["-Xptxas", "-o"],
        ["-x", "c++"],
        ["-O3", "-O", "x"],
        [""],
        ["-DX=a\nb"],
    ],
    ids=" ".join,
)
def test_options_that_run_programs_or_write_files_are_refused_by_name(tmp_path, options):
    with pytest.raises(
        LaunchFileError, match=r"launches\.json: \[0\]\.options: compiler option '.*' is not taken"
    ) as error:
        read(written(tmp_path, changed(options=options)))
    assert repr(options[-2] if len(options) > 1 else options[0]) in str(error.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000])
def test_what_is_nested_too_deeply_is_no_launch_file(tmp_path, text):
    path = tmp_path / "launches.json"
    path.write_text(text)
    with pytest.raises(LaunchFileError, match="nested too deeply"):
        read(path)


@pytest.mark.parametrize(
    ("text", "says"), [("{}", "a list of launches"), ("[]", "a list of launches"), ("[,", "no JSON"), ("\0", "no JSON")]
)
def test_what_is_no_launch_file(tmp_path, text, says):
    path = tmp_path / "launches.json"
    path.write_text(text)
    with pytest.raises(LaunchFileError, match=says):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LaunchFileError, match=r"none\.json: cannot be read: No such file"):
        read(tmp_path / "none.json")


def test_a_glob_selects_by_id(tmp_path):
    specs = read(written(tmp_path, *(changed(id=name) for name in ("mm_1", "mm_2", "copy"))))
    assert [spec.id for spec in select(specs, "mm_*")] == ["mm_1", "mm_2"]
    assert [spec.id for spec in select(specs, None)] == ["mm_1", "mm_2", "copy"]
    with pytest.raises(LaunchFileError, match="no launch matches 'x\\*': there are mm_1, mm_2, copy"):
        select(specs, "x*")
