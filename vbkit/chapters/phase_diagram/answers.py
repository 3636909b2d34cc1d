"""Answers to the exercises of chapter 08b, and the mistakes that are recognised."""

from scipy.optimize import brentq

from vbkit.chapters.bernoulli.structures import extra_costs
from vbkit.press.exercises import Exercise


def _tie(N, b, kind):
    """The a where a duplicate of this kind costs as much as an empty component, among N people."""
    return brentq(
        lambda a: extra_costs("B", N, a, b)[kind].item(), 1e-3, 50, xtol=1e-12
    )


def worth_from(N, b):
    """The a from which a second black-and-white component is worth it, among N people."""
    return _tie(N, b, "deterministic")


def _line(N, b):
    """This is the black line, for ever more data. At a finite N compare F itself, not its rule."""
    return 0.5 + 4 * b


def _thousand(N, b):
    """You give the same a at every N. The chapter's `people` are a thousand. Take N times their
    probabilities."""
    return worth_from(1000, b)


def _mixed(N, b):
    """This is where a second mixed component is worth it. The question is about a second
    black-and-white one."""
    return _tie(N, b, "interior")


def _shift(N, b):
    """This is how far the border lies from its line. Return the border itself."""
    return worth_from(N, b) - _line(N, b)


exercise_1 = Exercise(
    worth_from,
    [(1000, 0.1), (1000, 0.4), (100_000, 0.1), (1_000_000, 0.25)],
    mistakes=(_line, _thousand, _mixed, _shift),
    hint="Write F of one fate minus F of the other as a function of a. Find its root with brentq.",
    meaning="The line is the border for ever more data. Now you have it at your own N.",
    further="multiply (a - line) by log N, for N = 1e3, 1e6 and 1e9. Is it a constant?",
)


def border(a, dimension):
    """The b below which the redundant component becomes black and white; 0 where it never does."""
    return max(0.0, min(0.5, (a - 0.5) / dimension))


def _no_half(a, dimension):
    """You follow the slanted line beyond the corner. For large a another fate sets the border."""
    return max(0.0, (a - 0.5) / dimension)


def _negative(a, dimension):
    """For small a this is negative, and b cannot be. There the component stays empty at every b."""
    return min(0.5, (a - 0.5) / dimension)


def _printed(a, dimension):
    """This is the slanted line as the thesis's corollary prints it. It misses the corner of the
    diagram. Solve one half minus a plus M b = 0 for b."""
    return max(0.0, min(0.5, a / dimension - 0.5))


exercise_2 = Exercise(
    border,
    [(0.3, 4), (1.3, 4), (2.0, 10), (4.0, 4), (2.4, 3), (9.0, 20)],
    mistakes=(_no_half, _negative, _printed),
    hint="A black-and-white duplicate must beat two rivals, the empty one and the mixed one.",
    meaning="With many questions the triangle is flat: only tiny b give black-and-white copies.",
    further="twenty questions and a = 1: how small must b be?",
)


def corner(dimension, levels):
    """The corner (a, b) of the diagram if each question has `levels` possible answers."""
    return 0.5 + dimension * (levels - 1) / 2, 0.5


def _binary(dimension, levels):
    """This is the corner for two answers. With more of them, more rarer answers leave a term."""
    return (dimension + 1) / 2, 0.5


def _every_answer(dimension, levels):
    """You count all answers of a question. The probabilities sum to 1, so one of them is not
    free."""
    return 0.5 + dimension * levels / 2, 0.5


def _other_way(dimension, levels):
    """These are the right numbers in the other order. Return a first, then b."""
    return 0.5, 0.5 + dimension * (levels - 1) / 2


def _jeffreys_guess(dimension, levels):
    """Your a is right. The price b is paid once for each rarer answer, and a mixed one costs one
    half: they tie at the same b for any number of answers."""
    return 0.5 + dimension * (levels - 1) / 2, 1 / levels


exercise_3 = Exercise(
    corner,
    [(4, 2), (4, 3), (10, 5), (1, 7)],
    mistakes=(_binary, _every_answer, _other_way, _jeffreys_guess),
    hint="Replace the four log-gammas: the sum has L b, and there are L - 1 rarer answers.",
    meaning="The critical b is one half however many answers there are: it is Jeffreys' prior.",
    further="20 questions with 5 answers each: above which a are mixed duplicates worth it?",
)
