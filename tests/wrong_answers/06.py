"""What students might answer in notebook 06."""


def merge_gain__empty_component_left(mixture, points, S, i, j):
    """Each is too small"""
    R = mixture.responsibilities(points, S)
    merged = R.copy()
    merged[:, i] += merged[:, j]
    merged[:, j] = 0  # an empty component still has its place in the weights' prior
    return elbo_by_definition(mixture, points, merged) - elbo_by_definition(mixture, points, R)


def merge_gain__sign(mixture, points, S, i, j):
    """The sign is wrong"""
    return -answers.merge_gain(mixture, points, S, i, j)


def merge_gain__component_thrown_away(mixture, points, S, i, j):
    """merge_gain(mixture=Mixture(...), points="""
    R = mixture.responsibilities(points, S)
    rest = np.delete(R, j, axis=1)
    return elbo_by_definition(mixture, points, rest) - elbo_by_definition(mixture, points, R)


def barrier__sign(points, starts):
    """The sign is wrong"""
    return -answers.barrier(points, starts)


def barrier__last_start_alone(points, starts):
    """Right at 1 of 3 inputs"""
    rng, last = np.random.default_rng(0), {}
    for n_components in (2, 3):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        for _ in range(starts):
            last[n_components] = fit_batch(
                mixture, points, init_gaussian(mixture, points, n_components, rng), tolerance=1e-3
            ).elbo
    return last[2] - last[3]


def visits__exponential_underflows(elbos, beta):
    """Not all of it is finite"""
    with np.errstate(all="ignore"):
        weights = np.exp(beta * elbos)
        return weights / weights.sum()


def visits__not_normalised(elbos, beta):
    """At each input, all are off by the same factor."""
    return np.exp(beta * (elbos - elbos.max()))


def visits__ends_half_as_often(elbos, beta):
    """The numbers differ"""
    weights = np.exp(beta * (elbos - elbos.max())) * [
        0.5,
        1,
        1,
        0.5,
    ]  # as if it bounced off the ends
    return weights / weights.sum()
