"""What the evidence on mixtures with known covariance uses, and lecture 10 will.

`copies`: ideal data for two components; `groups`: the exact evidence of a few data points;
`answers`: what copies of a component cost.
"""

from vbkit.chapters.known_covariance import copies, groups  # noqa: F401
