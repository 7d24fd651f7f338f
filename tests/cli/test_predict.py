import json
import os
import warnings

import pytest

import gpusim
from gpusim.cli import main
from gpusim.errors import ParameterError
from gpusim.folders import CacheWarning


def options(call):
    """What a call was asked for, less how it reports progress."""
    return {name: value for name, value in call.items() if name != "progress"}


def test_parameters_reach_predict_under_the_names_typed(predicted, capsys):
    assert main("predict matmul-tiled --n 4096 --m=512 --tile 32 --gpu h200".split()) == 0
    assert [options(call) for call in predicted] == [
        {
            "kernel": "matmul-tiled",
            "gpu": "h200",
            "cache": "cold",
            "sample": None,
            "fresh": False,
            "kernels": [],
            "registers": None,
            "n": 4096,
            "m": 512,
            "tile": 32,
            "jobs": None,
        }
    ]
    assert "HBM reads 8.42 GB, 49 % of the 17.2 GB that 2MNK/T says" in capsys.readouterr().out


def test_a_cache_that_cannot_be_used_is_one_line(predicted, capsys, monkeypatch):
    def warns(*arguments, **options):
        warnings.warn("what was worked out cannot be kept", CacheWarning, stacklevel=2)
        return predicted(*arguments, **options)

    monkeypatch.setitem(vars(gpusim), "predict", warns)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main("predict copy --n 64".split()) == 0
    assert capsys.readouterr().err == "gpusim: what was worked out cannot be kept\n"


def test_options_may_stand_anywhere(predicted):
    assert main("predict --n 4096 --cache warm matmul-tiled --exact --registers 64 --tile 32".split()) == 0
    assert predicted[0]["kernel"] == "matmul-tiled"
    assert predicted[0]["cache"] == "warm"
    assert predicted[0]["sample"] is False
    assert predicted[0]["registers"] == 64


def test_lists_give_every_combination_in_order(predicted):
    assert main("predict matmul-tiled --tile 8,16 --gpu h200,a100-40gb --n 512".split()) == 0
    cases = [(call["gpu"], call["tile"]) for call in predicted]
    assert cases == [("h200", 8), ("h200", 16), ("a100-40gb", 8), ("a100-40gb", 16)]


def test_what_is_given_twice_is_predicted_once(predicted):
    assert main("predict matmul-tiled --tile 8,16,8 --gpu h200,h200".split()) == 0
    assert [call["tile"] for call in predicted] == [8, 16]


def test_little_of_a_launch_can_be_asked_for(predicted):
    assert main("predict matmul-tiled --quick".split()) == 0
    assert predicted[0]["sample"] == "quick"


def test_a_row_that_fails_says_so_and_leaves_the_others_alone(predicted, capsys):
    def fails_once(kernel, tile, **options):
        if tile == 16:
            raise ParameterError("does not fit")
        return predicted(kernel, tile=tile, **options)

    vars(gpusim)["predict"] = fails_once
    assert main("predict matmul-tiled --n 512 --tile 8,16,32 --jobs 1".split()) == 0
    shown = capsys.readouterr()
    assert shown.err == "gpusim: --n 512 --tile 16 on h200: does not fit\n"
    assert [call["tile"] for call in predicted] == [8, 32]


def test_where_all_rows_fail_it_is_one_error(predicted, capsys):
    predicted.error = ParameterError("does not fit")
    assert main("predict matmul-tiled --tile 8,16 --jobs 1".split()) == 2
    assert capsys.readouterr().err == "gpusim: none of 2 could be predicted: does not fit\n"


@pytest.mark.parametrize("wrong", ["--gpu h200,h300", "--n 64,0", "--n 64,abc", "--n 64 --tile 32,64"])
def test_every_value_of_a_list_is_checked_before_the_first_is_simulated(predicted, capsys, wrong):
    assert main(f"predict matmul-tiled {wrong}".split()) == 2
    assert not predicted
    assert capsys.readouterr().err.startswith("gpusim: ")


def test_repeating_an_option_is_a_list_too(predicted):
    assert main("predict matmul-tiled --tile 8 --tile 16".split()) == 0
    assert [call["tile"] for call in predicted] == [8, 16]


@pytest.mark.parametrize(("text", "value"), [("4_096", 4096), ("1e6", 10**6), ("-5", -5), ("0.5", 0.5), ("x", "x")])
def test_values(predicted, text, value):
    predicted.error = ParameterError("refused")
    assert main(["predict", "matmul-tiled", "--n", text]) == 2
    assert predicted[0]["n"] == value


