"""What computes: the values that instructions leave in registers."""
