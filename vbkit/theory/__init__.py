"""What is known exactly: evidences by enumeration, limits, thresholds."""
