"""Results that show themselves: a profile of a launch, and one of a chain of launches."""
