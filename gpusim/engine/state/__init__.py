"""The arrays of a simulated machine, their columns, and what anything may note in them."""