def test_letter_case_is_forgiven(predicted):
    assert main("predict matmul-tiled --N 64 --t 16".split()) == 0
    assert (predicted[0]["N"], predicted[0]["T"]) == (64, 16)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("predict", "Missing argument"),
        ("predict --n 4", "no kernel is named"),
        ("predict matmul-tiled copy", "one kernel is needed, not 2: matmul-tiled copy"),
        ("predict matmul-tiled --quick --exact", "--quick and --exact: take one of them"),
        ("profile x.cu --quick --sample", "--quick and --sample: take one of them"),
        ("predict attention-standard --quick", "a quick prediction is of one kernel"),
        ("predict matmul-tiled --n", "option --n needs a value"),
        ("predict matmul-tiled --n --tile 8", "option --n needs a value"),
        ("predict matmul-tiled --n=", "option --n= needs a value"),
        ("predict matmul-tilde", "unknown kernel 'matmul-tilde': did you mean matmul-tiled"),
        ("predict matmul-tiled --tiel 8", "unknown parameter of matmul-tiled 'tiel': did you mean tile"),
        ("predict matmul-tiled --registers 0", "Invalid value for '--registers'"),
        (
            "predict attention-standard --registers 64",
            "--registers is of one kernel; attention-standard is a chain of 3",
        ),
        ("predict matmul-tiled --json .", "--json .: that is a folder"),
        ("predict matmul-tiled --json nowhere/out.json", "there is no folder nowhere"),
        ("predit matmul-tiled", "No such command 'predit'"),
        ("predict matmul-tiled --json a.json --timeline a.json", "--json and --timeline name the same file, a.json"),
        ("predict matmul-tiled --timeline t.json --timeline-from 2305843009213693952", "a timeline's start = 2305843"),
        (f"predict matmul-tiled --json {'a' * 300}", "File name too long"),
        ("compare h201", "unknown measurement 'h201': did you mean h200?"),
        ("emit copy --name 3x", "--name 3x: a function's name is of letters"),
        ("formula matmul-tiled --tile 8,16", "formula takes one value of a parameter, not 2 of --tile"),
        ("scenario no-such", "unknown scenario 'no-such'"),
        ("kernels --kernels nowhere", "no such folder of kernels: nowhere"),
    ],
)
def test_what_a_user_gets_wrong_is_one_line_and_status_2(predicted, capsys, command, message):
    assert main(command.split()) == 2
    assert_complains(capsys, message)
    assert not predicted


def test_what_predict_refuses_is_one_line_and_status_2(predicted, capsys, tmp_path):
    predicted.error = ParameterError("a tile of 64 needs 4096 threads:\n the largest that fits is 32")
    assert main(["predict", "matmul-tiled", "--json", str(tmp_path / "out.json")]) == 2
    assert_complains(capsys, "a tile of 64 needs 4096 threads: the largest that fits is 32")
    assert not list(tmp_path.iterdir())


def test_a_bug_keeps_its_traceback(predicted):
    predicted.error = ValueError("not one of ours")
    with pytest.raises(ValueError, match="not one of ours"):
        main(["predict", "matmul-tiled"])


def test_interrupting_leaves_no_file(predicted, capsys, tmp_path):
    predicted.error = KeyboardInterrupt()
    assert main(["predict", "matmul-tiled", "--json", str(tmp_path / "out.json")]) == 130
    assert_complains(capsys, "interrupted")
    assert not list(tmp_path.iterdir())


def test_interrupting_the_write_leaves_the_old_file(predicted, tmp_path, monkeypatch):
    out = tmp_path / "out.json"
    out.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    assert main(["predict", "matmul-tiled", "--json", str(out)]) == 130
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    assert out.read_text() == "old"


def test_json_holds_every_profile(predicted, tmp_path):
    out = tmp_path / "out.json"
    assert main(["predict", "matmul-tiled", "--tile", "16,32", "--json", str(out)]) == 0
    profiles = json.loads(out.read_text())["profiles"]
    assert [profile["params"]["T"] for profile in profiles] == [16, 32]
    assert profiles[0]["metrics"]["dram__bytes_read.sum"]["claim"] == "extrapolated"
    assert out.stat().st_mode & 0o777 == 0o666 & ~umask()
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_json_to_standard_output_is_nothing_but_json(predicted, capsys):
    assert main(["predict", "matmul-tiled", "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["profiles"]) == 1


def umask():
    current = os.umask(0)
    os.umask(current)
    return current


def assert_complains(capsys, message):
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("gpusim: ")
    assert message in lines[0]


def test_a_time_has_its_interval_in_80_columns_and_in_json(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main("predict vector-add --n 65536 --json -".split()) == 0
    (told,) = json.loads(capsys.readouterr().out)["profiles"]
    cycles, seconds = (told["metrics"][name] for name in ("gpc__cycles_elapsed.max", "gpu__time_duration.sum"))
    low, high = (cycles["interval"][end] for end in ("low", "high"))
    assert 0.5 * cycles["value"] < low < high < 2 * cycles["value"]
    assert seconds["interval"]["low"] / low == pytest.approx(seconds["value"] / cycles["value"])
    assert cycles["interval"]["share"] == 0.8
    assert main("predict vector-add --n 65536".split()) == 0
    line = capsys.readouterr().out.split("\n")[2]
    thousands = [f"{round(end):,}".replace(",", " ") for end in (cycles["value"], low, high)]
    assert line.endswith(" us, {} cycles (80 %: {} to {})".format(*thousands))
    assert len(line) <= 80
