import dataclasses

from gpusim.profiles.profile import Profile
from gpusim.report import as_text
from gpusim.results.traffic import Formula
from tests.report.profiles import tiled_matmul


def test_levels_are_named_by_what_they_serve():
    assert tiled_matmul(l1_hit=0.03, merged=0.22, l2_hit=0.26).sentence == (
        "HBM reads 8.42 GB, 49 % of the 17.2 GB that 2MNK/T says: "
        "L2 serves 26 %, merging of misses in front of L2 22 %, L1 3.0 %."
    )


def test_a_level_that_serves_nothing_is_not_named():
    assert tiled_matmul(l1_hit=0, merged=0, l2_hit=0.5).sentence.endswith("says: L2 serves 50 %.")


def test_what_no_cache_can_avoid_is_said():
    profile = tiled_matmul(n=2048, read=2 * 4 * 2048**2)
    assert "what is left is every input byte once" in profile.sentence


def test_a_result_that_stays_in_l2_is_said():
    assert "HBM writes 0 B: L2 still holds the result" in tiled_matmul(n=1024, written=0).sentence
    assert "still holds" not in tiled_matmul().sentence


def test_agreement_with_the_formula_is_said():
    profile = tiled_matmul(l1_hit=0, merged=0, l2_hit=0)
    assert profile.sentence == "HBM reads 17.2 GB, as much as the 17.2 GB that 2MNK/T says."


def test_loads_that_touch_more_than_they_need_are_said():
    profile = tiled_matmul(l1_hit=0, merged=0, l2_hit=0)
    quarter = Formula("global reads", "N", profile.textbook["reads"].nbytes / 4)
    scattered = dataclasses.replace(profile, textbook={"reads": quarter})
    assert scattered.sentence == (
        "HBM reads 17.2 GB, 4.0 times the 4.29 GB that N says: "
        "loads touch 4.0 times the bytes they need (17.2 GB of sectors)."
    )


def test_lanes_that_share_sectors_are_said():
    profile = tiled_matmul(l1_hit=0, merged=0, l2_hit=0.5)
    naive = Formula("global reads", "2MNK", profile.textbook["reads"].nbytes * 32)
    shared = dataclasses.replace(profile, textbook={"reads": naive})
    assert "lanes of a warp that read the same sectors share them, which leaves 17.2 GB" in shared.sentence
    assert shared.sentence.endswith("L2 serves 50 % of the loads.")


def test_without_a_formula_the_amount_is_still_explained():
    profile = dataclasses.replace(tiled_matmul(l1_hit=0, merged=0, l2_hit=0.5), textbook={})
    assert profile.sentence == "HBM reads 8.59 GB: L2 serves 50 % of the loads."


def test_nothing_is_said_of_what_is_not_known():
    assert Profile("copy", {}, "h200", (1, 1, 1), (1, 1, 1), {}).sentence == ""


def test_several_profiles_are_compared_with_what_the_formula_says():
    text = as_text([tiled_matmul(tile=tile) for tile in (8, 16, 32)])
    assert (
        "HBM reads run from 33.7 GB (T=8) down to 8.42 GB (T=32), a factor of 4.0; 2MNK/T says a factor of 4.0."
        in flat(text)
    )


def test_gpus_are_compared_with_what_the_formula_says():
    text = as_text([tiled_matmul(), tiled_matmul(gpu="a100-40gb", l2_hit=0)])
    assert "(a100-40gb) down to 8.42 GB (h200), a factor of 1.5; the formula says they are the same." in flat(text)


def test_no_change_is_said_too():
    text = as_text([tiled_matmul(read=10**9), tiled_matmul(tile=16, read=10**9)])
    assert "HBM reads hardly differ, 1.00 GB (T=32) at most; 2MNK/T says a factor of 2.0." in flat(text)


def flat(text):
    return " ".join(text.split())
