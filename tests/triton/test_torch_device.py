"""Tensors on ``cuda`` where there is none: what says it is there, what computes, what addresses are."""

import numpy as np
import pytest

pytest.importorskip("triton", reason="gpusim[triton] is not installed")
torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from triton.testing import do_bench

from gpusim.errors import ParameterError
from gpusim.triton import activate
from tests.triton.kernels import copied_tile, doubled, gathered

CUDA = torch.device("cuda", 0)


@pytest.fixture
def gpu():
    with activate("h100-sxm", summary=False) as found:
        yield found


def test_what_is_computed_of_tensors_on_the_gpu_is_on_it(gpu):
    x = torch.ones(4, device="cuda")
    made = torch.cat([x, x]), torch.empty_like(x), torch.ones(4).cuda(), torch.ones(4, device=0), x.to(torch.int32)
    for there in (x + 1, x[1:], x.view(2, 2).T, *made):
        assert there.device == CUDA
        assert there.is_cuda
        assert not there.is_cpu
    for here in (torch.ones(4), x.cpu(), x.to("cpu"), (x + 1).cpu() * 2, torch.ones(4).copy_(x)):
        assert here.device == torch.device("cpu")
        assert not here.is_cuda


def test_a_tensor_that_is_moved_is_another_one(gpu):
    x = torch.ones(4)
    there = x.cuda()
    back = there.cpu()
    there += 1
    assert (x.sum(), there.sum(), back.sum()) == (4, 8, 4)
    assert there.cuda() is there or there.cuda().data_ptr() == there.data_ptr()


def test_a_default_device_and_a_device_as_context_count(gpu):
    with torch.device("cuda"):
        assert torch.zeros(3).is_cuda
    torch.set_default_device("cuda")
    try:
        assert torch.zeros(3).is_cuda
    finally:
        torch.set_default_device(None)


def test_kernels_come_to_tensors_by_addresses_that_a_program_was_told(gpu):
    parts = [torch.rand(256, device="cuda") for _ in range(3)]
    addresses = torch.tensor([one[64:].data_ptr() for one in parts], device="cuda")
    y = torch.zeros(3 * 128, device="cuda")
    gathered[(3,)](addresses, y, BLOCK=128)
    assert torch.equal(y, torch.cat([one[64:192] for one in parts]))


def test_addresses_are_given_anew_when_tensors_are_gone(gpu):
    first = torch.ones(1000, device="cuda").data_ptr()
    assert torch.ones(1000, device="cuda").data_ptr() == first
    kept = torch.ones(1000, device="cuda")
    assert kept.data_ptr() == first
    assert torch.ones(1000, device="cuda").data_ptr() != first


def test_tensors_of_the_host_are_arguments_too(gpu):
    x, y = torch.rand(256), torch.zeros(256)
    doubled[(1,)](x, y, 256, BLOCK=256)
    assert torch.equal(y, 2 * x)
    halves = torch.rand(256, dtype=torch.bfloat16)
    out = torch.zeros_like(halves)
    doubled[(1,)](halves, out, 256, BLOCK=256)
    assert torch.equal(out, 2 * halves)


def test_gradients_are_on_the_gpu(gpu):
    x = torch.ones(4, device="cuda", requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.is_cuda
    assert torch.equal(x.grad, 2 * torch.ones(4))


def test_sums_of_16_bits_are_those_of_32_rounded_once(gpu):
    x = torch.rand(4096, device="cuda").half()
    assert x.sum().item() == torch.tensor(np.float32(x.float().cpu().numpy().sum(dtype=np.float64))).half().item()
    weight = torch.rand(64, device="cuda").half()
    rows = torch.rand((8, 64), device="cuda").half()
    found = torch.nn.functional.layer_norm(rows, (64,), weight)
    assert found.dtype == torch.float16
    want = torch.nn.functional.layer_norm(rows.double(), (64,), weight.double())
    assert (found.double() - want).abs().max() < 2e-3


class TestBenchmarks:
    """What a benchmark's launches compute: what somebody can see, and nothing else."""

    @pytest.fixture
    def computed(self, gpu, monkeypatch):
        """Kernels that are executed for their values."""
        from gpusim.triton import session

        found = []
        execute = session.execute
        monkeypatch.setattr(
            session, "execute", lambda launch, *rest, **how: (found.append(1), execute(launch, *rest, **how))[1]
        )
        return found

    @staticmethod
    def launched(x, y):
        doubled[(1,)](x, y, 256, BLOCK=256)
        return y

    def test_results_that_are_gone_are_not_computed(self, gpu, computed):
        x = torch.rand(256, device="cuda")
        assert do_bench(lambda: self.launched(x, torch.empty_like(x))) > 0
        assert not computed

    def test_results_that_stay_are(self, gpu, computed):
        x, y = torch.rand(256, device="cuda"), torch.zeros(256, device="cuda")
        do_bench(lambda: self.launched(x, y))
        assert torch.equal(y, 2 * x)
        assert len(computed) == 1

    def test_of_inputs_that_are_gone_the_values_are_kept(self, gpu, computed):
        x, y = torch.rand(256, device="cuda"), torch.zeros(256, device="cuda")
        do_bench(lambda: self.launched(x.clone(), y))
        assert torch.equal(y, 2 * x)

    def test_what_leads_to_them_is_computed_before(self, gpu, computed):
        x, y = torch.rand(256, device="cuda"), torch.zeros(256, device="cuda")
        do_bench(lambda: self.launched(self.launched(x, torch.empty_like(x)), y))
        assert torch.equal(y, 4 * x)
        assert len(computed) == 2

    def test_pytorch_sees_results_that_it_uses_meanwhile(self, gpu, computed):
        x, kept = torch.rand(256, device="cuda"), []
        do_bench(lambda: kept.append(self.launched(x, torch.empty_like(x)) + 1))
        assert torch.equal(kept[0], 2 * x + 1)

    def test_inputs_that_are_changed_afterwards_are_those_of_the_launch(self, gpu, computed):
        x, y = torch.ones(256, device="cuda"), torch.zeros(256, device="cuda")
        do_bench(lambda: (self.launched(x, y), x.add_(1)))
        assert (y == 2).all()
        assert (x == 2).all()

    def test_what_is_changed_in_place_is_changed_once(self, gpu, computed):
        x = torch.ones(256, device="cuda")
        do_bench(lambda: self.launched(x, x))
        assert (x == 2).all()


def test_the_gpu_says_what_it_is(gpu):
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_capability() == (9, 0)
    properties = torch.cuda.get_device_properties(0)
    assert (properties.multi_processor_count, properties.name) == (132, "h100-sxm")
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        assert torch.cuda.current_device() == 0


def test_all_is_as_before_when_it_is_closed():
    available = torch.cuda.is_available
    with activate("h100-sxm", summary=False):
        x = torch.ones(2, device="cuda")
        assert torch.cuda.is_available is not available
    assert torch.cuda.is_available is available
    assert not x.is_cuda


def test_a_descriptor_that_rounds_as_it_copies_is_refused(gpu):
    from triton.tools.tensor_descriptor import TensorDescriptor

    tensor = torch.zeros((16, 16), device="cuda")
    try:
        rounds = TensorDescriptor.from_tensor(tensor, [16, 16], round_f32_to_tf32=True)
    except TypeError:
        pytest.skip("this Triton has no such descriptors")
    plain = TensorDescriptor.from_tensor(torch.zeros((16, 16), device="cuda"), [16, 16])
    with pytest.raises(ParameterError, match="tensor descriptor x: it rounds fp32 to tf32"):
        copied_tile[(1,)](rounds, plain, BM=16, BN=16)
