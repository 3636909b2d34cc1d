"""From a file to a folder with a report, labels, probabilities and the model."""

import csv
from pathlib import Path

import numpy as np

from vbkit.estimators import save_model
from vbkit.tables.fitting import Groups, learn
from vbkit.tables.kinds import Data, prepare
from vbkit.tables.reading import Table, read_table
from vbkit.tables.report import headline, report
from vbkit.workbook import ROOT, UsageError
from vbkit.workbook.folder import new_folder


def fit_table(
    path: Path,
    folder: Path,
    *,
    family: str = "auto",
    components="auto",
    seed: int = 0,
    labels: str | None = None,
    leave_out=(),
    transpose: bool = False,
    root: Path = ROOT,
    say=print,
) -> None:
    """Fit a mixture to the table in a file, and fill a new or empty folder with what was found.

    Options are those of `read_table`, `prepare` and `learn`. say: gets a sentence at a time. Raises
    UsageError with one sentence where something does not fit; then nothing is written.
    """
    with new_folder(folder, root) as build:
        try:
            table = read_table(path, labels=labels, leave_out=leave_out, transpose=transpose)
            data = prepare(table, family)
            for note in data.notes:
                say(note)
            groups = learn(data, components, seed, say)
        except IsADirectoryError:
            raise UsageError(f"{path} is a folder; name a file") from None
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise UsageError(str(error)) from error
        text = report(Path(path).name, table, data, groups, seed, labels or "")
        (build / "report.html").write_text(text, encoding="utf-8")
        _write(build, table, data, groups, labels)
    say(headline(data, groups))
    say(f"open {Path(folder) / 'report.html'}")


def _write(build: Path, table: Table, data: Data, groups: Groups, labels: str | None) -> None:
    mine = groups.proba.argmax(axis=1)
    name = labels if labels not in ("row", "group", "probability") else f"{labels} (given)"
    kept = [] if table.labels is None else [name]
    with (build / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(["row", *kept, "group", "probability"])
        for i, row in enumerate(table.rows):
            given = [table.labels[i]] if kept else []
            write([row, *given, mine[i], f"{groups.proba[i, mine[i]]:.6g}"])
    with (build / "probabilities.csv").open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(["row", *(f"group {k}" for k in range(groups.proba.shape[1]))])
        for row, proba in zip(table.rows, groups.proba, strict=True):
            write([row, *(f"{p:.6g}" for p in proba)])
    groups.model.feature_names_in_ = np.array(data.names, dtype=object)
    save_model(groups.model, build / "model.npz")
