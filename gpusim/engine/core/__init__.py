"""The machine: blocks, warps and schedulers, control flow, and time."""
