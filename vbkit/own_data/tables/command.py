"""From a file to a folder with a report, labels, probabilities and the model."""

import csv
from pathlib import Path

import numpy as np

from vbkit.own_data.estimators import save_model
from vbkit.own_data.tables.fitting import Groups, learn
from vbkit.own_data.tables.kinds import Data, prepare
from vbkit.own_data.tables.reading import Table, read_table
from vbkit.own_data.tables.report import headline, report
from vbkit.press import UsageError
from vbkit.press.folder import new_folder


def fit_table(
    *, path, folder, family, components, seed, labels, leave_out, transpose, root
) -> None:
    """Fit a mixture to the table in a file, and fill a new or empty folder with what was found.

    Options are those that `add_options` declares. Raises UsageError with one sentence where
    something does not fit; then nothing is written.
    """
    with new_folder(folder, root) as build:
        try:
            table = _read(path, labels=labels, leave_out=leave_out, transpose=transpose)
            data = prepare(table, family)
            for note in data.notes:
                print(note)
            groups = learn(data, components, seed)
        except ValueError as error:
            raise UsageError(str(error)) from error
        text = report(Path(path).name, table, data, groups, seed, labels or "")
        (build / "report.html").write_text(text, encoding="utf-8")
        _write(build, table, data, groups, labels)
    print(headline(data, groups))
    print(f"open {Path(folder) / 'report.html'}")


def _read(path, **options) -> Table:
    try:
        return read_table(path, **options)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _write(
    build: Path, table: Table, data: Data, groups: Groups, labels: str | None
) -> None:
    mine = groups.proba.argmax(axis=1)
    columns = {"row": table.rows}
    if table.labels is not None:
        taken = labels in ("row", "group", "probability")
        columns[f"{labels} (given)" if taken else labels] = table.labels
    columns |= {
        "group": mine,
        "probability": [f"{p:.6g}" for p in groups.proba.max(axis=1)],
    }
    _write_csv(build / "labels.csv", columns)
    told = {
        f"group {k}": [f"{p:.6g}" for p in proba]
        for k, proba in enumerate(groups.proba.T)
    }
    _write_csv(build / "probabilities.csv", {"row": table.rows} | told)
    groups.model.feature_names_in_ = np.array(data.names, dtype=object)
    save_model(groups.model, build / "model.npz")


def _write_csv(path: Path, columns: dict) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
