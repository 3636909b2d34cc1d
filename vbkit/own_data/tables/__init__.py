"""One's own table, from a file to a report: `python -m vbkit fit FILE --to DIR`."""
