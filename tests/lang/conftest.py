"""Sample kernels are in ``samples.py``, beside this file."""
