"""Data of one's own: estimators, and tables or ratings from a file to a report."""
