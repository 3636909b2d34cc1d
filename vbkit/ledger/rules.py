"""Rules of the ledger: a verdict is computed from measured numbers; it cannot be passed.

A rule is a predicate over names of measurements, such as "gap_a >= 10 and max(gaps) < 3". It knows numbers,
names, + - * / **, comparisons (also chained), and/or/not, abs, min, max, len, and rate.low, .value, .high.
"""

import ast
import math
import operator

SHAPES = (  # what an entry's rules may be
    {"holds"},  # the claim as stated
    {
        "holds",
        "conditionally",
        "condition",
    },  # the same, and the claim under the condition, which is text
    {"refuted", "corrected"},  # the printed formula fails, and the corrected one passes
    {"untestable"},  # text: the reason
    set(),  # none: open, or a transcription
)
TEXT = {"condition", "untestable"}
FUNCTIONS = {"abs": abs, "min": min, "max": max, "len": len}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
OPERATORS |= {ast.Pow: math.pow}  # never complex, never an endless integer
TESTS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
TESTS |= {ast.Eq: operator.eq, ast.NotEq: operator.ne}


class Rate(float):
    """Share of successes in runs, and low, high: its Wilson 95 % interval. ValueError for absurd counts."""

    def __new__(cls, successes, runs):
        k, n, z = int(successes), int(runs), 1.959963984540054
        if not 0 <= k <= n or n == 0 or (k, n) != (successes, runs):
            raise ValueError(
                f"{successes} of {runs}: whole numbers, 0 <= successes <= runs, runs >= 1"
            )
        self = super().__new__(cls, k / n)
        middle, half = k + z * z / 2, z * math.sqrt(k * (n - k) / n + z * z / 4)
        self.successes, self.runs, self.value = k, n, k / n
        self.low = (middle - half) / (n + z * z) if k > 0 else 0.0
        self.high = (middle + half) / (n + z * z) if k < n else 1.0
        return self

    def __repr__(self):
        return f"{self.successes}/{self.runs} = {self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def measurement(name, value):
    """value as Rate, int, float or list of numbers. ValueError for text, truth values, what is not finite."""
    single = getattr(value, "ndim", 0) == 0 and not isinstance(value, list | tuple)
    numbers = [
        x.tolist() if hasattr(x, "tolist") else x for x in ([value] if single else value)
    ]  # NumPy's
    kinds = (int, float, Rate) if single else (int, float)
    if not numbers or not all(type(x) in kinds and math.isfinite(x) for x in numbers):
        raise ValueError(
            f"{name} = {value!r}: a measurement is a finite number, a list of such, or a rate"
        )
    return numbers[0] if single else numbers


def compiled(rule):
    """(names of the measurements, function of their dict) of a rule; ValueError if it is not one."""
    try:
        tree = ast.parse(" ".join(rule.split()), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"rule {rule!r} is no expression: {error.msg}") from error
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(FUNCTIONS)
    if not names:
        raise ValueError(f"rule {rule!r} judges no measurement")
    return names, _compile(tree, truth=True)


def _compile(node, truth=False):
    """Function of the measurements for a node; comparisons stand where truth is due, numbers elsewhere."""
    match node, truth:
        case ast.BoolOp(op=op, values=parts), True:
            parts, fold = (
                [_compile(part, True) for part in parts],
                all if isinstance(op, ast.And) else any,
            )
            return lambda m: fold(
                [part(m) for part in parts]
            )  # a list, so that every part is evaluated
        case ast.UnaryOp(op=ast.Not(), operand=part), True:
            part = _compile(part, True)
            return lambda m: not part(m)
        case ast.Compare(left=left, ops=ops, comparators=others), True if {*map(type, ops)} <= {
            *TESTS
        }:
            tests, parts = (
                [TESTS[type(op)] for op in ops],
                [_compile(part) for part in (left, *others)],
            )
            return lambda m: _compare(tests, [part(m) for part in parts], ast.unparse(node))
        case ast.BinOp(left=left, op=op, right=right), False if type(op) in OPERATORS:
            left, apply, right = _compile(left), OPERATORS[type(op)], _compile(right)
            return lambda m: apply(left(m), right(m))
        case ast.UnaryOp(op=ast.USub(), operand=part), False:
            part = _compile(part)
            return lambda m: -part(m)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as parts, keywords=[]), False if (
            name in FUNCTIONS
        ):
            parts = [_compile(part) for part in parts]
            return lambda m: FUNCTIONS[name](*[part(m) for part in parts])
        case ast.Attribute(
            value=ast.Name(id=name), attr="value" | "low" | "high" as part
        ), False if name not in FUNCTIONS:
            return lambda m: getattr(m[name], part)
        case ast.Name(id=name), False if name not in FUNCTIONS:
            return lambda m: m[name]
        case ast.Constant(value=value), False if type(value) in (int, float):
            return lambda m: value
    due = "comparison" if truth else "number"
    raise ValueError(f"a rule cannot have {ast.unparse(node)!r} where a {due} is due")


def _compare(tests, terms, text):
    if not all(isinstance(term, int | float) and math.isfinite(term) for term in terms):
        raise ValueError(f"{text!r} compares {terms}, which are not all finite numbers")
    return all(test(a, b) for test, a, b in zip(tests, terms, terms[1:], strict=False))


def verdict(claim, measured):
    """Verdict of a claim; ValueError naming it if a measurement is missing, unused or cannot be judged."""
    rules = {key: compiled(rule) for key, rule in claim.rules.items() if key not in TEXT}
    needed = {name for names, _ in rules.values() for name in names}
    for name in sorted(needed ^ set(measured)):
        fault = "is missing" if name in needed else "is used by no rule"
        raise ValueError(f"{claim.id}: {name} {fault}; criterion: {claim.criterion}")
    try:
        truth = {key: function(measured) for key, (_, function) in rules.items()}
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{claim.id}: {error}; criterion: {claim.criterion}") from error
    match truth:
        case {"refuted": refuted, "corrected": corrected}:
            return "corrected" if refuted and corrected else "not reproduced"
        case {"holds": True}:
            return "confirmed" if claim.kind == "mathematics" else "reproduced"
        case {"holds": False}:
            return "qualified" if truth.get("conditionally") else "not reproduced"
    return (
        "untestable"
        if claim.rules
        else "transcription"
        if claim.kind == "transcription"
        else "open"
    )
