"""Is it said of which launches errors are, and of which metrics?"""

from gpusim.profiles.profile import Profile
from gpusim.report import as_text
from gpusim.report.claims import claim, legend
from gpusim.results.metric import CYCLES, DURATION, Claim, Interval, Metric

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


def test_a_claim_with_an_interval_says_it_instead_of_errors():
    assert str(Metric(4674, "cycle", Claim.CALIBRATED, 0.05, p90=0.1, interval=Interval(4350.4, 5210, OWN))) == (
        "4674 cycle (calibrated, 80 %: 4350 to 5210)"
    )
    assert str(Interval(2.2e-6, 2.63e-6, OWN)) == "80 %: 2.2e-06 to 2.63e-06"


def test_a_sweep_has_intervals_beside_times_and_errors_under_the_rest():
    def timed(gpu, seconds, interval):
        time = Metric(seconds, "s", Claim.CALIBRATED, 0.05, p90=0.1, among=ALL, interval=interval)
        cycles = Metric(2e9 * seconds, "cycle", Claim.CALIBRATED, 0.05, p90=0.1, among=ALL, interval=interval)
        found = {DURATION: time, CYCLES: cycles, "dram__bytes_read.sum": metric(OWN)}
        return Profile("mine", {}, gpu, (1, 1, 1), (256, 1, 1), found)

    own = Interval(2.2e-6, 2.6e-6, "9 launches of mine")
    text = as_text([timed("h200", 2.4e-6, own), timed("a100", 4e-6, None)], 80)
    rows = {line.split()[0]: line for line in text.split("\n") if line.strip()}
    assert "2.20 to 2.60 us" in rows["h200"]
    assert "to" not in rows["a100"].split()
    assert "5 %" in rows["half"]  # of the a100's time
    assert "9 launches of mine" in " ".join(text.split())
    both = as_text([timed("h200", 2.4e-6, own), timed("a100", 4e-6, own)], 80)
    assert ALL not in " ".join(both.split())
    assert "80 %" not in as_text([timed("h200", 2.4e-6, None), timed("a100", 4e-6, None)], 80).replace("90 %", "")
