"""Rules of the ledger: a verdict is computed from measured numbers; nobody passes one.

A rule is an expression over names of measurements, such as "gap_a >= 10 and max(gaps) <
3". It may call abs, min, max and len, and read .low, .value and .high of a rate. An
entry has one of these sets of rules:

- holds: the claim as stated
- holds, conditionally, condition: the claim as stated, and the claim under the
  condition, which is text
- refuted, corrected: the printed formula fails, and the corrected one passes
- untestable: text, the reason
- none: the entry is open, or a transcription
"""

import ast
import math
from collections.abc import Mapping

TEXT = {"condition", "untestable"}  # rules that are text, not an expression
FUNCTIONS = {"abs": abs, "min": min, "max": max, "len": len}


class Misfit(ValueError):
    """Measurements that are not those that a claim's rules judge."""


class Rate(float):
    """A share of successes in runs, as a number, with its interval.

    - successes, runs: the counts
    - value: successes / runs
    - low, high: the ends of the Wilson 95 % interval

    Raises ValueError for counts that are not whole, or not 0 <= successes <= runs, runs
    > 0.
    """

    def __new__(cls, successes, runs):
        from scipy.stats import binomtest  # takes a second, which only rates need

        if not _are_counts(successes, runs):
            raise ValueError(
                f"{successes}/{runs}: whole numbers, runs > 0, 0 <= successes <= runs"
            )
        rate = super().__new__(cls, int(successes) / int(runs))
        rate.successes = int(successes)
        rate.runs = int(runs)
        rate.value = rate.successes / rate.runs
        interval = binomtest(rate.successes, rate.runs).proportion_ci(method="wilson")
        rate.low = float(interval.low)
        rate.high = float(interval.high)
        return rate

    def __repr__(self):
        interval = f"[{self.low:.2f}, {self.high:.2f}]"
        return f"{self.successes}/{self.runs} = {self.value:.2f} {interval}"


def _are_counts(successes, runs) -> bool:
    if not (math.isfinite(successes) and math.isfinite(runs)):
        return False
    whole = int(successes) == successes and int(runs) == runs
    return whole and runs > 0 and 0 <= successes <= runs


def measurement(name: str, value) -> Rate | int | float | list:
    """A measured value as Rate, int, float or list of numbers.

    name: of the measurement, for the error. Raises ValueError for text, truth values,
    and what is not finite.
    """
    single = getattr(value, "ndim", 0) == 0 and not isinstance(value, list | tuple)
    numbers = [_plain_number(each) for each in ([value] if single else value)]
    kinds = (int, float, Rate) if single else (int, float)
    if not numbers or not all(
        type(number) in kinds and math.isfinite(number) for number in numbers
    ):
        raise ValueError(
            f"{name} = {value!r} is no finite number, list of such or rate"
        )
    return numbers[0] if single else numbers


def _plain_number(value):
    """A number of NumPy as one of Python; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def parse(rule: str) -> tuple[ast.expr, set[str]]:
    """The expression of a rule, and the names of the measurements that it reads.

    Raises ValueError if it is no expression or judges no measurement.
    """
    try:
        tree = ast.parse(rule, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"rule {rule!r} is no expression: {error.msg}") from error
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names -= FUNCTIONS.keys()
    if not names or not isinstance(tree, ast.Compare | ast.BoolOp | ast.UnaryOp):
        raise ValueError(f"rule {rule!r} compares no measurement")
    return tree, names


def evaluate(rule: str, measured: Mapping) -> bool:
    """Whether a rule is true of measurements, given by name.

    Raises ValueError if a comparison, also one that does not matter, is not of numbers.
    """
    tree, _ = parse(rule)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            terms = [_value(term, measured) for term in (node.left, *node.comparators)]
            if not all(
                isinstance(term, int | float) and math.isfinite(term) for term in terms
            ):
                raise ValueError(
                    f"{ast.unparse(node)!r} compares {terms}, not finite numbers"
                )
    return bool(_value(tree, measured))


def _value(node: ast.expr, measured: Mapping):
    """The value of an expression; it knows measurements and FUNCTIONS only."""
    expression = compile(ast.Expression(node), "<rule>", "eval")
    return eval(expression, {"__builtins__": {}} | FUNCTIONS, measured)


def judge(claim, measured: Mapping) -> str:
    """The verdict of a claim, a key of `vbkit.press.ledger.VERDICTS`.

    claim: has id, kind, rules and criterion (see `vbkit.press.ledger.Claim`). measured:
    by name. Raises Misfit, which names the claim, if a measurement is missing, unused
    or cannot be judged.
    """
    rules = {key: rule for key, rule in claim.rules.items() if key not in TEXT}
    needed = set()
    for rule in rules.values():
        needed |= parse(rule)[1]
    for name in sorted(needed ^ set(measured)):
        fault = "is missing" if name in needed else "is used by no rule"
        raise Misfit(f"{claim.id}: {name} {fault}; criterion: {claim.criterion}")
    try:
        truth = {key: evaluate(rule, measured) for key, rule in rules.items()}
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as error:
        raise Misfit(f"{claim.id}: {error}; criterion: {claim.criterion}") from error
    return _verdict_of(claim, truth)


def _verdict_of(claim, truth: dict[str, bool]) -> str:
    """The verdict, where it is known which rules are true."""
    if "refuted" in truth:
        both = truth["refuted"] and truth["corrected"]
        return "corrected" if both else "not reproduced"
    if truth.get("holds"):
        return "confirmed" if claim.kind == "mathematics" else "reproduced"
    if truth:
        return "qualified" if truth.get("conditionally") else "not reproduced"
    if claim.rules:
        return "untestable"
    return "transcription" if claim.kind == "transcription" else "open"
