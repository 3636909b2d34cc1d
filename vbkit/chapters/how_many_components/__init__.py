"""Companion of notebook 05b: how many components the ELBO wants (Sato 2000, section 5)."""
