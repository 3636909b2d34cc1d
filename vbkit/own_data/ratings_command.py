"""The command `python -m vbkit ratings`: from a file of ratings to predictions and their
errors."""

import csv
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from vbkit.data import synthetic_ratings
from vbkit.factorization import ObservedEntries
from vbkit.own_data.completion import (
    BY,
    Completion,
    Predictions,
    complete,
    errors,
    held_out_report,
    places,
    unrated,
)
from vbkit.own_data.ratings import Ratings, read_ratings
from vbkit.own_data.text import many, shown_name
from vbkit.press import UsageError
from vbkit.press.folder import new_folder

MOST = 10_000_000  # pairs that are written where nobody asked for some


def ratings(
    *, path, test, out, columns, starts, held_out, sweeps, seed, root, **reading
) -> None:
    """Learn from a file of ratings; predict those of a test file, or all that are
    missing, or, without `test` and `out`, a share that is held out.

    Options are those that `options.add_ratings_options` declares; reading: those of
    `read_ratings`. Raises UsageError with
    one sentence where something does not fit; then nothing is written.
    """
    is_asked = test is not None or out is not None
    if is_asked and held_out is not None:
        raise UsageError(
            "--held-out is a share of FILE; with --test or --out nothing is held out"
        )
    if is_asked and path is None:
        raise UsageError("--test and --out need FILE, the ratings to learn from")
    try:
        if not is_asked:
            share = 0.1 if held_out is None else held_out
            _hold_out(path, reading, columns, share, sweeps, seed)
            return
        with new_folder(out, root, kind="file") if out else nullcontext() as target:
            known = _read(path, reading)
            asked = _read(test, reading | {"only_pairs": True}) if test else None
            if asked is None:
                _check_size(known)
            completion = complete(
                known.entries, most=columns, starts=starts, sweeps=sweeps, seed=seed
            )
            _tell(completion, sweeps)
            if asked is not None:
                _judge(completion, known, asked)
            if target:
                count = _write(target, completion, known, asked)
                print(f"{out}: {count} predictions")
    except ValueError as error:
        raise UsageError(str(error)) from error


def _read(path: Path, reading: dict) -> Ratings:
    """The ratings in a file; print how many they are, and how they were read."""
    try:
        found = read_ratings(path, **reading)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    users = len(found.users)
    items = len(found.items)
    count = np.isfinite(found.values).sum()
    print(f"{shown_name(path)}: {count} ratings by {users} users of {items} items")
    for note in found.notes:
        print(f"  {note}")
    return found


def _check_size(known: Ratings) -> None:
    """Raise ValueError where no pair, or too many, are without a rating."""
    count = len(known.users) * len(known.items) - known.entries.size
    if count == 0:
        raise ValueError(
            "every user has rated every item; there is nothing to predict: add --test"
        )
    if count > MOST:
        raise ValueError(
            f"{count:,} pairs have no rating, and at most {MOST:,} are written; "
            "name those that you want in a file, with --test"
        )


def _tell(completion: Completion, sweeps: int) -> None:
    """Print how many factors were chosen, and whether learning converged."""
    H = completion.elbos.index(completion.fit.elbo)
    tried = ", ".join(f"{elbo:.1f}" for elbo in completion.elbos)
    print(
        f"{many(H, 'factor')} chosen: the ELBO in nats for 0, 1, ... factors is {tried}"
    )
    if completion.fit.converged:
        print(f"Learning converged after {completion.fit.sweeps} sweeps.")
    else:
        print(
            f"It stopped at the limit of {sweeps} sweeps, not converged; "
            "--sweeps allows more."
        )
    print(
        f"Predictions are kept between {completion.lowest:g} and {completion.highest:g}, "
        "the lowest and the highest rating learned from."
    )


