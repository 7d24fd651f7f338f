"""What a launch is predicted to do, as records: counters with their claims, what follows from them, a timeline."""
