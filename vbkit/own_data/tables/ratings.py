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
from vbkit.own_data.tables.completion import (
    BY,
    Completion,
    complete,
    errors,
    places,
    unrated,
)
from vbkit.own_data.tables.scan import scan
from vbkit.press import UsageError
from vbkit.press.folder import new_folder

MOST = 10_000_000  # pairs that are written where nobody asked for some


def ratings(
    *, path, test, out, fields, columns, starts, held_out, sweeps, seed, root
) -> None:
    """Learn from a file of ratings; predict those of a test file, or all that are missing, or,
    without `test` and `out`, a share that is held out.

    Options are those that `add_ratings_options` declares. Raises UsageError with one sentence where
    something does not fit; then nothing is written.
    """
    if (test or out) and held_out is not None:
        raise UsageError(
            "--held-out is a share of FILE; with --test or --out nothing is held out"
        )
    if (test or out) and path is None:
        raise UsageError("--test and --out need FILE, the ratings to learn from")
    try:
        if not (test or out):
            rng = np.random.default_rng(seed)
            given = _read(path, fields) if path else synthetic_ratings(rng)[0]
            share = 0.1 if held_out is None else held_out
            return _held_out(given, columns, rng, share=share, max_sweeps=sweeps)
        with new_folder(out, root, kind="file") if out else nullcontext() as target:
            given = _read(path, fields)
            asked = _read(test, fields) if test else None
            if asked is None:
                _check_size(given)
            settings = {
                "most": columns,
                "starts": starts,
                "sweeps": sweeps,
                "seed": seed,
            }
            done = complete(given.entries, **settings)
            _tell(done, sweeps)
            if asked is not None:
                _judge(done, given, asked)
            if target:
                count = _write(target, done, given, asked)
                print(f"{out}: {count} predictions")
    except ValueError as error:
        raise UsageError(str(error)) from error


def _read(path: Path, fields) -> Ratings:
    try:
        scan(path)
        found = read_ratings(path, fields, repeats=False)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        hint = (
            "; --fields names the columns of a file with others"
            if FORM in str(error)
            else ""
        )
        raise ValueError(f"{error}{hint}") from None
    size, users, items = found.entries.size, len(found.users), len(found.items)
    print(f"{path.name}: {size} ratings by {users} users of {items} items")
    if found.header is not None:
        print(f"  Its first line, {found.header[:60]!r}, is taken for a header.")
    return found


def _check_size(given: Ratings) -> None:
    count = len(given.users) * len(given.items) - given.entries.size
    if count == 0:
        raise ValueError(
            "every user has rated every item; there is nothing to predict: add --test"
        )
    if count > MOST:
        words = f"{count:,} pairs have no rating, and at most {MOST:,} are written"
        raise ValueError(f"{words}; name those that you want in a file, with --test")


def _tell(done: Completion, sweeps: int) -> None:
    K = int(np.argmin([elbo != done.fit.elbo for elbo in done.elbos]))
    tried = ", ".join(f"{elbo:.1f}" for elbo in done.elbos)
    print(
        f"{K} factor{'s' * (K != 1)} chosen: the ELBO in nats for 0, 1, ... factors is {tried}"
    )
    if done.fit.converged:
        print(f"Learning converged after {done.fit.sweeps} sweeps.")
    else:
        print(
            f"It stopped at the limit of {sweeps} sweeps, not converged; --sweeps allows more."
        )


def _judge(done: Completion, given: Ratings, asked: Ratings) -> None:
    """What was predicted by which means, and the errors of them all."""
    rows, cols = places(given, asked)
    mean, _, by = done.predict(rows, cols)
    known = by == 0
    if not known.all():
        users, items = {*asked.users} - {*given.users}, {*asked.items} - {*given.items}
        strange = f"{len(users)} users and {len(items)} items of the test file"
        print(f"{strange} have no rating to learn from. So of {len(by)} predictions")
        for name, count in zip(BY, np.bincount(by, minlength=len(BY)), strict=True):
            print(f"  {count:8d} are by the {name}")
    pairs = given.entries.rows * given.entries.shape[1] + given.entries.cols
    again = np.isin(rows[known] * given.entries.shape[1] + cols[known], pairs).sum()
    if again:
        print(
            f"{again} pairs of the test file were learned from too: the errors are too low."
        )
    print(f"{'errors on the test file':30s}   RMSE     MAE")
    users, items, both, _ = done.plain(rows, cols)
    told = {
        "user means": users,
        "item means": items,
        "user + item - overall mean": both,
    }
    for name, predictions in {**told, "factorization": mean}.items():
        rmse, mae = errors(asked.entries.values, predictions)
        print(f"  {name:28s}{rmse:#7.5g} {mae:#7.5g}")


def _write(
    target: Path, done: Completion, given: Ratings, asked: Ratings | None
) -> int:
    """Write the predictions, and return how many."""
    entries = given.entries if asked is None else asked.entries
    named, truth, count = given if asked is None else asked, [], 0
    parts = unrated(entries) if asked is None else [(entries.rows, entries.cols)]
    with target.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(
            [
                "user",
                "item",
                *([] if asked is None else ["rating"]),
                "prediction",
                "sd",
                "by",
            ]
        )
        for rows, cols in parts:
            known = (rows, cols) if asked is None else places(given, asked)
            for n, (mean, sd, by) in enumerate(zip(*done.predict(*known), strict=True)):
                truth = [] if asked is None else [f"{entries.values[n]:.15g}"]
                wide = "" if np.isnan(sd) else f"{sd:.6g}"
                labels = named.users[rows[n]], named.items[cols[n]]
                write([*labels, *truth, f"{mean:.12g}", wide, BY[by]])
            count += len(rows)
    return count


def _held_out(
    given: Ratings, columns: int, rng, *, share: float, max_sweeps: int
) -> None:
    """Learn all but a share, and say how well that is predicted."""
    settings = {"share": share, "max_sweeps": max_sweeps, "progress": True}
    report = held_out_report(
        given.entries, min(columns, *given.entries.shape), rng, **settings
    )
    print(f"{given.entries!r}\n{report.fit!r}")
    if not report.fit.converged:
        print(f"it stopped at the limit of {max_sweeps} sweeps; --sweeps allows more")
    print(f"root mean squared error on held-out ratings: {report.rmse:#.5g}")
    means = f"of the mean rating: {report.mean_rmse:#.5g}"
    print(f"  of user and item offsets alone: {report.offsets_rmse:#.5g}; {means}")
    print(f"  within the 95 % intervals: {100 * report.coverage:.1f} %")
