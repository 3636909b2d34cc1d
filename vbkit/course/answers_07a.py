"""Answers to the exercises of lecture 07a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

from vbkit.course.factors import update
from vbkit.press.exercises import Exercise

# ---- 1. a film's number if the person's number is known ------------------------------


def given_the_person(V, b, prior_variance, noise):
    """Return the mean and the variance of a, given the rating V and the number b."""
    return update(V, b, 0.0, prior_variance, noise)


def divided(V, b, prior_variance, noise):
    """You divide the rating by b. This is right only without a prior: the prior expects a
    near 0, and its precision has to be added."""
    return V / b, noise / b**2


def noise_is_one(V, b, prior_variance, noise):
    """You have the formula of the lecture, where the noise has the variance 1. Which terms
    come from the misfit? They are divided by the variance of the noise."""
    return update(V, b, 0.0, prior_variance)


def prior_is_one(V, b, prior_variance, noise):
    """You have a prior of variance 1. Which term of the precision belongs to the prior?"""
    return update(V, b, 0.0, 1.0, noise)


def prior_not_inverted(V, b, prior_variance, noise):
    """You add the variance of the prior. Precisions are added: one over the variance."""
    return update(V, b, 0.0, 1 / prior_variance, noise)


def mean_without_noise(V, b, prior_variance, noise):
    """Your variance is right. In the mean, the term with V comes from the misfit as well,
    and the misfit is divided by the variance of the noise."""
    _, variance = given_the_person(V, b, prior_variance, noise)
    return variance * b * V, variance


exercise_1 = Exercise(
    given_the_person,
    [(3.0, 1.0, 2.0, 0.5), (-1.0, 2.0, 0.5, 1.5), (2.0, -0.5, 3.0, 2.0)],
    (divided, noise_is_one, prior_is_one, prior_not_inverted, mean_without_noise),
    hint="The precision of a is b^2 / noise + 1 / prior_variance.",
    meaning="With b = 0 the prior remains as it was, and with a very large b the mean "
    "approaches V / b. In between, the prior pulls the mean towards 0.",
    further="b = 0.01. Why is V / b a bad answer there?",
)

# ---- 2. VB for a poor film -----------------------------------------------------------


def sweeps_of(V, b, s_b, sweeps, keep_variances=True):
    """Return the means of a and b after so many sweeps."""
    a = 0.0
    for _ in range(sweeps):
        a, s_a = update(V, b, s_b if keep_variances else 0.0)
        b, s_b = update(V, a, s_a if keep_variances else 0.0)
    return a, b


def learn(V, b, s_b, sweeps):
    """Return the means of a and b that VB finds, from a mean and a variance of b."""
    return sweeps_of(V, b, s_b, sweeps)


def variances_left_out(V, b, s_b, sweeps):
    """You leave the variances out of the mean squares. This climbs to the peak, where the
    product is V - 1 in size. It is the second question of the exercise."""
    return sweeps_of(V, b, s_b, sweeps, keep_variances=False)


def both_at_once(V, b, s_b, sweeps):
    """You update b from the mean of a before this sweep. Use the new one."""
    a = 0.0
    s_a = 1.0
    for _ in range(sweeps):
        new_a = update(V, b, s_b)
        b, s_b = update(V, a, s_a)
        a, s_a = new_a
    return a, b


def positive_rating(V, b, s_b, sweeps):
    """You seem to drop the sign of V. The updates hold for a poor film as well."""
    return sweeps_of(abs(V), b, s_b, sweeps)


def b_first(V, b, s_b, sweeps):
    """Your means are exchanged. Return the mean of a first."""
    a, b = sweeps_of(V, b, s_b, sweeps)
    return b, a


exercise_2 = Exercise(
    learn,
    [(3.0, 1.0, 0.5, 2), (-3.0, 1.0, 0.5, 3), (2.0, -0.5, 1.0, 5), (-1.2, 0.3, 0.2, 1)],
    (variances_left_out, both_at_once, positive_rating, b_first),
    hint="a, s_a = update(V, b, s_b), and then the same for b.",
    meaning="For a poor film the two means have different signs, and again the start "
    "decides which of them is negative.",
    further="V = 1.5 with and without the variances. Which of the two sees a product?",
)

# ---- 3. priors and noise of any variance ---------------------------------------------


def product_at_rest(V, c_a, c_b, noise):
    """Return the product of the means at rest; c_a, c_b: standard deviations of the priors."""
    return max(V - noise / V - noise / (c_a * c_b), 0.0)


def negative_product(V, c_a, c_b, noise):
    """Your formula becomes negative for small V. What do the updates do there?"""
    return V - noise / V - noise / (c_a * c_b)


def variances_of_priors(V, c_a, c_b, noise):
    """You divide by the product of the two prior variances. It is the product of the two
    standard deviations: how large is s_a, if s_a / c_a^2 and s_b / c_b^2 are equal?"""
    return max(V - noise / V - noise / (c_a * c_b) ** 2, 0.0)


def noise_on_one_term(V, c_a, c_b, noise):
    """Check your last term for noise that is not 1. Each price is a multiple of it."""
    return max(V - noise / V - 1 / (c_a * c_b), 0.0)


def equal_variances(V, c_a, c_b, noise):
    """You seem to have used s_a = s_b. That holds only if the two priors are alike."""
    return max(V - noise / V - noise / c_a**2, 0.0)


exercise_3 = Exercise(
    product_at_rest,
    [
        (3.0, 1.0, 2.0, 1.5),
        (2.0, 0.5, 1.5, 0.25),
        (0.4, 1.0, 3.0, 1.0),
        (4.0, 2.0, 0.5, 2),
    ],
    (negative_product, variances_of_priors, noise_on_one_term, equal_variances),
    hint="Write s_a = u c_a^2 and s_b = u c_b^2. What is u, if s_a s_b V^2 = noise^2?",
    meaning="If a is measured in other units, b changes by the inverse factor. So only "
    "c_a c_b can matter to the product.",
    further="very wide priors. From which V on does VB see a product then?",
)
