"""Random calls, with good and with bad arguments: `python -m tests.fuzz -h`."""
