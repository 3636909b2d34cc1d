"""Rules of the ledger: a verdict is computed from measured numbers; nobody passes one.

A rule is an expression over names of measurements, such as "gap_a >= 10 and max(gaps) < 3". It may
call abs, min, max and len, and read .low, .value and .high of a rate.
"""

import ast
import math

SHAPES = (  # what an entry's rules may be
    {"holds"},  # the claim as stated
    {
        "holds",
        "conditionally",
        "condition",
    },  # and the claim under the condition, which is text
    {"refuted", "corrected"},  # the printed formula fails, and the corrected one passes
    {"untestable"},  # text: the reason
    set(),  # none: open, or a transcription
)
TEXT = {"condition", "untestable"}
FUNCTIONS = {"abs": abs, "min": min, "max": max, "len": len}


class Rate(float):
    """Share of successes in runs, and low, high: its Wilson 95 % interval. ValueError for absurd
    counts."""

    def __new__(cls, successes, runs):
        from scipy.stats import binomtest  # takes a second, which only rates need

        finite = math.isfinite(successes) and math.isfinite(runs)
        k, n = (int(successes), int(runs)) if finite else (0, 0)
        if not 0 <= k <= n or n == 0 or (k, n) != (successes, runs):
            raise ValueError(
                f"{successes}/{runs}: whole numbers, runs > 0, 0 <= successes <= runs"
            )
        self = super().__new__(cls, k / n)
        interval = binomtest(k, n).proportion_ci(method="wilson")
        self.successes, self.runs, self.value = k, n, k / n
        self.low, self.high = float(interval.low), float(interval.high)
        return self

    def __repr__(self):
        return f"{self.successes}/{self.runs} = {self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def measurement(name, value):
    """value as Rate, int, float or list of numbers. ValueError for text, truth values, what is not
    finite."""
    single = getattr(value, "ndim", 0) == 0 and not isinstance(value, list | tuple)
    numbers = [value] if single else value
    numbers = [x.tolist() if hasattr(x, "tolist") else x for x in numbers]  # NumPy's
    kinds = (int, float, Rate) if single else (int, float)
    if not numbers or not all(type(x) in kinds and math.isfinite(x) for x in numbers):
        raise ValueError(
            f"{name} = {value!r} is no finite number, list of such or rate"
        )
    return numbers[0] if single else numbers


def parse(rule):
    """The expression of a rule and the names that it reads; ValueError if it judges no
    measurement."""
    try:
        tree = ast.parse(rule, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"rule {rule!r} is no expression: {error.msg}") from error
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(
        FUNCTIONS
    )
    if not names or not isinstance(tree, ast.Compare | ast.BoolOp | ast.UnaryOp):
        raise ValueError(f"rule {rule!r} compares no measurement")
    return tree, names


def evaluate(rule, measured):
    """Whether a rule is true; ValueError if a comparison, also one that does not matter, is not of
    numbers."""

    def value(node):
        return eval(ast.unparse(node), {"__builtins__": {}} | FUNCTIONS, measured)

    tree, _ = parse(rule)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            terms = [value(term) for term in (node.left, *node.comparators)]
            if not all(
                isinstance(term, int | float) and math.isfinite(term) for term in terms
            ):
                raise ValueError(
                    f"{ast.unparse(node)!r} compares {terms}, not finite numbers"
                )
    return bool(value(tree))


def verdict(claim, measured):
    """Verdict of a claim; ValueError naming it if a measurement is missing, unused or cannot be
    judged."""
    rules = {key: rule for key, rule in claim.rules.items() if key not in TEXT}
    needed = {name for rule in rules.values() for name in parse(rule)[1]}
    for name in sorted(needed ^ set(measured)):
        fault = "is missing" if name in needed else "is used by no rule"
        raise ValueError(f"{claim.id}: {name} {fault}; criterion: {claim.criterion}")
    try:
        truth = {key: evaluate(rule, measured) for key, rule in rules.items()}
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as error:
        raise ValueError(
            f"{claim.id}: {error}; criterion: {claim.criterion}"
        ) from error
    if "refuted" in truth:
        return (
            "corrected" if truth["refuted"] and truth["corrected"] else "not reproduced"
        )
    if truth.get("holds"):
        return "confirmed" if claim.kind == "mathematics" else "reproduced"
    if truth:
        return "qualified" if truth.get("conditionally") else "not reproduced"
    if claim.rules:
        return "untestable"
    return "transcription" if claim.kind == "transcription" else "open"
