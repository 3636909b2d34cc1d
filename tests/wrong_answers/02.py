"""What students might answer in notebook 02."""


def rates_by_recursion__discount_one_step_late(eta0, eps0, gamma, n):
    """Right at 2 of 4 inputs"""
    rates = [eta0]
    for t in range(2, n + 1):
        rates.append(1 / (1 + (1 - 1 / ((t - 1) * gamma + 1 / eps0)) / rates[-1]))
    return np.array(rates)


def rates_by_recursion__one_rate_too_many(eta0, eps0, gamma, n):
    """The shape is (6,), expected (5,)"""
    rates = [eta0]
    for t in range(2, n + 2):
        rates.append(1 / (1 + (1 - 1 / ((t - 2) * gamma + 1 / eps0)) / rates[-1]))
    return np.array(rates)


def rates_by_recursion__eps_taken_for_lambda(eta0, eps0, gamma, n):
    """Right at 1 of 4 inputs"""
    rates = [eta0]
    for t in range(2, n + 1):
        rates.append(1 / (1 + 1 / ((t - 2) * gamma + 1 / eps0) / rates[-1]))
    return np.array(rates)


def divergences_at_end__default_schedule(points, starts, eps0):
    """Right at 1 of 2 inputs"""
    mixture, last = chapter.em_mixture(len(points)), []
    for i in range(starts):
        start = init_uniform(mixture, 4, len(points), np.random.default_rng(i))
        last += chapter.learn(mixture, points, start, sato1999(len(points)), 10)[-1:]
    return chapter.divergence(chapter.parameters(mixture, last))


def divergences_at_end__first_state_of_all(points, starts, eps0):
    """Each is too large"""
    mixture, last = chapter.em_mixture(len(points)), []
    for i in range(starts):
        start = init_uniform(mixture, 4, len(points), np.random.default_rng(i))
        last += chapter.learn(mixture, points, start, sato1999(len(points), eps0=eps0), 10)[:1]
    return chapter.divergence(chapter.parameters(mixture, last))


def shares_of_data__newest_first(rates):
    """These are the right numbers in another order"""
    return answers.shares_of_data(rates)[::-1]


def shares_of_data__without_the_start(rates):
    """The shape is (1,), expected (2,)"""
    return answers.shares_of_data(rates)[1:]


def shares_of_data__own_step_counted_twice(rates):
    """shares_of_data(rates=[0.5]) gives [0.5 , 0.25]; expected [0.5, 0.5]."""
    left = np.cumprod((1 - rates)[::-1])[::-1]
    return np.append(left[0], rates * left)
