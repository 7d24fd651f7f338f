"""What runs a launch: jitted functions over the flat arrays of :mod:`gpusim.engine.state.columns`."""
