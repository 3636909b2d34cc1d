"""The command `python -m vbkit fit`: from a table in a file to a folder with a report,
labels, probabilities and the model."""

import csv
from pathlib import Path

import numpy as np

from vbkit.own_data import save_model
from vbkit.own_data.groups import (
    as_given,
    learn,
    left_undone,
    six_digits,
    table_of_stays,
    told_by_one_column,
)
from vbkit.own_data.preparation import prepare
from vbkit.own_data.report import headline, report
from vbkit.own_data.sequences import stays
from vbkit.own_data.table import Table, read_table
from vbkit.own_data.text import shown_name
from vbkit.press import UsageError
from vbkit.press.folder import new_folder


def fit_table(
    *, path, folder, family, components, prior_count, seed, root, **reading
) -> None:
    """Fit a mixture to the table in a file, and fill a new or empty folder with what was
    found.

    Options are those that `options.add_fit_options` declares; reading: the fields of
    `reading.Reading`. Raises UsageError with one
    sentence where something does not fit; then nothing is written.
    """
    with new_folder(folder, root) as build:
        try:
            table = read(path, **reading)
            data = prepare(table, family)
            for note in data.notes:
                print(note)
            groups = learn(data, components, seed, prior_count)
        except ValueError as error:
            raise UsageError(str(error)) from error
        labels = reading["labels"]
        page = report(shown_name(path), table, data, groups, seed, labels or "")
        (build / "report.html").write_text(page, encoding="utf-8")
        write_groups(build, table, groups.proba, groups.labels, labels)
        groups.model.feature_names_in_ = np.array(data.names, dtype=object)
        if data.levels:  # the words behind the numbers of each column
            groups.model.levels_ = tuple(
                tuple(data.levels.get(name, ())) for name in data.names
            )
        save_model(groups.model, build / "model.npz")
    print(headline(data, groups))
    for sentence in [*left_undone(groups), told_by_one_column(data, groups)]:
        if sentence:
            print(sentence)
    print(f"open {Path(folder) / 'report.html'}")


def read(path: Path, **reading) -> Table:
    """The table in a file. Raises UsageError for one that cannot be read."""
    try:
        return read_table(path, **reading)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def write_groups(
    folder: Path,
    table: Table,
    proba: np.ndarray,
    groups: np.ndarray,
    labels: str | None,
) -> None:
    """Write the groups of the rows (N,), and their probabilities (N, K), as two files; where
    groups are hidden states, the stays in them as a third.

    labels: what the column of `table.labels` is called.
    """
    rows = {"row": table.rows}
    columns = {"row": table.rows}
    given = dict(table.times)
    if table.sequences is not None and table.sequences.cells is not None:
        given = {table.sequences.name: table.sequences.cells} | given
    if table.labels is not None:
        given = {labels: table.labels} | given
    for name, values in given.items():
        columns[as_given(name, ("row", "group", "probability"))] = values
    sure = np.take_along_axis(proba, groups[:, None], axis=1)[:, 0]
    columns["group"] = groups
    columns["probability"] = six_digits(sure)
    _write_csv(folder / "labels.csv", columns)
    for k, probabilities in enumerate(proba.T):
        rows[f"group {k}"] = six_digits(probabilities)
    _write_csv(folder / "probabilities.csv", rows)
    if table.sequences is not None:
        found = stays(groups, table.sequences.lengths)
        _write_csv(folder / "stays.csv", table_of_stays(found, table, sure))


def _write_csv(path: Path, columns: dict) -> None:
    """Columns by their names, as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
