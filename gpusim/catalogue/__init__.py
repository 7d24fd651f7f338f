"""What can be asked for by name: algorithms, chains of them, their parameters and formulas, and finding them."""
