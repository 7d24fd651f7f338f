"""Is what every command writes with --json as the published schema says, and is what was written before still read?"""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from gpusim.advice.finding import Finding
from gpusim.cli import main
from gpusim.measured import measurement
from gpusim.profiles.profile import DERIVED
from gpusim.results import documents
from tests.ask.documents import SCHEMA, faults, is_valid

SAXPY = """\
__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
ARGUMENTS = ["n=1024", "a=2.5", "x=normal:n", "y=ones:n"]
LAUNCH = ["--grid", "4", "--block", "256", *(word for text in ARGUMENTS for word in ("--arg", text))]
KINDS = [kind["$ref"].rpartition("/")[2].removesuffix("_document") for kind in SCHEMA["anyOf"]]


@pytest.fixture
def written(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own, and give the document that it writes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saxpy.cu").write_text(SAXPY)

    def run(command, *words):
        assert main([command, "--json", "out.json", *words]) == 0, capsys.readouterr().err
        return json.loads((tmp_path / "out.json").read_text())

    return run


def check(document, kind):
    assert faults(document, kind) == []
    assert is_valid(document)
    assert document["schema"] == documents.VERSION
    others = {other: faults(document, other) for other in KINDS if other != kind}
    assert all(others.values()), f"is also of {[other for other, found in others.items() if not found]}"


def test_the_schema_is_one_and_closed():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for name, one in SCHEMA["$defs"].items():
        if "properties" in one:
            assert one["additionalProperties"] is False, name
            assert set(one["required"]) <= set(one["properties"]), name


def test_the_command_prints_it(capsys, tmp_path):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
    assert main(["schema", "-o", str(tmp_path / "schema.json")]) == 0
    assert json.loads((tmp_path / "schema.json").read_text()) == SCHEMA


def test_of_predict(written):
    several = ["--n", "128", "--tile", "16,32", "--gpu", "h200,a100-40gb"]
    check(written("predict", "transpose-shared", *several), "profiles")
    check(written("predict", "transpose-shared", "--n", "128", "--advise"), "profiles")
    check(written("predict", "attention-standard", "--N", "64"), "chains")


def test_of_advise(written):
    check(written("advise", "transpose-shared", "--n", "128"), "advice")
    check(written("advise", "attention-standard", "--N", "64"), "advice")


def test_of_sweep(written):
    check(written("sweep", "copy", "--N", "1024,4096", "--over", "B=64,2048"), "sweep")
    check(written("sweep", "attention-standard", "--N", "64"), "sweep")


def test_of_tune(written):
    check(written("tune", "copy", "--N", "4096", "--over", "B=64,256,2048", "--top", "1"), "tuning")


@pytest.mark.long
def test_of_diff(written):
    document = written("diff", "copy --B 32", "copy --B 256", "--N", "4096")
    check(document, "diff")
    assert document["exceeded"] == []
    assert main(["diff", "copy --B 256", "copy --B 32", "--N", "4096", "--fail-on", "time>1%", "--json", "d.json"]) == 1
    slower = json.loads(Path("d.json").read_text())
    check(slower, "diff")
    assert len(slower["exceeded"]) == 1
    check(written("diff", "attention-standard --N 64", "attention-standard --N 96"), "diff")


def test_of_diff_with_a_measurement(written):
    shipped = measurement.read(measurement.shipped("h200"))
    launch = next(one.id for one in shipped.launches if one.id.startswith("copy N="))
    other = next(one.id for one in shipped.launches if one.id.startswith("transpose-"))
    check(written("diff", "copy", "--N", "65536", f"h200#{launch}"), "diff")
    check(written("diff", f"h200#{other}", f"h200#{launch}"), "diff")


def test_of_bound(written):
    check(written("bound", "matmul-tiled", "--n", "128"), "bound")
    check(written("bound", "matmul-tiled", "--n", "128,256", "--fast"), "bound")
    check(written("bound", "attention-standard", "--N", "64"), "bound")
    check(written("bound", "C[m,n] += A[m,k] * B[k,n]", "--m", "64", "--n", "64", "--k", "64"), "bound")
    check(written("bound", "y[i] += x[i]", "--i", "64", "--memory", "1KB"), "bound")


def test_of_roofline(written):
    check(written("roofline", "matmul-tiled", "convolution", "--n", "64", "--gpu", "h200,cpu"), "roofline")
    check(written("roofline", "matmul-tiled", "--n", "512", "--quick"), "roofline")
    check(written("roofline", "attention-standard", "--N", "64", "--gpu", "p100"), "roofline")
    check(written("roofline", "--gpu", "h200"), "roofline")


def test_of_gpus(written):
    check(written("gpus", "a100-40gb", "h200", "cpu"), "gpus")
    check(written("gpus", "p100"), "gpus")


@pytest.mark.usefixtures("compiler")
def test_of_profile(written, tmp_path):
    check(written("profile", "saxpy.cu", *LAUNCH), "profiles")
    check(written("advise", "saxpy.cu", *LAUNCH), "advice")
    ours = {"id": "a", "source": "saxpy.cu", "grid": [4], "block": [256], "args": ARGUMENTS}
    (tmp_path / "launches.json").write_text(json.dumps([ours, ours | {"id": "b", "source": "none.cu"}]))
    check(written("profile", "--launches", "launches.json"), "launches")


@pytest.mark.usefixtures("compiler")
def test_of_compare(written):
    check(written("compare", "h200", "--only", "copy N=*"), "comparison")
    check(written("compare", "a100-40gb", "--only", "*"), "published")


@pytest.mark.slow
def test_of_run(written, tmp_path):
    from gpusim.cuda import toolchain
    from gpusim.cuda.cuda_errors import MissingToolError

    try:
        toolchain.nvcc()
    except MissingToolError as error:
        pytest.skip(str(error))
    (tmp_path / "whole.cu").write_text(
        SAXPY + "int main() { float* x; cudaMalloc(&x, 4096); saxpy<<<4, 256>>>(1024, 2.f, x, x);"
        " return cudaDeviceSynchronize(); }"
    )
    document = written("run", "whole.cu")
    check(document, "program")


@pytest.mark.parametrize("name", measurement.shipped_names())
def test_of_measure(name):
    before = json.loads(measurement.shipped(name).read_text())
    assert faults(before, "measurement") == []  # from before there was a schema
    check(json.loads(measurement.parse(json.dumps(before), name).to_text()), "measurement")


# ---------------------------------------------------------------- held together with what the classes say


def test_an_unlisted_key_is_a_fault(written):
    document = written("predict", "copy", "--N", "4096")
    assert is_valid(document)
    for path in ((), ("profiles", 0), ("profiles", 0, "derived"), ("profiles", 0, "lines", 0)):
        changed = copy.deepcopy(document)
        place = changed
        for key in path:
            place = place[key]
        place["new"] = 1
        assert not is_valid(changed), path


def test_every_listed_key_is_written():
    defs = SCHEMA["$defs"]
    assert [*defs["derived"]["properties"]] == [*DERIVED]
    assert {*defs["finding"]["properties"]} == {*Finding.__dataclass_fields__, "speedup", "gain"}
    assert {*defs["measured_launch"]["properties"]} == {*measurement.MeasuredLaunch.__dataclass_fields__}
    assert {*defs["device"]["properties"]} == {*measurement.Device.__dataclass_fields__}


# ---------------------------------------------------------------- what is read back


def test_what_is_compared_is_read_back_and_says_the_same(written, tmp_path):
    for kernel in ("copy", "attention-standard"):
        for name, size in (("a", "64"), ("b", "128")):
            (tmp_path / f"{name}.json").write_text(json.dumps(written("predict", kernel, "--N", size)))
        there = written("diff", "a.json", "b.json", "--no-why")
        check(there, "diff")
        assert there == written("diff", f"{kernel} --N 64", f"{kernel} --N 128", "--no-why")


def test_what_diff_reads_is_of_no_later_version(written, tmp_path, capsys):
    later = written("predict", "copy", "--N", "64") | {"schema": 2, "gpusim": "9.1"}
    (tmp_path / "p.json").write_text(json.dumps(later))
    assert main(["diff", "p.json", "copy --N 64"]) == 2
    says = "p.json: follows schema 2, written by gpusim 9.1; this gpusim reads up to 1: take a newer"
    assert capsys.readouterr().err.strip() == f"gpusim: {says}"


@pytest.fixture
def predicted(written, tmp_path):
    """A prediction of a launch that was measured, and the name of both."""
    document = written("predict", "copy", "--N", "65536")
    shipped = measurement.read(measurement.shipped("h200"))
    launch = next(one for one in shipped.launches if one.id.startswith("copy N="))
    document["profiles"][0]["id"] = launch.id
    return document, launch.id


@pytest.mark.parametrize("key", ["this version", "none"])
def test_this_version_and_what_was_written_before_are_read(predicted, key, tmp_path, capsys):
    document, launch = predicted
    if key == "none":
        del document["schema"]
    (tmp_path / "p.json").write_text(json.dumps(document))
    assert main(["compare", "h200", "p.json", "--only", launch]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "says"),
    [
        (2, "p.json: follows schema 2, written by gpusim 9.1; this gpusim reads up to 1: take a newer"),
        ("1", "p.json: schema: must be a whole number from 1 on, not '1'"),
        (0, "p.json: schema: must be a whole number from 1 on, not 0"),
        (True, "p.json: schema: must be a whole number from 1 on, not True"),
    ],
)
def test_a_later_version_is_refused_in_a_line(predicted, version, says, tmp_path, capsys):
    document, launch = predicted
    (tmp_path / "p.json").write_text(json.dumps(document | {"schema": version, "gpusim": "9.1"}))
    assert main(["compare", "h200", "p.json", "--only", launch]) == 2
    assert capsys.readouterr().err.strip() == f"gpusim: {says}"


def test_a_measurement_of_a_later_version_is_refused(tmp_path):
    raw = json.loads(measurement.shipped("h200").read_text()) | {"schema": 2}
    with pytest.raises(measurement.MeasurementError, match=r"^m\.json: follows schema 2, written by gpusim 0\.1\.0"):
        measurement.parse(json.dumps(raw), "m.json")


def test_the_schema_comes_with_the_package():
    folder = Path(documents.__file__).parents[1] / "data" / "schema"
    assert [path.name for path in folder.iterdir()] == [f"results-{documents.VERSION}.json"]
