"""``python -m gpusim.measure JOB``: the process that works on the GPU."""

from __future__ import annotations

import sys

from gpusim.measure.worker import main

sys.exit(main(sys.argv[1:]))
