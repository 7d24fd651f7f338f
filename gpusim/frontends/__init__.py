"""What is given -> launches: descriptions, chains of them, machine code.

Each file makes :class:`~gpusim.simulate.prediction.Work` of one kind of thing and offers the function that users call;
:func:`gpusim.simulate.prediction.predict` does what is common to all.
"""
