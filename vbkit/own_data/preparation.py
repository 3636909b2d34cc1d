"""Which family suits the columns of a table, said aloud, and the numbers it learns from."""

import attrs
import numpy as np
from scipy.stats import skew

from vbkit.own_data.columns import FEW_VALUES, most_categories
from vbkit.own_data.sequences import Sequences
from vbkit.own_data.table import Table, has_value
from vbkit.own_data.text import asking_for, is_number_like, some

FAMILIES = {
    "gaussian": "Gaussian with full covariance",
    "diagonal": "Gaussian with independent columns (diagonal covariance)",
    "spherical": "Gaussian with one width for all columns (spherical covariance)",
    "bernoulli": "independent yes/no items (Bernoulli)",
    "categorical": "independent categories (categorical)",
    "poisson": "independent counts (Poisson)",
    "columns": "independent columns, each of its own kind (columns)",
}
ANSWERS = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0}
ANSWERS |= {"false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
MOST_FULL = 50  # columns up to which full covariance is chosen without being asked for
LARGEST = 1e100  # the engine takes numbers up to this
LARGEST_WHOLE = 2**53  # whole numbers up to this are kept to the last digit
FEW_LEVELS = 50  # so many different words in a column are never too many
FEW_ROWS = 9  # so few rows may be numbered by chance
LONG_TAIL = 2.0  # skewness; that of an exponential distribution
CLOSE = 0.9  # correlation of two columns
CLOCK = 0.9  # share of steps by one, beyond which a column counts like a clock
ONE_WIDTH = (
    "One width serves all columns, so a column with large numbers weighs more: bring the "
    "columns to comparable units first, or choose --family diagonal."
)
OWN_WIDTHS = (
    "Nothing is rescaled and nothing needs to be: the prior takes each column's own centre "
    "and spread, and how narrow groups are beside the whole is chosen with them. Metres or "
    "millimetres are the same to it. A number stands for a cell as wide as the usual step "
    "between a column's numbers, so a flag alone is not divided into its numbers."
)
AT_RANDOM = (
    "A missing cell adds nothing to what is learned. That is right if cells are missing at "
    "random: if whether a cell is missing does not depend on what it would have held, once "
    "the other cells of its row are known."
)
APART = (
    "Within a group the columns are taken as independent, so that columns which go closely "
    "together may divide a group into several."
)
SCALES = {"spherical": ONE_WIDTH, "gaussian": OWN_WIDTHS, "diagonal": OWN_WIDTHS}


@attrs.frozen(eq=False)
class Data:
    """What a family learns from.

    X: numbers (N, D), NaN where a cell is missing.
    names: of the columns.
    family: its name, one of `FAMILIES`.
    levels: for categories, the words behind the numbers of each column that holds some.
    notes: sentences on what was decided.
    sequences: which rows follow one another; None where their order does not count.
    """

    X: np.ndarray
    names: list[str]
    family: str
    levels: dict[str, list[str]]
    notes: list[str]
    sequences: Sequences | None = None

    @property
    def shares(self) -> bool:
        """Whether all that is typical of a component are probabilities."""
        return self.family in ("bernoulli", "categorical")

    def is_answer(self, name: str) -> bool:
        """Whether a column holds nothing but 0 and 1."""
        if name in self.levels or self.family not in ("bernoulli", "columns"):
            return False
        values = self.X[:, self.names.index(name)]
        return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())

    @property
    def categories(self) -> list[int] | None:
        """The places of columns of categories, as `VariationalMixture` takes them."""
        if self.family != "columns":
            return None
        return [d for d, name in enumerate(self.names) if name in self.levels]


