"""Columns of words and numbers as the numbers that an estimator of columns learns from."""

import numpy as np

from vbkit.own_data.columns import TextColumn
from vbkit.own_data.text import some
from vbkit.own_data.times import readings

MOST_LEVELS = 1000  # different values in a column of categories, at most


def is_frame(X) -> bool:
    """Whether X is a data frame of pandas, whose columns have types of their own."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def categories_of(X, categorical_features) -> list[list | None]:
    """The different values of each column of X (N, D) that holds categories, sorted; None
    for a column of numbers.

    categorical_features: indices or, for a frame, names of columns whose numbers are
        categories, too; None for none. Columns of words always hold categories.

    Raises ValueError for a column that is not there, for too many different values, and
    for a column of dates or times of day that is not asked for.
    """
    asked = _places(X, categorical_features)
    categories: list[list | None] = []
    for d in range(X.shape[1]):
        values = _seen(X, d)
        if d not in asked and _holds_numbers(X, d):
            categories.append(None)
            continue
        if d not in asked and readings(TextColumn(values)):
            name = _name(X, d)
            raise ValueError(
                f"X column {name!r} holds dates or times of day; leave it out, "
                f"X.drop(columns=[{name!r}]), or name it in categorical_features"
            )
        levels = sorted(set(values))
        if len(levels) > MOST_LEVELS:
            raise ValueError(
                f"X column {_name(X, d)!r} holds {len(levels)} different categories; at "
                f"most {MOST_LEVELS} are taken"
            )
        categories.append(levels)
    return categories


def as_numbers(X, categories: list[list | None]):
    """X (N, D) with the place of each category among those of its column, and NaN where a
    cell is missing; a frame stays one, for its names.

    Raises ValueError that names a category which is not among those of its column.
    """
    if X.ndim != 2 or X.shape[1] != len(categories):
        return X  # scikit-learn says what is wrong with its shape
    numbers = np.full(X.shape, np.nan)
    for d, levels in enumerate(categories):
        seen = ~_is_missing(X, d)
        values = _seen(X, d)
        if levels is not None:
            values = _codes(_name(X, d), values, levels)
        numbers[seen, d] = values
    if is_frame(X):
        return type(X)(numbers, columns=X.columns, index=X.index)
    return numbers


def _codes(name, values: list, levels: list) -> list[int]:
    """The place of each value among the levels."""
    places = {level: place for place, level in enumerate(levels)}
    for value in values:
        if value not in places:
            raise ValueError(
                f"X column {name!r} holds {value!r}, which was not there when learning "
                f"began; it knows {some([str(level) for level in levels])}"
            )
    return [places[value] for value in values]


def _places(X, categorical_features) -> set[int]:
    """The indices of columns that are asked for by index or name."""
    places = set()
    D = X.shape[1]
    names = [*X.columns] if is_frame(X) else []
    for asked in [] if categorical_features is None else categorical_features:
        if isinstance(asked, str) and asked in names:
            places.add(names.index(asked))
        elif isinstance(asked, int | np.integer) and 0 <= asked < D:
            places.add(int(asked))
        else:
            raise ValueError(
                f"categorical_features names {asked!r}; X has {D} columns, 0 to {D - 1}"
                + (f", called {some([str(name) for name in names])}" if names else "")
            )
    return places


def _holds_numbers(X, d: int) -> bool:
    """Whether column d holds numbers, or true and false."""
    if not is_frame(X):
        return True
    kind = X.dtypes.iloc[d]
    return getattr(kind, "kind", "O") in "biuf"


def _is_missing(X, d: int) -> np.ndarray:
    """Which cells of column d have no value (N,)."""
    if is_frame(X):
        return X.iloc[:, d].isna().to_numpy(dtype=bool)
    return np.isnan(X[:, d])


def _seen(X, d: int) -> list:
    """The values of column d that are there: numbers, or words as text."""
    if not is_frame(X):
        return X[~np.isnan(X[:, d]), d].tolist()
    column = X.iloc[:, d].dropna()
    if _holds_numbers(X, d):
        return column.astype(float).tolist()
    return [str(value) for value in column]


def _name(X, d: int):
    """What column d is called: its name in a frame, else its index."""
    return X.columns[d] if is_frame(X) else d
