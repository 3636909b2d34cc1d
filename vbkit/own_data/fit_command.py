"""The command `python -m vbkit fit`: from a table in a file to a folder with a report,
labels, probabilities and the model."""

import csv
from pathlib import Path

import numpy as np

from vbkit.own_data import save_model
from vbkit.own_data.groups import Groups, learn
from vbkit.own_data.preparation import prepare
from vbkit.own_data.report import headline, report
from vbkit.own_data.table import Table, read_table
from vbkit.press import UsageError
from vbkit.press.folder import new_folder


def fit_table(
    *,
    path,
    folder,
    family,
    components,
    prior_count,
    seed,
    labels,
    leave_out,
    transpose,
    root,
) -> None:
    """Fit a mixture to the table in a file, and fill a new or empty folder with what was
    found.

    Options are those that `options.add_fit_options` declares. Raises UsageError with one
    sentence where something does not fit; then nothing is written.
    """
    with new_folder(folder, root) as build:
        try:
            table = _read(path, labels, leave_out, transpose)
            data = prepare(table, family)
            for note in data.notes:
                print(note)
            groups = learn(data, components, seed, prior_count)
        except ValueError as error:
            raise UsageError(str(error)) from error
        page = report(Path(path).name, table, data, groups, seed, labels or "")
        (build / "report.html").write_text(page, encoding="utf-8")
        _write_labels(build / "labels.csv", table, groups, labels)
        _write_probabilities(build / "probabilities.csv", table, groups)
        groups.model.feature_names_in_ = np.array(data.names, dtype=object)
        save_model(groups.model, build / "model.npz")
    print(headline(data, groups))
    print(f"open {Path(folder) / 'report.html'}")


def _read(
    path: Path, labels: str | None, leave_out: list[str], transpose: bool
) -> Table:
    try:
        return read_table(path, labels=labels, leave_out=leave_out, transpose=transpose)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _write_labels(path: Path, table: Table, groups: Groups, labels: str | None) -> None:
    """Each row, its label if there is one, its group and the probability of that."""
    columns = {"row": table.rows}
    if table.labels is not None:
        is_taken = labels in ("row", "group", "probability")
        columns[f"{labels} (given)" if is_taken else labels] = table.labels
    columns["group"] = groups.proba.argmax(axis=1)
    columns["probability"] = _six_digits(groups.proba.max(axis=1))
    _write_csv(path, columns)


def _write_probabilities(path: Path, table: Table, groups: Groups) -> None:
    """Each row and the probabilities of all groups."""
    columns = {"row": table.rows}
    for k, probabilities in enumerate(groups.proba.T):
        columns[f"group {k}"] = _six_digits(probabilities)
    _write_csv(path, columns)


def _six_digits(values: np.ndarray) -> list[str]:
    return [f"{value:.6g}" for value in values]


def _write_csv(path: Path, columns: dict) -> None:
    """Columns by their names, as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
