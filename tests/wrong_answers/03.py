"""What students might answer in notebook 03."""


def component_step__mean_before_spread(y, share, alpha, a, b, m, g):
    """Value 3 of 5: Each is too small"""
    m = (g * m + y * share) / (g + share)
    return (
        alpha + share,
        a + share / 2,
        b + 0.5 * share * g * (y - m) ** 2 / (g + share),
        m,
        g + share,
    )


def component_step__a_as_alpha(y, share, alpha, a, b, m, g):
    """Value 2 of 5: Each is too large"""
    new_b = b + 0.5 * share * g * (y - m) ** 2 / (g + share)
    return alpha + share, a + share, new_b, (g * m + y * share) / (g + share), g + share


def used_after_order__order_before_means(points, concentration, seed):
    """Hint: One generator: first the prior means"""
    rng, mixture = np.random.default_rng(seed), chapter.make_mixture(1, concentration)
    points = points[rng.permutation(len(points))]
    start = component_prior_means(mixture, chapter.draw_means(rng, 1))
    counts = fit_online(mixture, points, start, accumulation(), monitor=False).S[:, 0]
    return int((counts > chapter.SHARE * counts.sum()).sum())


def used_after_order__not_shuffled(points, concentration, seed):
    """Right at 1 of 3 inputs"""
    rng, mixture = np.random.default_rng(seed), chapter.make_mixture(1, concentration)
    start = component_prior_means(mixture, chapter.draw_means(rng, 1))
    counts = fit_online(mixture, points, start, accumulation(), monitor=False).S[:, 0]
    return int((counts > chapter.SHARE * counts.sum()).sum())


def used_after_order__more_than_one_datum(points, concentration, seed):
    """gives 19; expected 16. Each is too large."""
    rng, mixture = np.random.default_rng(seed), chapter.make_mixture(1, concentration)
    start = component_prior_means(mixture, chapter.draw_means(rng, 1))
    return int(
        (
            fit_online(mixture, points, start, accumulation(), rng=rng, monitor=False).S[:, 0] > 1
        ).sum()
    )


def frozen_shares__shares_of_the_counts(counts, concentration, parameters, data):
    """gives [780., 260.]; expected [786.410256, 253.589744]."""
    counts = np.array(counts)
    return counts + data * counts / counts.sum()  # where is c?


def frozen_shares__without_the_weight(counts, concentration, parameters, data):
    """The numbers differ"""
    f = np.array(counts) - (
        parameters / 2 - concentration
    )  # half a data point for the component's weight, too
    return counts + data * f / f.sum()


def frozen_shares__only_what_is_added(counts, concentration, parameters, data):
    """Each is too small"""
    return answers.frozen_shares(counts, concentration, parameters, data) - counts
