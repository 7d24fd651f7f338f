"""The way of a sector, a unit a file: access patterns, L1, requests under way, coalescer, fabric, L2, DRAM."""
