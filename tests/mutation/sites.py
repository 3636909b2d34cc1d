"""Where a text can be made wrong by one small change, and how."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "/",
    "%": "*",
    "**": "*",
    "@": "*",
}
OPERATORS |= {"&": "|", "|": "&", "<<": ">>", ">>": "<<"}
OPERATORS |= {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS |= {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
OPERATORS |= {"and": "or", "or": "and"}
SIGNS = {"+", "-"}  # of these, the term after it is dropped as well
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
NAMES |= {
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "sum": "mean",
}
NAMES |= {
    "mean": "sum",
    "floor": "ceil",
    "ceil": "floor",
    "log": "log1p",
    "log1p": "log",
}
NAMES |= {"exp": "expm1", "expm1": "exp", "digamma": "log", "gammaln": "digamma"}
SKIPPED = ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom  # words, not numbers
SKIPPED |= ast.Assert  # a notebook's own test
WORDS = ("__repr__", "__reduce__")
LOOKS = (
    "repr",
    "slots",
    "strict",
)  # keywords for how a thing looks, and checks of checked lengths


class Site(NamedTuple):
    """A change: the text from `start` to `end` (positions in the source) becomes `new`."""

    line: int
    start: int
    end: int
    new: str
    kind: str

    def apply(self, source: str) -> str:
        return source[: self.start] + self.new + source[self.end :]


def sites(source: str, texts: set[str] | None = None) -> list[Site]:
    """All changes of a source that leave it a program, in order.

    texts: only changes of lines that read so, without their margins.
    """
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    lines = source.splitlines()

    def position(
        line: int, column: int
    ) -> int:  # columns are counted in bytes of UTF-8
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = []
    for node in _nodes(ast.parse(source)):
        span = (
            position(node.lineno, node.col_offset),
            position(node.end_lineno, node.end_col_offset),
        )
        for start, end, new, kind in _changes(node, *span, source, position):
            site = Site(source.count("\n", 0, start) + 1, start, end, new, kind)
            wanted = texts is None or lines[site.line - 1].strip() in texts
            if wanted and _parses(site.apply(source)):
                found.append(site)
    return sorted(set(found))


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All expressions below a node but annotations, texts and what is raised."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            words = isinstance(child, ast.FunctionDef) and child.name in WORDS
            words = words or isinstance(child, ast.keyword) and child.arg in LOOKS
            if not isinstance(child, ast.AST) or isinstance(child, SKIPPED) or words:
                continue
            if name in ("annotation", "returns"):
                continue
            if hasattr(child, "lineno"):
                yield child
            yield from _nodes(child)


def _changes(node, start, end, source, position) -> Iterator[tuple[int, int, str, str]]:
    def after(part) -> int:
        return position(part.end_lineno, part.end_col_offset)

    def before(part) -> int:
        return position(part.lineno, part.col_offset)

    match node:
        case ast.BinOp():
            pairs = [(node.left, node.right)]
        case ast.Compare():
            operands = [node.left, *node.comparators]
            pairs = list(zip(operands, operands[1:], strict=False))
        case ast.BoolOp():
            pairs = list(zip(node.values, node.values[1:], strict=False))
        case ast.AugAssign():
            pairs = [(node.target, node.value)]
        case _:
            pairs = []
    for left, right in pairs:
        first, last = after(left), before(right)
        gap = source[first:last]
        symbol = re.search(
            r"not in|is not|\bin\b|\bis\b|\band\b|\bor\b|[-+*/%@&|<>=!]+", gap
        )
        text = symbol and symbol[0].removesuffix(
            "=" if isinstance(node, ast.AugAssign) else " "
        )
        if text in OPERATORS:
            at = first + symbol.start()
            yield at, at + len(text), OPERATORS[text], f"{text} to {OPERATORS[text]}"
        if (
            text in SIGNS
            and isinstance(node, ast.BinOp)
            and ")" not in gap + source[end:end]
        ):
            yield first, after(right) + gap.count("("), "", "term dropped"
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield start, before(node.operand), "", "sign or not dropped"
        case ast.Constant(value=bool()):
            yield start, end, str(not node.value), "truth turned"
        case ast.Constant(value=int()):
            yield start, end, str(node.value + 1), "number + 1"
            if node.value > 0:
                yield start, end, str(node.value - 1), "number - 1"
        case ast.Constant(value=float()):
            yield start, end, repr(1.1 * node.value or 0.01), "number + 10 %"
        case ast.Name(id=name) if name in NAMES:
            yield start, end, NAMES[name], f"{name} to {NAMES[name]}"
        case ast.Attribute(attr=name) if name in NAMES:
            yield end - len(name), end, NAMES[name], f"{name} to {NAMES[name]}"
        case ast.IfExp():
            yield start, end, ast.get_source_segment(source, node.orelse), "always else"


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def functions(source: str) -> dict[str, tuple[range, range]]:
    """All functions by their qualified names: their lines, and those of their bodies."""
    found = {}

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{child.name}." if hasattr(child, "name") else prefix
            if isinstance(child, ast.FunctionDef):
                whole = range(child.lineno, child.end_lineno + 1)
                found[name[:-1]] = (
                    whole,
                    range(child.body[0].lineno, child.end_lineno + 1),
                )
            visit(child, name)

    visit(ast.parse(source), "")
    return found


def executed(source: str, lines: list[int]) -> list[str]:
    """The functions of whose bodies some line ran; what was defined inside them does not count."""
    known = functions(source)
    return sorted({name for line in lines if (name := owner(known, line, body=True))})


def owner(known: dict, line: int, *, body: bool = False) -> str:
    """The innermost function that a line belongs to (or its body, to its body); "" for none."""
    around = [name for name, ranges in known.items() if line in ranges[body]]
    return min(around, key=lambda name: len(known[name][0]), default="")
