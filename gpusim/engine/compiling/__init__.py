"""How the engine is compiled, kept, and written: what jitted code is made of."""
