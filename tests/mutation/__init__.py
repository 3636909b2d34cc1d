"""Would the tests notice? One small mistake at a time, in a copy: `python -m tests.mutation -h`."""
