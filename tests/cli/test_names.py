"""What is somebody told who misspells a name: a few that may have been meant, never all there are."""

import copy
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.catalogue import lookup
from gpusim.cli import main
from gpusim.errors import GpusimError
from gpusim.names import MOST, nearest, suggest
from tests.report.profiles import tiled_matmul

WORDS = st.text("abcdef-2", min_size=1, max_size=12)


@given(WORDS, st.lists(WORDS, unique=True))
def test_a_suggestion_is_a_line_with_five_names_at_most(name, known):
    said = suggest(name, known)
    assert "\n" not in said
    named = re.split(r", | or ", re.sub(r"^did you mean |^there are (\d+, such as )?|\?$", "", said))
    assert len(named) <= MOST
    assert set(named) <= {*known, "none"}


@given(st.lists(WORDS, min_size=1, unique=True), st.data())
def test_a_name_in_other_letters_and_the_beginning_of_one_are_found_first(known, data):
    meant = data.draw(st.sampled_from([name for name in known if len(name) >= 3] or ["abc"]))
    begun = meant[: data.draw(st.integers(3, 12))].upper()
    assert nearest(begun, [*known, "abc"])[0].startswith(begun.lower())


@pytest.mark.parametrize(
    "command",
    ["predict {}", "formula {}", "emit {}", "kernels {}", "measure {}", "scenario {}", "gpus {}",
     "predict copy --gpu {}", "predict copy --{} 3", "profile x.cu --grid 1 --block 1 --arg {}:1"],
)  # fmt: skip
@pytest.mark.parametrize("word", ["zqzqzq", "flash-attention-", "h20", "a"])
def test_an_unknown_word_is_answered_in_a_short_line(capsys, command, word):
    if main(command.format(word).split()) == 0:
        assert "kernels" in command  # a part of a name is none of its mistakes
        return
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert word in said
    assert len(re.split(r", | or ", said)) <= MOST + 1
    assert len(said) < 240


@pytest.mark.parametrize("command", ["predict", "formula", "emit"])
def test_a_family_for_a_name_says_which_kernel_it_is_and_what_others_there_are(capsys, predicted, command):
    assert main([command, "flash-attention"]) == 0
    said = capsys.readouterr().err
    assert "flash-attention is taken to be flash-attention-2; there are also flash-attention-1, " in said
    assert "(gpusim kernels flash-attention)" in said
    assert main([command, "flash-attention-2"]) == 0
    assert "taken to be" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "first", "has"),
    [
        ([], "family", "matmul"),
        (["transpose"], "kernel", "transpose-padded"),
        (["flash", "causal"], "kernel", "flash-attention-2-backward-causal[-f16]"),
        (["matmul-tiled"], "matmul-tiled:", "--tile"),
        (["five-point"], "stencil5:", "--X"),
        (["row-mean"], "row-mean:", "--M"),
    ],
)
def test_kernels_are_listed_found_and_shown(capsys, words, first, has):
    assert main(["kernels", *words]) == 0
    shown = capsys.readouterr().out
    assert shown.split()[0] == first
    assert has in shown.split()


def test_a_word_is_looked_for_in_names_families_and_summaries():
    found = lookup.search(["BACKWARD"])
    assert {"softmax-backward", "sigmoid3-backward", "flash-attention-1-backward-f16"} <= {a.name for a in found}
    for word in ("attention", "gradients", "f16"):
        assert all(word in " ".join((a.name, *a.also, a.family, a.summary)) for a in lookup.search([word]))


@pytest.mark.parametrize(
    ("look", "says"),
    [
        (
            lambda profile: profile.l2_hitrate,
            "'Profile' object has no attribute 'l2_hitrate': did you mean l2_hit_rate",
        ),
        (lambda profile: profile.dram_bytes_red, "did you mean dram_bytes_read"),
        (lambda profile: gpusim.predct, "module 'gpusim' has no attribute 'predct': did you mean predict"),
    ],
)
def test_a_misspelt_attribute_is_told_the_nearest(look, says):
    with pytest.raises(AttributeError, match=says):
        look(tiled_matmul())


@pytest.mark.parametrize("kind", [KeyError, GpusimError])
def test_a_misspelt_metric_is_told_the_nearest(kind):
    with pytest.raises(kind) as error:
        tiled_matmul()["dram_bytes_read.sum"]
    assert str(error.value).startswith("unknown metric of matmul-tiled 'dram_bytes_read.sum': did you mean dram__bytes")


def test_a_property_that_fails_says_how_and_a_profile_can_be_copied_and_pickled(monkeypatch):
    profile = tiled_matmul()
    assert copy.copy(profile) == profile == pickle.loads(pickle.dumps(profile))
    monkeypatch.setattr(gpusim.Profile, "waves", property(lambda self: self.metrics.nothing))
    with pytest.raises(AttributeError, match="nothing"):
        assert profile.waves
