"""What evidence 09 needs beside lectures 09a and 09b: the truths and stored studies of Kaji 2011,
chapter 6, and its tables over priors."""