def _judge(completion: Completion, known: Ratings, asked: Ratings) -> None:
    """Print what was predicted by which means, and the errors of them all."""
    rows, cols = places(known, asked)
    predictions = completion.predict(rows, cols)
    _tell_means(predictions.by, known, asked)
    is_rated = np.isfinite(asked.values)
    unrated_pairs = int((~is_rated).sum())
    if unrated_pairs:
        print(f"The test file has {many(unrated_pairs, 'pair')} without a rating.")
    if not is_rated.any():
        return
    _tell_repeats(rows[is_rated], cols[is_rated], known.entries)
    plain = completion.plain(rows, cols)
    methods = {
        "user means": plain.users,
        "item means": plain.items,
        "user + item - overall mean": plain.both,
        "factorization": predictions.mean,
    }
    print(f"{'errors on the test file':30s}   RMSE     MAE")
    for name, predicted in methods.items():
        rmse, mae = errors(asked.values[is_rated], predicted[is_rated])
        print(f"  {name:28s}{rmse:#7.5g} {mae:#7.5g}")


def _tell_means(by: np.ndarray, known: Ratings, asked: Ratings) -> None:
    """Print how many of the predictions (n,) are by which means, unless all are by the
    factors."""
    if (by == "factors").all():
        return
    users = {*asked.users} - {*known.users}
    items = {*asked.items} - {*known.items}
    print(
        f"{len(users)} users and {len(items)} items of the test file have no rating to "
        f"learn from. So of {len(by)} predictions"
    )
    for name in BY:
        print(f"  {(by == name).sum():8d} are by the {name}")


def _tell_repeats(rows: np.ndarray, cols: np.ndarray, entries: ObservedEntries) -> None:
    """Print how many of the pairs asked for were learned from, too."""
    is_known = (rows >= 0) & (cols >= 0)
    width = entries.shape[1]
    learned = entries.rows * width + entries.cols
    asked = rows[is_known] * width + cols[is_known]
    count = np.isin(asked, learned).sum()
    if count:
        print(
            f"{count} pairs of the test file were learned from too: "
            "the errors are too low."
        )


def _write(
    target: Path, completion: Completion, known: Ratings, asked: Ratings | None
) -> int:
    """Write the predictions of what was asked for, or of all unrated pairs, and return
    how many they are."""
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if asked is None:
            return _write_unrated(writer, completion, known)
        return _write_asked(writer, completion, known, asked)


def _write_asked(writer, completion: Completion, known: Ratings, asked: Ratings) -> int:
    """A line for each pair of the test file."""
    writer.writerow(["user", "item", "rating", "prediction", "sd", "by"])
    rows, cols = places(known, asked)
    predictions = completion.predict(rows, cols)
    for n, truth in enumerate(asked.values):
        user = asked.users[asked.rows[n]]
        item = asked.items[asked.cols[n]]
        rating = "" if np.isnan(truth) else f"{truth:.15g}"
        writer.writerow([user, item, rating, *_cells(predictions, n)])
    return len(asked.values)


def _write_unrated(writer, completion: Completion, known: Ratings) -> int:
    """A line for each pair without a rating."""
    writer.writerow(["user", "item", "prediction", "sd", "by"])
    count = 0
    for rows, cols in unrated(known.entries):
        predictions = completion.predict(rows, cols)
        for n, col in enumerate(cols):
            labels = [known.users[rows[n]], known.items[col]]
            writer.writerow([*labels, *_cells(predictions, n)])
        count += len(rows)
    return count


def _cells(predictions: Predictions, n: int) -> list[str]:
    """The prediction number n as it is written."""
    sd = predictions.sd[n]
    width = "" if np.isnan(sd) else f"{sd:.6g}"
    return [f"{predictions.mean[n]:.12g}", width, predictions.by[n]]


def _hold_out(
    path: Path | None, reading: dict, columns: int, share: float, sweeps: int, seed: int
) -> None:
    """Learn all but a share of a file, or of generated ratings, and print how well that
    share is predicted."""
    rng = np.random.default_rng(seed)
    entries = _read(path, reading).entries if path else synthetic_ratings(rng)[0]
    H = min(columns, *entries.shape)
    report = held_out_report(
        entries, H, rng, share=share, max_sweeps=sweeps, progress=True
    )
    print(f"{entries!r}\n{report.fit!r}")
    if not report.fit.converged:
        print(f"it stopped at the limit of {sweeps} sweeps; --sweeps allows more")
    print(f"root mean squared error on held-out ratings: {report.rmse:#.5g}")
    print(
        f"  of user and item offsets alone: {report.offsets_rmse:#.5g}; "
        f"of the mean rating: {report.mean_rmse:#.5g}"
    )
    print(f"  within the 95 % intervals: {100 * report.coverage:.1f} %")
