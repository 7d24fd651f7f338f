"""Makes the helpers beside these tests importable wherever pytest is started: ``from tests.kernels.run import run``."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
