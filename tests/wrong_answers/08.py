"""What students might answer in notebook 08."""


def price__one_half_for_every_coordinate(size, minorities, a, b):
    """Right at 1 of 4 inputs"""
    return size * (0.5 - a) + 0.5 * np.sum(minorities)


def price__size_only_for_the_weight(size, minorities, a, b):
    """Right at 3 of 4 inputs"""
    return size * (0.5 - a) + len(minorities) * b + (0.5 - b) * np.sum(minorities)


def price__gain_taken_for_cost(size, minorities, a, b):
    """The sign is wrong"""
    return -answers.price(size, minorities, a, b)


def smallest_exponent__log_of_the_count(truth, n_components, total, a, b):
    """gives 7.232"""
    return answers.smallest_exponent(truth, n_components, total, a, b) * np.log(total)


def smallest_exponent__highest_minimum(truth, n_components, total, a, b):
    """gives 0.8996"""
    names, starts = structured_starts(truth, n_components, total)
    every = solve(total * truth.probabilities(), starts, a, b)
    return np.log(every.S[every.free_energy.argmax()][:, 0].min()) / np.log(total)


def smallest_exponent__first_start(truth, n_components, total, a, b):
    """Right at 1 of 4 inputs"""
    names, starts = structured_starts(truth, n_components, total)
    every = solve(total * truth.probabilities(), starts, a, b)
    return np.log(every.S[0][:, 0].min()) / np.log(total)


def cut_price__only_one_half_counted(dimension, cut, a, b):
    """gives -0.3; expected -1.6. The numbers differ."""

    def cost(j):
        return 0.5 - a + dimension * b + (0.5 - b) * (dimension - j)

    return cost(cut) - cost(cut - 1)


def cut_price__cuts_counted_from_zero(dimension, cut, a, b):
    """Each is too small"""
    return (dimension - cut - 1) / 2 + (cut + 2) * b - a
