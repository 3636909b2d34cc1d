"""Random calls of the public functions, with good and with bad arguments."""
