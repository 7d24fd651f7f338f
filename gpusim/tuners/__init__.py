"""Tuners of others, given predicted times in the place of measured ones; a module each."""
