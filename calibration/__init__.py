"""What gpusim is held against, and the programs that hold it: never part of the package.

``data/`` has what was measured, ``microbenchmarks/`` a module for each question that the hardware was asked, with the
cases that the simulator is asked again.  The modules of this folder each have one purpose:

================== ============================================================================================
``bench``          what microbenchmarks share: tables, kernels, cases
``calibrate``      runs every microbenchmark and writes docs/calibration
``constants``      every number about hardware, and the cases in which it decides
``launch_files``   writes the launch files that ``gpusim measure`` runs, and takes in what it measured
``refresh``        predicts every measured launch and writes docs/validation.md
``unchanged``      predicts the same launches and compares every metric to the digit
``handwritten``    the counters of 54 launches of hand-written CUDA
``described``      which described kernel does what each of these launches does
``shipped``        errors, tables and drawings of the launches that come with gpusim
``intervals``      what intervals of time follow from, and whether held-out launches fall inside
``sampled_launches`` launches of which only part is run
``quick_predictions`` quick predictions against full ones; writes docs/quick.md
``exact_counters`` metrics that must be identical to hardware
``repeatability``  how far an H200 is from itself
``trust``          errors by metric and by kind of kernel; writes the tables of docs/trust.md
``sgemm_ladder``   the published SGEMM ladder; writes docs/ladder.md
``flash_attention_2`` FlashAttention-2 on tensor cores; writes the first part of docs/attention.md
``flash_attention_3`` FlashAttention-3; writes the second part of docs/attention.md
``hopper``         203 launches of Hopper's kernels, as an H100 and an H200 measured them
``ncu``            runs Nsight Compute
================== ============================================================================================

All run from the root of the repository: ``python -m calibration.refresh``.
"""

import os

os.environ["GPUSIM_FORGET"] = "1"  # whatever is held against hardware is simulated now, in child processes too
