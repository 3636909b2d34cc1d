"""What students might answer in notebook 09."""


def cluster_behind__ratio_of_the_users(weight, users, a, b, categories):
    """Value 1 of 3: The numbers differ."""
    n = weight * users
    return n, (n + b) / (n + 2 * b), b / (n + 2 * b)


def cluster_behind__a_for_b(weight, users, a, b, categories):
    """Right at 2 of 3 inputs"""
    n = weight * (categories * a + users) - a
    return n, (n + a) / (n + 2 * a), a / (n + 2 * a)


def cluster_behind__one_pseudo_count(weight, users, a, b, categories):
    """Value 2 of 3: Each is too large"""
    n = weight * (categories * a + users) - a
    return n, (n + b) / (n + b), b / (n + b)


def isolated__conditions_of_different_components(R, minority):
    """Right at 6 of 7 inputs"""
    held, size = R[minority].sum(axis=0), R.sum(axis=0)
    return bool((held >= 0.5 * minority.sum()).any() and (held >= 0.5 * size).any())


def isolated__more_than_half(R, minority):
    """expected True"""
    held, size = R[minority].sum(axis=0), R.sum(axis=0)
    return bool(np.any((held > 0.5 * minority.sum()) & (held > 0.5 * size)))


def isolated__only_the_minority_counted(R, minority):
    """expected False"""
    return bool((R[minority].sum(axis=0) >= 0.5 * minority.sum()).any())


def isolated__only_the_component_counted(R, minority):
    """expected False"""
    return bool((R[minority].sum(axis=0) >= 0.5 * R.sum(axis=0)).any())


def isolated__hard_assignment(R, minority):
    """Right at 4 of 7 inputs"""
    hard = np.eye(R.shape[1])[R.argmax(axis=1)]
    return answers.isolated(hard, minority)


def price_of_identical_rows__sign(n, dimension, b):
    """The sign is wrong"""
    return -answers.price_of_identical_rows(n, dimension, b)


def price_of_identical_rows__bits(n, dimension, b):
    """Each is 1.442695 times what is expected"""
    i = np.arange(n)
    return -dimension * np.log2((b + i) / (2 * b + i)).sum()


def price_of_identical_rows__one_row_too_many(n, dimension, b):
    """Each is too large"""
    i = np.arange(n + 1)
    return -dimension * np.log((b + i) / (2 * b + i)).sum()


def price_of_identical_rows__as_if_independent(n, dimension, b):
    """Right at 1 of 3 inputs"""
    return n * dimension * np.log(2)
