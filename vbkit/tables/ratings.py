"""The command `python -m vbkit ratings`: from a file of ratings to predictions and their errors."""

import csv
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from vbkit.factorization.ratings import (
    FORM,
    Ratings,
    held_out_report,
    read_ratings,
    synthetic_ratings,
)
from vbkit.tables.completion import BY, Completion, complete, errors, places, unrated
from vbkit.tables.scan import scan
from vbkit.workbook import ROOT, UsageError
from vbkit.workbook.folder import new_folder

MOST = 10_000_000  # pairs that are written where nobody asked for some


def ratings(
    path: Path | None,
    test: Path | None = None,
    out: Path | None = None,
    *,
    fields=None,
    offsets: str = "learned",
    columns: int = 10,
    starts: int = 3,
    held_out: float | None = None,
    sweeps: int = 1000,
    seed: int = 1,
    root: Path = ROOT,
    say=print,
) -> None:
    """Learn from a file of ratings; predict those of a test file, or all that are missing, or,
    without `test` and `out`, a share that is held out.

    Options are those of `read_ratings`, `complete` and `held_out_report`. say: gets a line at a
    time. Raises UsageError with one sentence where something does not fit; then nothing is written.
    """
    if (test or out) and held_out is not None:
        raise UsageError("--held-out is a share of FILE; with --test or --out nothing is held out")
    if (test or out) and path is None:
        raise UsageError("--test and --out need FILE, the ratings to learn from")
    try:
        if not (test or out):
            given = _read(path, fields, say) if path else None
            share = 0.1 if held_out is None else held_out
            return _held_out(given, columns, share, sweeps, seed, say)
        with new_folder(out, root, kind="file") if out else nullcontext() as target:
            given = _read(path, fields, say)
            asked = _read(test, fields, say) if test else None
            if asked is None:
                _check_size(given)
            settings = {"most": columns, "starts": starts, "sweeps": sweeps, "seed": seed}
            settings["learned"] = offsets == "learned"
            done = complete(given.entries, **settings, say=say)
            _tell(done, sweeps, say)
            if asked is not None:
                _judge(done, given, asked, say)
            if target:
                count = _write(target, done, given, asked)
                say(f"{out}: {count} predictions")
    except OSError as error:
        what = f"read {error.filename}" if error.filename else f"write {out}"
        raise UsageError(f"cannot {what}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error


def _read(path: Path, fields, say) -> Ratings:
    scan(path)
    try:
        found = read_ratings(path, fields, repeats=False)
    except ValueError as error:
        hint = "; --fields names the columns of a file with others" if FORM in str(error) else ""
        raise ValueError(f"{error}{hint}") from None
    say(f"{path.name}: {found.entries.size} ratings by {len(found.users)} users of "
        f"{len(found.items)} items")  # fmt: skip
    if found.header is not None:
        say(f"  Its first line, {found.header[:60]!r}, is taken for a header.")
    return found


def _check_size(given: Ratings) -> None:
    count = len(given.users) * len(given.items) - given.entries.size
    if count == 0:
        raise ValueError("every user has rated every item; there is nothing to predict: add --test")
    if count > MOST:
        words = f"{count:,} pairs have no rating, and at most {MOST:,} are written"
        raise ValueError(f"{words}; name those that you want in a file, with --test")


def _tell(done: Completion, sweeps: int, say) -> None:
    K = int(np.argmin([elbo != done.fit.elbo for elbo in done.elbos]))
    tried = ", ".join(f"{elbo:.1f}" for elbo in done.elbos)
    say(f"{K} factor{'s' * (K != 1)} chosen: the ELBO in nats for 0, 1, ... factors is {tried}")
    if done.fit.converged:
        say(f"Learning converged after {done.fit.sweeps} sweeps.")
    else:
        say(f"It stopped at the limit of {sweeps} sweeps, not converged; --sweeps allows more.")


def _judge(done: Completion, given: Ratings, asked: Ratings, say) -> None:
    """What was predicted by which means, and the errors of them all."""
    rows, cols = places(given, asked)
    mean, _, by = done.predict(rows, cols)
    strange = [len({*labels} - {*known}) for labels, known in (
        (asked.users, given.users), (asked.items, given.items))]  # fmt: skip
    if any(strange):
        say(f"{strange[0]} users and {strange[1]} items of the test file have no rating to learn "
            f"from. So of {len(by)} predictions")  # fmt: skip
        for n, count in enumerate(np.bincount(by, minlength=len(BY))):
            say(f"  {count:8d} are by the {BY[n]}")
    known = by == 0
    pairs = given.entries.rows * given.entries.shape[1] + given.entries.cols
    again = np.isin(rows[known] * given.entries.shape[1] + cols[known], pairs).sum()
    if again:
        say(f"{again} pairs of the test file were learned from too: the errors are too low.")
    say(f"{'errors on the test file':30s}  RMSE    MAE")
    users, items, both, _ = done.plain(rows, cols)
    told = {"user means": users, "item means": items, "user + item - overall mean": both}
    for name, predictions in {**told, "factorization": mean}.items():
        rmse, mae = errors(asked.entries.values, predictions)
        say(f"  {name:28s}{rmse:6.4f} {mae:6.4f}")


def _write(target: Path, done: Completion, given: Ratings, asked: Ratings | None) -> int:
    """Write the predictions, and return how many."""
    entries = given.entries if asked is None else asked.entries
    named, truth, count = given if asked is None else asked, [], 0
    parts = unrated(entries) if asked is None else [(entries.rows, entries.cols)]
    with target.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(["user", "item", *([] if asked is None else ["rating"]), "prediction", "sd", "by"])
        for rows, cols in parts:
            known = (rows, cols) if asked is None else places(given, asked)
            for n, (mean, sd, by) in enumerate(zip(*done.predict(*known), strict=True)):
                truth = [] if asked is None else [f"{entries.values[n]:.15g}"]
                wide = "" if np.isnan(sd) else f"{sd:.6g}"
                labels = named.users[rows[n]], named.items[cols[n]]
                write([*labels, *truth, f"{mean:.10g}", wide, BY[by]])
            count += len(rows)
    return count


def _held_out(given: Ratings | None, columns, share, sweeps, seed, say) -> None:
    """Learn all but a share, and say how well that is predicted."""
    rng = np.random.default_rng(seed)
    given = given or synthetic_ratings(rng)[0]
    settings = {"share": share, "max_sweeps": sweeps, "progress": True}
    report = held_out_report(given.entries, columns, rng, **settings)
    say(f"{given.entries!r}\n{report.fit!r}")
    if not report.fit.converged:
        say(f"it stopped at the limit of {sweeps} sweeps; --sweeps allows more")
    say(f"root mean squared error on held-out ratings: {report.rmse:.4f}")
    say(f"  of user and item offsets alone: {report.offsets_rmse:.4f}; "
        f"of the mean rating: {report.mean_rmse:.4f}")  # fmt: skip
    say(f"  within the 95 % intervals: {100 * report.coverage:.1f} %")
