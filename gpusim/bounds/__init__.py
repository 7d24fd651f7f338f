"""The least traffic that any schedule of a computation can have, by Hölder-Brascamp-Lieb inequalities."""
