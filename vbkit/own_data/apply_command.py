"""The command `python -m vbkit apply`: from a model that `fit` saved and new rows to their
groups."""

from pathlib import Path

import numpy as np

from vbkit.own_data import VariationalHMM, VariationalMixture, load_model
from vbkit.own_data.columns import is_no_value, numeral
from vbkit.own_data.fit_command import read, write_groups
from vbkit.own_data.preparation import as_answers
from vbkit.own_data.reading import Reading
from vbkit.own_data.sequences import as_arguments
from vbkit.own_data.table import Table, has_value
from vbkit.own_data.text import many, some
from vbkit.press import UsageError
from vbkit.press.folder import new_folder

COUNTED = "column 1"  # the first column of a table that has no names


def apply_model(*, model, path, folder, root, words, header, **reading) -> None:
    """Give the rows of a table, which has the columns that the model was learned from in any
    order, their groups, and fill a new or empty folder with these.

    Options are those that `options.add_apply_options` declares; reading: the other fields
    of `reading.Reading`. Raises UsageError with one sentence where something does not fit;
    then nothing is written.
    """
    with new_folder(folder, root) as build:
        try:
            mixture = _load(model)
            _check_order(mixture, Reading(**reading).is_ordered)
            names = [*mixture.feature_names_in_]
            del mixture.feature_names_in_  # for rows come as an array, in their order
            levels = dict(zip(names, getattr(mixture, "levels_", ()), strict=False))
            written = [name for name in names if _are_written(levels.get(name, ()))]
            if header is None and names[0] == COUNTED:
                header = "no"
            table = read(
                path, needed=names, words=[*words, *written], header=header, **reading
            )
            for note in table.notes:
                print(note)
            if table.incomplete and mixture.family != "columns":
                raise ValueError(table.incomplete)
            X = _numbers(table, mixture.family, levels)
            proba = mixture.predict_proba(X, **as_arguments(table.sequences))
            groups = mixture.predict(X, **as_arguments(table.sequences))
        except ValueError as error:
            raise UsageError(str(error)) from error
        write_groups(build, table, proba, groups, reading["labels"])
    used = len(np.unique(groups))
    offered = mixture.n_components_
    print(f"{many(len(proba), 'row')} in {used} of {many(offered, 'group')}.")
    print(f"see {Path(folder) / 'labels.csv'}")


def _load(path: Path) -> VariationalMixture | VariationalHMM:
    """The model in a file. Raises ValueError for one that `fit` did not write."""
    model = load_model(path)
    if not isinstance(model, VariationalMixture | VariationalHMM):
        raise ValueError(
            f"{path} holds a {type(model).__name__}; apply takes what fit wrote, and in "
            f"Python load_model({str(path)!r}) gives the model back"
        )
    if not hasattr(model, "feature_names_in_"):
        raise ValueError(f"{path} has no names of columns; apply takes what fit wrote")
    return model


def _check_order(model: VariationalMixture | VariationalHMM, is_ordered: bool) -> None:
    """Raise ValueError unless the order of the rows counts for the model as it does for the
    rows."""
    has_states = isinstance(model, VariationalHMM)
    if has_states and not is_ordered:
        raise ValueError(
            "the model has hidden states, so the order of the rows counts: add --sequences "
            "COLUMN, or --in-order to take all rows as one sequence"
        )
    if is_ordered and not has_states:
        raise ValueError(
            "the model was learned without order; leave out --sequences and --in-order"
        )


def _are_written(levels) -> bool:
    """Whether the words of a column could be taken for numbers or gaps, so that its cells
    must be taken as they are written."""
    is_unlike = [is_no_value(level) or numeral(level) is not None for level in levels]
    return any(is_unlike) and not all(map(_is_canonical, levels))


def _is_canonical(level: str) -> bool:
    """Whether a level is a number as `fit` writes the numbers that it takes for levels."""
    try:
        return f"{float(level):.15g}" == level
    except ValueError:
        return False


def _numbers(table: Table, family: str, levels: dict) -> np.ndarray:
    """The numbers (N, D) that the model takes for the cells of a table. Raises ValueError
    that names the cell which it does not know."""
    columns = []
    for name, values in table.cells.items():
        if levels.get(name):
            codes = _codes(name, values, levels[name], table.rows, family)
            columns.append(codes)
            continue
        if name in table.words and family in ("bernoulli", "columns"):
            answers = as_answers(values)
            values = np.where(np.isnan(answers) & has_value(values), values, answers)
        columns.append(_checked(name, values, family, table.rows))
    return np.column_stack(columns)


def _codes(
    name: str, values: np.ndarray, levels, rows: list[str], family: str
) -> np.ndarray:
    """The place of each value (N,) among the levels of its column, NaN where one is
    missing."""
    seen = has_value(values)
    advice = "; an empty cell would count as missing" if family == "columns" else ""
    texts = values.tolist()
    if values.dtype == np.float64:
        texts = [f"{value:.15g}" for value in texts]
    places = {level: place for place, level in enumerate(levels)}
    for row, text, is_seen in zip(rows, texts, seen, strict=True):
        if is_seen and text not in places:
            raise ValueError(
                f"column {name!r} has {text[:40]!r} in row {row}, which the model has not "
                f"seen; it knows {some(list(levels))}{advice}"
            )
    return np.array([places.get(text, np.nan) for text in texts], dtype=float)


def _checked(name: str, values: np.ndarray, family: str, rows: list[str]) -> np.ndarray:
    """The values of a column, if they are numbers that the family takes."""
    if values.dtype != np.float64:
        try:
            values = values.astype(float)
        except ValueError:
            first = int(np.argmax(has_value(values)))
            word = values.tolist()[first][:40]
            raise ValueError(
                f"column {name!r} has {word!r} in row {rows[first]}, no number as in the table "
                "that the model was learned from"
            ) from None
    is_wrong = np.zeros(len(values), dtype=bool)
    if family == "bernoulli":
        is_wrong = (values != 0) & (values != 1)
    elif family == "poisson":
        is_wrong = (values < 0) | (values % 1 != 0)
    if is_wrong.any():
        place = int(np.argmax(is_wrong))
        raise ValueError(
            f"column {name!r} has {values[place]:.15g} in row {rows[place]}, which the "
            f"family {family!r} does not take"
        )
    return values
