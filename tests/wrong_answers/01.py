"""What students might answer in notebook 01."""


def posterior_of_mean__mean_of_the_data_first(x, responsibilities, prior_variance):
    """Right at 2 of 3 inputs"""
    n = responsibilities.sum()
    mean = (
        np.average(x, weights=responsibilities) if n else np.nan
    )  # there is no such mean without data
    return n * mean / (n + 1 / prior_variance), 1 / (n + 1 / prior_variance)


def posterior_of_mean__variance_taken_for_precision(x, responsibilities, prior_variance):
    """Value 1 of 2: The numbers differ."""
    worth = responsibilities.sum() + prior_variance
    return responsibilities @ x / worth, 1 / worth


def posterior_of_mean__standard_deviation(x, responsibilities, prior_variance):
    """expected (0.7703704, 0.3703704). Value 2 of 2: The numbers differ."""
    worth = responsibilities.sum() + 1 / prior_variance
    return responsibilities @ x / worth, worth**-0.5


def switch_point__critical_concentration(N, M, prior_variance):
    """gives 1; expected 1.038267."""
    return (M + 1) / 2  # where the slope changes sign, not the difference


def switch_point__against_one_component_alone(N, M, prior_variance):
    """raised ValueError: f(a) and f(b) must have different signs"""
    family, S = KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0]
    F = free_energy_of_copies
    return brentq(lambda phi: F(family, phi, S, [0.5, 0.5]) - F(family, phi, S, [1.0]), 1e-3, 20)


def cost_of_copies__forgot_the_gamma_function(N, M, prior_variance, phi, copies):
    """Right at 1 of 3 inputs"""
    slope = (M + 1) / 2 - phi
    further = slope * np.log(N) + M / 2 * np.log(prior_variance) - np.log(2 * np.pi) / 2
    return (copies - 1) * further - copies * slope * np.log(copies)


def cost_of_copies__no_constant_in_stirling(N, M, prior_variance, phi, copies):
    """Each is too large"""
    slope = (M + 1) / 2 - phi
    further = slope * np.log(N) + M / 2 * np.log(prior_variance) + gammaln(phi)
    return (copies - 1) * further - copies * slope * np.log(copies)


def cost_of_copies__sign(N, M, prior_variance, phi, copies):
    """The sign is wrong"""
    return -answers.cost_of_copies(N, M, prior_variance, phi, copies)
