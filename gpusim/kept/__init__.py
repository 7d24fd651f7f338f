"""What was worked out before, kept on disk by content: programs, GPUs, results.

``store`` is where it lies, ``fingerprint`` tells what decided it, ``package`` which gpusim worked it out.
"""
