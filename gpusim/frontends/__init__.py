"""What users hand over -> launches: descriptions, chains of them, machine code.

Each file makes :class:`~gpusim.simulate.work.Work` of one kind of thing and has the function that users call,
which :func:`gpusim.simulate.prediction.predict` does the rest for.  A new one is a file here, and a line for its
function in ``gpusim/__init__.pyi``.
"""
