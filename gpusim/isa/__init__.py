"""The warp-level instruction set: opcodes, programs, their listing and their checks."""
