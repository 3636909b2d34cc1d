"""Reference answers to the exercises, one module a notebook: what the checkers compare with (spoilers)."""