def prepare(table: Table, family: str = "auto") -> Data:
    """The numbers that a family learns from. family: "auto", or one of `FAMILIES`.

    Raises ValueError that names the column which does not suit the family, for a full
    covariance of many columns and fewer rows, and for rows that have no hidden states.
    """
    notes = [*table.notes]
    if family in ("auto", "bernoulli"):
        table = _with_answers(table, notes)
    is_ordered = table.sequences is not None
    if is_ordered:
        table = _without_constants(table, notes)
        _check_ordered(table, family)
    if family == "auto":
        family, reason = _suitable(table)
        notes.append(f"{reason}: {FAMILIES[family]}. --family changes it.")
    else:
        notes.append(f"As you chose: {FAMILIES[family]}.")
    if table.incomplete and family != "columns":
        raise ValueError(
            f"{table.incomplete}; or choose --family columns, which takes missing cells"
        )
    if table.incomplete:
        notes.append(
            f"{table.incomplete}. If nothing is added, these cells count as missing."
        )
    table = _without_constants(table, notes)
    names = [*table.cells]
    if family == "gaussian" and max(MOST_FULL, len(table.rows)) < len(names):
        raise ValueError(
            f"a full covariance of {len(names)} columns says how each goes together with "
            f"each other, and {len(table.rows)} rows are too few to learn this; choose "
            "--family diagonal or spherical, or --leave-out columns"
        )
    if len(names) > 2 * len(table.rows):
        turn = "leave out" if table.transposed else "add"
        notes.append(
            f"The table has {len(names)} columns and only {len(table.rows)} rows. Rows "
            "are what is grouped; if your columns are what you want grouped, "
            f"{turn} --transpose."
        )
    levels = {}
    if family == "categorical":
        X, levels = _codes(table)
    elif family == "columns":
        X, levels = _each_by_its_kind(table, notes)
        _check(X, names, family)
        notes.extend(_remarks(X, names, is_ordered))
    else:
        if table.words:
            raise ValueError(_words_among_numbers(table, table.words))
        X = np.column_stack([table.cells[name] for name in names])
        _check(X, names, family)
        notes.extend(_remarks(X, names, is_ordered))
    if family in SCALES:
        notes.extend(_few_values(X, names))
        notes.append(SCALES[family])
    if family in (*SCALES, "columns") and not table.transposed:
        columns = dict(zip(names, X.T, strict=True))
        numbers = {}
        for name, values in columns.items():
            if name not in levels and len(np.unique(values)) > FEW_VALUES:
                numbers[name] = values
        notes.extend(_long_tails(numbers))
        if family in ("columns", "diagonal"):
            notes.extend(_close_pair(numbers))
    return Data(X, names, family, levels, notes, table.sequences)


def _check_ordered(table: Table, family: str) -> None:
    """Raise ValueError for sequences, a family or words that have no hidden states."""
    table.sequences.check()
    if family == "columns":
        raise ValueError(
            "--family columns has no hidden states: they are learned from numbers, from "
            "yes/no or from words alone; leave out --family"
        )
    words = table.words
    if not words or len(words) == len(table.cells) or family == "categorical":
        return
    hold, it = ("hold", "one") if len(words) > 1 else ("holds", "it")
    raise ValueError(
        f"hidden states are learned from numbers or yes/no, and {some(words)} {hold} words; "
        f"add {asking_for('--leave-out', words)}, or {asking_for('--labels', words[:1])} to "
        f"keep {it} beside the results"
    )


def _without_constants(table: Table, notes: list[str]) -> Table:
    """The table without the columns that are the same in all rows, which say nothing about
    groups. Raises ValueError where all are."""
    cells = {}
    for name, values in table.cells.items():
        seen = values[has_value(values)]
        if len(seen) and (seen != seen[0]).any():
            cells[name] = values
    constant = [name for name in table.cells if name not in cells]
    if not cells:
        raise ValueError("all rows are the same; there is nothing to group")
    if constant:
        one = len(constant) == 1
        notes.append(
            f"Left aside, for {'it is' if one else 'they are'} the same in all rows and "
            f"{'tells' if one else 'tell'} no groups apart: {some(constant)}."
        )
    return attrs.evolve(table, cells=cells)


# ---- words ----


def _with_answers(table: Table, notes: list[str]) -> Table:
    """The table with words for yes and no as 1 and 0, where all of its columns are such
    answers."""
    answers = {}
    others = []
    for name, values in table.cells.items():
        answers[name] = values if name not in table.words else as_answers(values)
        if not _are_answers(values, answers[name]).all():
            others.append(name)
    if others and len(others) < len(answers) / 4:
        first = others[0]
        row = int(np.argmin(_are_answers(table.cells[first], answers[first])))
        cell = str(table.cells[others[0]][row])
        notes.append(
            f"Yes and no are all there is, but in {some(others)}: "
            f"{cell!r} in row {row + 1}."
        )
    if others:
        return table
    if table.words:
        notes.append("Words such as yes and true are read as 1, no and false as 0.")
    return attrs.evolve(table, cells=answers)


def as_answers(words: np.ndarray) -> np.ndarray:
    """Words (N,) for yes and no as 1 and 0; NaN for another word, and for none."""
    return np.array([ANSWERS.get((word or "").lower(), np.nan) for word in words])


