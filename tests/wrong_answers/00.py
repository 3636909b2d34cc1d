"""What students might answer in notebook 00."""


def expected_log_shares__log_of_the_mean(counts, phi):
    """Each is too large."""
    a = phi + counts
    return np.log(a) - np.log(a.sum())


def expected_log_shares__one_phi_in_the_sum(counts, phi):
    """At each input, all are off by the same amount."""
    return digamma(phi + counts) - digamma(phi + counts.sum())


def expected_log_shares__without_the_second_term(counts, phi):
    """At each input, all are off by the same amount."""
    return digamma(phi + counts)


def count_alive__all_components(X, start, concentration):
    """Right at 2 of 4 inputs"""
    return len(start)


def count_alive__more_than_nothing(X, start, concentration):
    """Each is too large"""
    fit = fit_batch(
        Mixture(family, Dirichlet(concentration)), X, start, max_epochs=150, tolerance=0
    )
    return int((fit.S[:, 0] > 0).sum())


def change_of_F__formula_of_two_copies(shares, d, phi):
    """Right at 1 of 3 inputs"""
    return ((d + 1) / 2 - phi) * (np.log(shares).sum() + 2 * np.log(2))


def change_of_F__without_the_labels(shares, d, phi):
    """Each is too large."""
    return (d / 2 - phi) * (np.log(shares).sum() + len(shares) * np.log(len(shares)))


def change_of_F__sign(shares, d, phi):
    """The sign is wrong"""
    return -answers.change_of_F(shares, d, phi)
