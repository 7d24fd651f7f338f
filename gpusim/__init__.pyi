# What the package offers: a line a name, `from MODULE import NAME as NAME`.  There is no other list of these names.
# Type checkers read it as it is; gpusim/__init__.py imports what a line says when the name is first used.

from gpusim import model as model
from gpusim import triton as triton
from gpusim.bounds.answer import bound as bound
from gpusim.bounds.result import Bound as Bound
from gpusim.catalogue.lookup import kernels as kernels
from gpusim.checks.check import check as check
from gpusim.checks.result import CheckResult as CheckResult
from gpusim.decide.diff import diff as diff
from gpusim.decide.sweep import Sweep as Sweep
from gpusim.decide.sweep import sweep as sweep
from gpusim.decide.tune import tune as tune
from gpusim.decide.tuning import Tuning as Tuning
from gpusim.errors import GpusimError as GpusimError
from gpusim.frontends.chains import predict_chain as predict_chain
from gpusim.frontends.cuda import profile as profile
from gpusim.frontends.described import predict as predict
from gpusim.frontends.values import run as run
from gpusim.frontends.values import run_chain as run_chain
from gpusim.hardware.library import load_gpu as load_gpu
from gpusim.profiles.chain import ChainProfile as ChainProfile
from gpusim.profiles.profile import Profile as Profile
from gpusim.results.metric import Claim as Claim
from gpusim.results.metric import Interval as Interval
from gpusim.results.metric import Metric as Metric
from gpusim.results.timeline import Recording as Recording
from gpusim.results.timeline import Timeline as Timeline
from gpusim.simulate.tensor_maps import TensorMap as TensorMap
from gpusim.simulate.textures import Texture as Texture

__version__: str
IMPORTED_NS: int
