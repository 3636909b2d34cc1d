"""Which family suits the columns of a table, said aloud, and the numbers it learns from."""

import attrs
import numpy as np
from scipy.stats import skew

from vbkit.own_data.columns import FEW_ROWS, FEW_VALUES, LARGEST_WHOLE, most_categories
from vbkit.own_data.family_names import FAMILIES
from vbkit.own_data.sequences import Sequences
from vbkit.own_data.table import Table, has_value
from vbkit.own_data.text import asking_for, is_number_like, some

ANSWERS = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0}
ANSWERS |= {"false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
MOST_FULL = 50  # columns up to which full covariance is chosen without being asked for
LARGEST = 1e100  # the engine takes numbers up to this
FEW_LEVELS = 50  # so many different words in a column are never too many
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
    if table.sequences is not None:
        table = _without_constants(table, notes)  # so that none of them is refused
        _check_ordered(table, family)
    family = _chosen_family(table, family, notes)
    table = _without_constants(table, notes)
    _check_shape(table, family, notes)
    levels = {}
    if family == "categorical":
        X, levels = _codes(table)
    elif family == "columns":
        X, levels = _each_by_its_kind(table, notes)
    elif table.words:
        raise ValueError(_words_among_numbers(table))
    else:
        X = np.column_stack([*table.cells.values()])
    names = [*table.cells]
    _check(X, names, family)
    numbers = {}
    for name, values in zip(names, X.T, strict=True):
        if name not in levels:
            numbers[name] = values
    notes += _remarks(numbers, is_ordered=table.sequences is not None)
    if family in SCALES:
        notes += _few_values(numbers)
        notes.append(SCALES[family])
    if family in (*SCALES, "columns") and not table.transposed:
        many_values = {}
        for name, values in numbers.items():
            if len(np.unique(values)) > FEW_VALUES:
                many_values[name] = values
        notes += _long_tails(many_values)
        if family in ("columns", "diagonal"):
            notes += _close_pair(many_values)
    return Data(X, names, family, levels, notes, table.sequences)


def _chosen_family(table: Table, family: str, notes: list[str]) -> str:
    """The family that was asked for, or the one that suits a table; `notes` then tells which,
    and of missing cells. Raises ValueError where it takes none of these."""
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
    return family


def _check_shape(table: Table, family: str, notes: list[str]) -> None:
    """Raise ValueError for a full covariance of many columns and fewer rows; note where
    columns are so many that they may be what should be grouped."""
    columns = len(table.cells)
    rows = len(table.rows)
    if family == "gaussian" and columns > max(MOST_FULL, rows):
        raise ValueError(
            f"a full covariance of {columns} columns says how each goes together with "
            f"each other, and {rows} rows are too few to learn this; choose "
            "--family diagonal or spherical, or --leave-out columns"
        )
    if columns > 2 * rows:
        turn = "leave out" if table.transposed else "add"
        notes.append(
            f"The table has {columns} columns and only {rows} rows. Rows are what is "
            f"grouped; if your columns are what you want grouped, {turn} --transpose."
        )


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
    others = {}  # which cells of other columns are answers, too
    for name, values in table.cells.items():
        answers[name] = as_answers(values) if name in table.words else values
        are_answers = _are_answers(values, answers[name])
        if not are_answers.all():
            others[name] = are_answers
    if others and len(others) < len(answers) / 4:
        first, are_answers = next(iter(others.items()))
        row = int(np.argmin(are_answers))
        notes.append(
            f"Yes and no are all there is, but in {some([*others])}: "
            f"{str(table.cells[first][row])!r} in row {row + 1}."
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


def _words_among_numbers(table: Table) -> str:
    """A sentence on the first column of words among numbers, or of numbers among words."""
    words = table.words
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
    numbers = [each for each in table.cells if each not in words]
    if len(numbers) < len(words):
        name = numbers[0]
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
    numbers = {}
    answers = []
    for d, (name, values) in enumerate(table.cells.items()):
        codes = as_answers(values) if name in table.words else values
        if _are_answers(values, codes).all():
            answers.append(name)
        elif name in table.words:
            codes, levels[name] = _codes_of_column(name, values, FEW_VALUES)
        else:
            numbers[name] = values
        X[:, d] = np.where(np.isfinite(codes), codes, np.nan)
    kinds = {"numbers": [*numbers], "yes or no": answers, "categories": [*levels]}
    told = [f"{some(names)} as {kind}" for kind, names in kinds.items() if names]
    notes.append(f"Taken: {'; '.join(told)}. All of them take part in learning.")
    notes += _few_values(numbers)
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


def _remarks(columns: dict[str, np.ndarray], is_ordered: bool) -> list[str]:
    """Sentences on columns (N,) of numbers that hardly anybody wants grouped by. is_ordered:
    whether the order of the rows counts."""
    remarks = []
    for name, values in columns.items():
        steps = np.diff(values)
        are_many = len(values) > FEW_ROWS
        if is_ordered and are_many and (steps > 0).mean() > CLOCK:
            remarks.append(
                f"Column {name!r} rises from row to row, as clocks and counters do in any "
                f"state; if it is one, {asking_for('--leave-out', [name])}."
            )
        elif are_many and CLOCK < (steps == 1).mean() < 1:
            remarks.append(
                f"Column {name!r} counts up by one and begins again. If the rows follow one "
                f"another, add {asking_for('--sequences', [name])} to find hidden states in "
                f"them; if not, {asking_for('--leave-out', [name])}."
            )
        if are_many and (steps == 1).all():
            remarks.append(
                f"Column {name!r} numbers the rows; --leave-out it or make it --labels."
            )
        if np.nanmax(np.abs(values)) > LARGEST_WHOLE:
            remarks.append(
                f"Column {name!r} exceeds 2^53: only 16 digits of its numbers count."
            )
    return remarks


def _few_values(columns: dict[str, np.ndarray]) -> list[str]:
    """A sentence on columns (N,) of few different numbers, such as flags or stars, beside
    columns of many: Gaussians may make a group of each number."""
    few = []
    for name, values in columns.items():
        different = len(np.unique(values[has_value(values)]))
        if 1 < different <= FEW_VALUES and different < len(values) / 10:
            few.append(name)
    if not few or len(few) == len(columns):
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
