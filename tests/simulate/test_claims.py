"""Do the errors that a prediction carries come from the launches that are like it?"""

import json

import gpusim
from calibration import published as calibration
from gpusim import hardware
from gpusim.measured import measurement, published
from gpusim.results.metric import DURATION, STALL_SHARE
from gpusim.simulate.known_errors import ENOUGH, PUBLISHED, Errors, behind, errors_of_quick, known_errors

CYCLES = "gpc__cycles_elapsed.max"


def test_a_family_of_which_enough_was_measured_is_judged_by_itself():
    own, all_of_them = (known_errors("h200", "description", family)[CYCLES] for family in ("matmul", ""))
    count, words = own.among.split(" ", 1)
    assert (words, int(count) >= ENOUGH) == ("launches of matmul kernels on h200, by description", True)
    assert " launches of all kernels on h200, by description" in all_of_them.among
    assert 0 < own.error < own.p90 < all_of_them.p90


def test_a_family_of_which_little_was_measured_is_judged_by_all():
    assert known_errors("h200", "description", "stencil")[CYCLES] == known_errors("h200", "description")[CYCLES]


def test_ways_and_samples_have_their_own():
    description, machine_code = (
        known_errors("h200", way, "attention")[CYCLES] for way in ("description", "machine_code")
    )
    assert description.error > 2 * machine_code.error
    assert known_errors("h200", "description", "attention", sampled=True)[CYCLES].among.endswith("each sampled")


def test_of_a_gpu_that_was_not_measured_nothing_is_known():
    assert known_errors("v100", "description", "matmul").get(CYCLES, Errors()) == Errors()


def test_a_prediction_is_judged_by_its_family_and_shares_of_waiting_add_up():
    profile = gpusim.predict("transpose-naive", n=64)
    assert "launches of transpose kernels on h200, by description" in profile[CYCLES].among
    shares = {reason: profile[STALL_SHARE.format(reason)].value / 100 for reason in profile.stalls}
    assert all(abs(shares[reason] - share) < 1e-9 for reason, share in profile.stall_shares.items())
    assert 0 < sum(shares.values()) < 1


def test_launches_of_programs_have_errors_of_their_own():
    found = known_errors("h200", "program")[CYCLES]
    assert "programs on h200" in found.among
    assert found != known_errors("h200", "machine_code")[CYCLES]
    assert known_errors("h200", "program", sampled=True) == known_errors("v100", "program") == {}


def test_times_of_a_users_cuda_are_validated_against_published_times():
    for gpu in ("a100-40gb", "a100-40gb@765MHz"):
        found = known_errors(gpu, "machine_code")
        assert [*found] == [CYCLES, DURATION]
        assert found[DURATION].among.endswith(PUBLISHED)
        assert 0 < found[DURATION].error < found[DURATION].p90
        assert errors_of_quick(gpu, "", "machine_code") == found
    assert known_errors("a100-40gb", "description", "softmax") == {}
    assert PUBLISHED not in known_errors("h200", "machine_code")[DURATION].among


def test_errors_against_published_times_are_of_their_clocks_alone():
    taken = {one.gpu for gpu in published.names() for one in published.of(gpu)}
    tried = {f"{gpu}{clock}" for gpu in published.names() for clock in ("", "@300MHz", "@765MHz", "@1410MHz")}
    assert taken < tried
    assert {gpu for gpu in tried if known_errors(gpu, "machine_code")} == taken
    assert {gpu for gpu in tried if errors_of_quick(gpu, "", "machine_code")} == taken


def test_what_is_behind_predictions_is_what_comes_with_gpusim():
    for gpu in hardware.names():
        file = measurement.shipped(gpu)
        launches = len(measurement.read(file).launches) if file else 0
        times = [x for one in (published.of(gpu) if gpu in published.names() else []) for x in one.compared]
        assert behind(gpu) == (launches, len([x for x in times if not x.unsteady]))
        assert any(behind(gpu)) == bool(known_errors(gpu, "machine_code"))
    assert behind("a100-40gb@765MHz") == behind("a100-40gb")
    assert not any(behind("a100-40gb@300MHz") + behind("h100-sxm@1410MHz"))


def test_errors_against_published_times_are_of_the_files():
    for gpu in published.names():
        path = calibration.ROOT / "gpusim" / "data" / f"published-{gpu}.json"
        assert json.loads(path.read_text()) == calibration.errors(published.of(gpu))


def test_a_users_own_cuda_is_judged_by_kernels_of_strangers():
    own, emitted = (known_errors("h200", "machine_code", family)[CYCLES] for family in ("", "matmul"))
    assert own.among.endswith("public repositories on h200")
    assert int(own.among.split()[0]) >= 400
    assert emitted.error < own.error < own.p90
