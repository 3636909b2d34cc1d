"""What students might answer in notebook 04."""


def elbo_after_m_step__without_entropy(mixture, X, R):
    """Right at 1 of 3 inputs"""
    return mixture.log_normalizer_ratio(mixture.m_step(X, R))


def elbo_after_m_step__log_of_zero(mixture, X, R):
    """Not all of it is finite: a division by 0, or the logarithm of 0?"""
    with np.errstate(all="ignore"):
        return -(R * np.log(R)).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))


def elbo_after_m_step__sign_of_entropy(mixture, X, R):
    """Right at 1 of 3 inputs"""
    return xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))


def best_of__lag_alone(memories, speed):
    """gives (80, 0.09587"""
    found = [chapter.track(memory, 0.0, speed, 6.0) for memory in memories]
    lags = [chapter.errors(run["centres"], run["truth"])[0] for run in found]
    return memories[int(np.argmin(lags))], min(lags)


def best_of__lag_plus_noise(memories, speed):
    """Value 2 of 2: Each is too large"""
    found = [chapter.track(memory, 0.0, speed, 6.0) for memory in memories]
    totals = [sum(chapter.errors(run["centres"], run["truth"])) for run in found]
    return memories[int(np.argmin(totals))], min(totals)


def best_of__only_the_memory(memories, speed):
    """These should be 2 values"""
    return answers.best_of(memories, speed)[0]


def late_law__without_discount(a, kappa):
    """Value 1 of 2: Each is too small"""
    return a, 0.5


def late_law__noise_as_the_rate(a, kappa):
    """Value 2 of 2: Each is 2 times what is expected"""
    return a * (1 + 1 / kappa), 1 / (1 + 1 / kappa)  # the noise falls as the root of eta
