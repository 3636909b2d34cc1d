"""Which family suits the columns of a table, said aloud."""

import attrs
import numpy as np

from vbkit.own_data.tables.reading import NUMBER, Table, some

WORDS = {
    "gaussian": "Gaussian with full covariance",
    "diagonal": "Gaussian with independent columns (diagonal covariance)",
    "spherical": "Gaussian with one width for all columns (spherical covariance)",
    "bernoulli": "independent yes/no items (Bernoulli)",
    "categorical": "independent categories (categorical)",
    "poisson": "independent counts (Poisson)",
}
ANSWERS = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0}
ANSWERS |= {"false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
MOST_FULL = 50  # columns up to which full covariance is chosen without being asked for
LARGEST = 1e100  # the engine takes numbers up to this
LEVELS = 50  # different words in a column, at most
ONE_WIDTH = """One width serves all columns, so a column with large numbers weighs more: bring the
columns to comparable units first, or choose --family diagonal."""
OWN_WIDTHS = """Nothing is rescaled and nothing needs to be: the prior takes each column's own mean
and variance, and is worth one row of data. Metres or millimetres are the same to it. (With
--components, the places from which learning starts do depend on them.)"""
SCALES = {"spherical": ONE_WIDTH, "gaussian": OWN_WIDTHS, "diagonal": OWN_WIDTHS}


@attrs.frozen(eq=False)
class Data:
    """X (N, D), the names of its columns, the family's name, for categories the words behind the
    numbers of each column, and sentences on what was decided."""

    X: np.ndarray
    names: list[str]
    family: str
    levels: dict[str, list[str]]
    notes: list[str]

    @property
    def shares(self) -> bool:
        """Whether what is typical of a component are probabilities."""
        return self.family in ("bernoulli", "categorical")


def prepare(table: Table, family: str = "auto") -> Data:
    """The numbers that a family learns from. family: "auto", or one of `WORDS`.

    Raises ValueError that names the column which does not suit the family.
    """
    notes = [*table.notes]
    if family in ("auto", "bernoulli"):
        table = _with_answers(table, notes)
    names = [*table.cells]
    words = [name for name in names if table.cells[name].dtype.kind == "U"]
    if family == "auto":
        family, reason = _suitable(table, names, words)
        notes.append(f"{reason}: {WORDS[family]}. --family changes it.")
    else:
        notes.append(f"As you chose: {WORDS[family]}.")
    if len(names) > 2 * len(table.rows):
        turn = "leave out" if table.transposed else "add"
        advice = f"if your columns are what you want grouped, {turn} --transpose"
        size = f"{len(names)} columns and only {len(table.rows)} rows"
        notes.append(f"The table has {size}. Rows are what is grouped; {advice}.")
    levels = {}
    if family == "categorical":
        X = np.empty((len(table.rows), len(names)))
        for d, name in enumerate(names):
            levels[name], X[:, d] = _codes(table.cells[name], name)
    else:
        if words:
            raise ValueError(_words_among_numbers(table, words))
        X = np.column_stack([table.cells[name] for name in names])
        _check(X, names, family)
        notes += _remarks(X, names)
    if (X == X[0]).all():
        raise ValueError("all rows are the same; there is nothing to group")
    notes += [" ".join(SCALES[family].split())] if family in SCALES else []
    return Data(X, names, family, levels, notes)


def _with_answers(table: Table, notes: list[str]) -> Table:
    """The table with words for yes and no as 1 and 0, where all of its columns are such answers."""
    answers = {}
    for name, values in table.cells.items():
        if values.dtype.kind == "U":
            values = np.array(
                [ANSWERS.get(word.strip().lower(), np.nan) for word in values]
            )
        answers[name] = values
    others = [
        name for name, values in answers.items() if not np.isin(values, (0, 1)).all()
    ]
    if others and len(others) < len(answers) / 4:
        row = int(np.argmin(np.isin(answers[others[0]], (0, 1))))
        cell = f"{str(table.cells[others[0]][row])!r} in row {row + 1}"
        notes.append(f"Yes and no are all there is, but in {some(others)}: {cell}.")
    if others:
        return table
    if any(values.dtype.kind == "U" for values in table.cells.values()):
        notes.append("Words such as yes and true are read as 1, no and false as 0.")
    return attrs.evolve(table, cells=answers)


def _remarks(X: np.ndarray, names: list[str]) -> list[str]:
    """Sentences on columns that hardly anybody wants grouped by."""
    found = []
    for name, values in zip(names, X.T, strict=True):
        steps = np.diff(values)
        if not steps.any():
            found.append(f"Column {name!r} is the same in all rows; --leave-out it.")
        elif (steps == 1).all() and len(values) > 9:
            found.append(
                f"Column {name!r} numbers the rows; --leave-out it or make it --labels."
            )
        if np.abs(values).max() > 2**53:
            found.append(
                f"Column {name!r} exceeds 2^53: only 16 digits of its numbers count."
            )
    return found


def _suitable(table: Table, names, words) -> tuple[str, str]:
    """The family, and the reason in words."""
    D, N = len(names), len(table.rows)
    if len(words) == D:
        return "categorical", f"All {D} columns are words"
    if words:
        raise ValueError(_words_among_numbers(table, words))
    X = np.column_stack([*table.cells.values()])
    binary = ((X == 0) | (X == 1)).all(axis=0)
    if binary.all():
        return "bernoulli", f"All {D} columns are 0 or 1"
    if binary.mean() > 0.5:
        others = [name for name, yes in zip(names, binary, strict=True) if not yes]
        number = f"{binary.sum()} of {D} columns are 0 or 1, but not {some(others)}"
        advice = f"add --leave-out {','.join(others)!r}"
        raise ValueError(
            f"{number}: {advice}, or --family diagonal to take all as measurements"
        )
    reason = f"All {D} columns are numbers"
    if (X >= 0).all() and (X % 1 == 0).all():
        reason += " (if they count something, --family poisson may suit them better)"
    if D > MOST_FULL or N < 5 * D:
        return (
            "diagonal",
            f"{reason}, too many for {N} rows to learn how they go together",
        )
    return "gaussian", reason


def _words_among_numbers(table: Table, words) -> str:
    """A sentence on the first column of words among numbers."""
    name = words[0]
    values = table.cells[name]
    numbers = np.array([bool(NUMBER.fullmatch(value)) for value in values])
    first = values[int(np.argmin(numbers))][:40]
    if numbers.mean() > 0.5:
        row = int(np.argmin(numbers)) + 1
        return f"column {name!r} has {first!r} in row {row} of the data, no number"
    held, rest = f"words ({first!r})", "numbers"
    odd = [each for each in table.cells if each not in words]
    if len(odd) < len(words):
        name, held, rest = odd[0], "numbers", "words"
    advice = (
        f"add --labels {name!r} to keep it beside the results, or --leave-out {name!r}"
    )
    return f"column {name!r} holds {held}, others hold {rest}: {advice}"


def _codes(values: np.ndarray, name: str) -> tuple[list[str], np.ndarray]:
    """The different values of a column, sorted, and the place of each cell among them."""
    found, codes = np.unique(values, return_inverse=True)
    if len(found) > LEVELS:
        words = f"column {name!r} has {len(found)} different values"
        allowed = f"categories must have at most {LEVELS} (leave it out with --leave-out {name!r})"
        raise ValueError(f"{words}; {allowed}")
    return [str(v) if found.dtype.kind == "U" else f"{v:.15g}" for v in found], codes


def _check(X: np.ndarray, names: list[str], family: str) -> None:
    wrong, wanted = np.zeros(X.shape, bool), ""
    if family == "bernoulli":
        wrong, wanted = (X != 0) & (X != 1), "0 and 1"
    elif family == "poisson":
        wrong, wanted = (
            (X < 0) | (X % 1 != 0) | (X > 2**53),
            "whole numbers from 0 to 2^53",
        )
    else:
        wrong, wanted = np.abs(X) > LARGEST, f"numbers up to {LARGEST:g}"
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        bad = [
            name for name, any_ in zip(names, wrong.any(axis=0), strict=True) if any_
        ]
        place = f"column {names[column]!r} has {X[row, column]:.15g} in row {row + 1} of the data"
        wanted += f" (--leave-out {','.join(bad[:8])!r})"
        raise ValueError(f"{place}; --family {family} takes {wanted}")