def _are_answers(values: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Whether cells (N,) hold yes or no, or nothing."""
    return np.isin(answers, (0, 1)) | ~has_value(values)


def _words_among_numbers(table: Table, words: list[str]) -> str:
    """A sentence on the first column of words among numbers, or of numbers among words.

    words: the names of the columns of words.
    """
    name = words[0]
    values = table.cells[name].tolist()
    is_number = [is_number_like(value) for value in values]
    row = int(np.argmin(is_number))  # the first word
    first = values[row][:40]
    if np.mean(is_number) > 0.5:
        return (
            f"column {name!r} has {first!r} in row {row + 1} of the data, no number; mend "
            f"it, or add {asking_for('--leave-out', [name])}"
        )
    kinds = f"words ({first!r}), others hold numbers"
    columns_of_numbers = [each for each in table.cells if each not in words]
    if len(columns_of_numbers) < len(words):
        name = columns_of_numbers[0]
        kinds = "numbers, others hold words"
    return (
        f"column {name!r} holds {kinds}: "
        f"add {asking_for('--labels', [name])} to keep it beside the results, or "
        f"{asking_for('--leave-out', [name])}"
    )


def _codes(table: Table) -> tuple[np.ndarray, dict[str, list[str]]]:
    """Each cell's place (N, D) among the different values of its column, and these, sorted,
    by the name of the column."""
    X = np.empty((len(table.rows), len(table.cells)))
    levels = {}
    for d, (name, values) in enumerate(table.cells.items()):
        X[:, d], levels[name] = _codes_of_column(name, values, FEW_LEVELS)
    return X, levels


def _codes_of_column(
    name: str, values: np.ndarray, few: int
) -> tuple[np.ndarray, list[str]]:
    """Each cell's place (N,), NaN where one is missing, among the different values of a
    column, and these, sorted.

    few: so many different values are never too many. Raises ValueError for too many.
    """
    seen = has_value(values)
    different, places = np.unique(values[seen], return_inverse=True)
    most = most_categories(len(values), few)
    if len(different) > most:
        raise ValueError(
            f"column {name!r} has {len(different)} different values in {len(values)} "
            "rows, too many to learn from as categories; at most "
            f"{most} are taken here. Add {asking_for('--leave-out', [name])} to ignore the "
            f"column, or {asking_for('--labels', [name])} to keep it beside the results"
        )
    codes = np.full(len(values), np.nan)
    codes[seen] = places
    words = different.tolist()
    if different.dtype.kind == "f":
        words = [f"{value:.15g}" for value in words]
    return codes, words


# ---- columns of several kinds ----


def _each_by_its_kind(
    table: Table, notes: list[str]
) -> tuple[np.ndarray, dict[str, list[str]]]:
    """The cells as numbers (N, D), NaN where one is missing, and the words behind those of
    categories; what each column is taken for is added to `notes`."""
    X = np.empty((len(table.rows), len(table.cells)))
    levels = {}
    kinds: dict[str, list[str]] = {"numbers": [], "yes or no": [], "categories": []}
    for d, (name, values) in enumerate(table.cells.items()):
        numbers = as_answers(values) if name in table.words else values
        if _are_answers(values, numbers).all():
            kinds["yes or no"].append(name)
        elif name in table.words:
            numbers, levels[name] = _codes_of_column(name, values, FEW_VALUES)
            kinds["categories"].append(name)
        else:
            kinds["numbers"].append(name)
        X[:, d] = np.where(np.isfinite(numbers), numbers, np.nan)
    told = [f"{some(names)} as {kind}" for kind, names in kinds.items() if names]
    notes.append(f"Taken: {'; '.join(told)}. All of them take part in learning.")
    numbers = [names for names in table.cells if names in kinds["numbers"]]
    if numbers:
        places = [[*table.cells].index(name) for name in numbers]
        notes.extend(_few_values(X[:, places], numbers))
    if np.isnan(X).any():
        notes.append(AT_RANDOM)
    notes.append(APART)
    return X, levels


# ---- numbers ----


def _suitable(table: Table) -> tuple[str, str]:
    """The family that suits a table, and the reason in words."""
    names = [*table.cells]
    words = table.words
    N = len(table.rows)
    D = len(names)
    if table.incomplete:
        return "columns", "Cells are missing"
    if len(words) == D:
        return "categorical", f"All {D} columns are words"
    if words:
        return "columns", "The columns are of several kinds"
    X = np.column_stack([*table.cells.values()])
    is_binary = ((X == 0) | (X == 1)).all(axis=0)
    if is_binary.all():
        return "bernoulli", f"All {D} columns are 0 or 1"
    if is_binary.mean() > 0.5 and table.sequences is None:
        return (
            "columns",
            f"{is_binary.sum()} of {D} columns are 0 or 1, the others numbers",
        )
    reason = f"All {D} columns are numbers"
    if (X >= 0).all() and (X % 1 == 0).all():
        reason += " (if they count something, --family poisson may suit them better)"
    if D > MOST_FULL or N < 5 * D:
        reason += f", too many for {N} rows to learn how they go together"
        return "diagonal", reason
    return "gaussian", reason


def _remarks(X: np.ndarray, names: list[str], is_ordered: bool) -> list[str]:
    """Sentences on columns that hardly anybody wants grouped by. is_ordered: whether the
    order of the rows counts."""
    remarks = []
    for name, values in zip(names, X.T, strict=True):
        steps = np.diff(values)
        starts_again = len(values) > FEW_ROWS and (steps != 1).any()
        if is_ordered and len(values) > FEW_ROWS and (steps > 0).mean() > CLOCK:
            remarks.append(
                f"Column {name!r} rises from row to row, as clocks and counters do in any "
                f"state; if it is one, {asking_for('--leave-out', [name])}."
            )
        elif starts_again and (steps == 1).mean() > CLOCK:
            remarks.append(
                f"Column {name!r} counts up by one and begins again. If the rows follow one "
                f"another, add {asking_for('--sequences', [name])} to find hidden states in "
                f"them; if not, {asking_for('--leave-out', [name])}."
            )
        values = values[~np.isnan(values)]
        if (steps == 1).all() and len(values) > FEW_ROWS:
            remarks.append(
                f"Column {name!r} numbers the rows; --leave-out it or make it --labels."
            )
        if np.abs(values).max() > LARGEST_WHOLE:
            remarks.append(
                f"Column {name!r} exceeds 2^53: only 16 digits of its numbers count."
            )
    return remarks


def _few_values(X: np.ndarray, names: list[str]) -> list[str]:
    """A sentence on columns of few different numbers, such as flags or stars, beside
    columns of many: Gaussians may make a group of each number."""
    different = np.array([len(np.unique(values[~np.isnan(values)])) for values in X.T])
    is_few = (different > 1) & (different <= FEW_VALUES) & (different < len(X) / 10)
    few = [name for name, yes in zip(names, is_few, strict=True) if yes]
    if not few or is_few.all():
        return []
    return [
        f"Of at most {FEW_VALUES} different numbers: {some(few)}. The groups may only repeat "
        f"these numbers; {asking_for('--leave-out', few)} looks for groups without them."
    ]


def _long_tails(columns: dict[str, np.ndarray]) -> list[str]:
    """A sentence on columns (N,) of numbers from 0 on that are mostly small, some of them
    large."""
    names = []
    for name, values in columns.items():
        if np.nanmin(values) >= 0 and skew(values, nan_policy="omit") > LONG_TAIL:
            names.append(name)
    if not names:
        return []
    have = "have long tails" if len(names) > 1 else "has a long tail"
    return [
        f"{some(names)} {have}: most numbers are small, some are far larger. A Gaussian suits "
        "that badly, and the tail may become groups of its own. Where numbers differ by "
        "factors, as money does, take logarithms in the file (of 1 + the number, if "
        "there are zeros)."
    ]


def _close_pair(columns: dict[str, np.ndarray]) -> list[str]:
    """A sentence on the two columns (N,) of numbers that go most closely together, if they
    do."""
    names = [*columns]
    if len(names) < 2:
        return []
    X = np.ma.masked_invalid(np.column_stack([*columns.values()]))
    correlations = np.triu(np.ma.corrcoef(X, rowvar=False).filled(0.0), 1)
    place = np.unravel_index(np.abs(correlations).argmax(), correlations.shape)
    first, second = (names[d] for d in place)
    if np.abs(correlations[place]) < CLOSE:
        return []
    return [
        f"{first!r} and {second!r} go closely together (correlation "
        f"{correlations[place]:.2f}), while within a group columns are taken as "
        f"independent: if one of them follows from the other, leave it out "
        f"({asking_for('--leave-out', [second])})."
    ]


def _check(X: np.ndarray, names: list[str], family: str) -> None:
    """Raise ValueError for the first number that a family does not take."""
    if family == "bernoulli":
        is_wrong = (X != 0) & (X != 1)
        allowed = "0 and 1"
    elif family == "poisson":
        is_wrong = (X < 0) | (X % 1 != 0) | (X > LARGEST_WHOLE)
        allowed = "whole numbers from 0 to 2^53"
    else:
        is_wrong = np.abs(X) > LARGEST
        allowed = f"numbers up to {LARGEST:g}"
    if not is_wrong.any():
        return
    row, column = np.argwhere(is_wrong)[0]
    bad = [names[d] for d in np.flatnonzero(is_wrong.any(axis=0))]
    raise ValueError(
        f"column {names[column]!r} has {X[row, column]:.15g} in row {row + 1} of the "
        f"data; --family {family} takes {allowed} ({asking_for('--leave-out', bad)})"
    )
