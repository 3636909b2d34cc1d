"""What evidence 09 needs beside lecture 09: the truths and stored studies of Kaji 2011,
chapter 6, and its tables over priors."""
