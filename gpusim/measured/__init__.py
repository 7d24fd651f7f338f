"""What was measured: its file, what Nsight Compute writes, and predictions held against it."""
