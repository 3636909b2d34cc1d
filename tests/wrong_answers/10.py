"""What students might answer in notebook 10."""


def copy_pays_from__pinned_as_the_others(inside, pinned, b):
    """Right at 2 of 4 inputs"""
    return (inside + pinned + 1) / 2


def copy_pays_from__without_the_share(inside, pinned, b):
    """Each is too small by 0.5."""
    return inside / 2 + b * pinned  # half a data point for its share, too


def expected_smaller_share__by_symmetry(a, b, M, N):
    """Each is too large."""
    return 0.5  # the mean of n / N, not of the smaller


def coefficient_gap__grows_for_ever(a, b, M):
    """Right at 2 of 5 inputs"""
    return max(a - M * b, 0.0)


def coefficient_gap__exact_bayes_less_vb(a, b, M):
    """The sign is wrong."""
    return -min(max(a - M * b, 0.0), 0.5)
