"""What to choose, from predictions: what changed, sweeps, tuning."""
