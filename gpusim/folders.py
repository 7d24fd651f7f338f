"""Folders of the user's that gpusim writes to."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Folder for compiled code: ``$GPUSIM_CACHE_DIR``, else the platform's cache folder."""
    if own := os.environ.get("GPUSIM_CACHE_DIR"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "gpusim" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gpusim"
