"""Is it said of which launches errors are, and of which metrics?"""

from gpusim.report.claims import claim, legend
from gpusim.results.metric import Claim, Metric

OWN, ALL = (
    "61 launches of matmul kernels on h200, by description",
    "266 launches of all kernels on h200, by description",
)


def metric(among="", error=0.01, p90=0.1):
    return Metric(1, "byte", Claim.MODELLED, error, p90=p90, among=among)


def test_errors_of_one_family_are_said_to_be_so():
    assert legend({"HBM reads": metric(OWN)}) == (f"±a/b %: half are off by a % at most, nine in ten by b %, of {OWN}.")


def test_what_is_judged_by_other_launches_is_named():
    said = legend({"time": metric(OWN), "L2 reads": metric(OWN), "atomics": metric(ALL)})
    assert said.endswith(f"of {OWN}; atomics: of {ALL}.")


def test_of_what_is_exact_nothing_need_be_said():
    assert legend({"L1": Metric(1, "byte", Claim.EXACT, 0.0, p90=0.0, among=OWN), "none": None}) == ""


def test_a_narrow_claim_is_its_errors_alone():
    assert claim(metric()) == ("modelled ±1/10 %", "±1/10 %")
    assert claim(Metric(1, "byte", Claim.EXACT)) == ("exact", "exact")
    assert claim(None) == ("–", "–")
