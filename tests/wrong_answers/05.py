"""What students might answer in notebook 05."""


def memory_from_definition__without_the_newest(discounts):
    """Each is too small by 1"""
    return np.cumprod((1 - np.array(discounts))[::-1]).sum()


def memory_from_definition__oldest_first(discounts):
    """Right at 2 of 4 inputs"""
    return 1 + np.cumprod(1 - np.array(discounts)).sum()


def memory_from_definition__discounts_taken_for_lambda(discounts):
    """Each is too small"""
    return 1 + np.cumprod(np.array(discounts)[::-1]).sum()


def best_number__counted_from_zero(points, most, starts):
    """too small by 1"""
    return answers.best_number(points, most, starts) - 1


def best_number__last_start_alone(points, most, starts):
    """gives 4; expected 3. It is too large."""
    rng, bounds = np.random.default_rng(0), []
    for n_components in range(1, most + 1):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        for _ in range(starts):
            fit = fit_batch(
                mixture, points, init_gaussian(mixture, points, n_components, rng), tolerance=1e-3
            )
        bounds.append(fit.elbo)
    return 1 + int(np.argmax(bounds))


def best_number__more_is_better(points, most, starts):
    """too large"""
    return most


def mean_step__per_datum(mixture, points, S):
    """At each input, all are off by the same factor"""
    return (mixture.responsibilities(points, S).T @ mixture.family.statistics(points) - S) / len(
        points
    )


def mean_step__sign(mixture, points, S):
    """The sign is wrong"""
    return S - mixture.responsibilities(points, S).T @ mixture.family.statistics(points)


def mean_step__without_the_old_state(mixture, points, S):
    """The numbers differ"""
    return mixture.responsibilities(points, S).T @ mixture.family.statistics(points)
