"""The command line: python -m vbkit reproduce | check | lint | claims | handout | book | clean | ratings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from vbkit import ledger
from vbkit.ledger import pages
from vbkit.workbook import PROFILES, ROOT, UsageError


class Parser(argparse.ArgumentParser):
    """Says in one line what it does not understand."""

    def error(self, message: str):
        raise UsageError(f"{message} (see {self.prog} --help)")


def parser() -> Parser:
    """All commands and what they say about themselves."""
    whole = Parser(prog="vbkit", description="Run and check the workbook.")
    words = "the workbook, if it is not the one this package lies in"
    whole.add_argument("--root", type=Path, default=ROOT, metavar="DIR", help=words)
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")

    sub = command("reproduce", "run notebooks and put their figures, arrays and claims in place")
    _names(sub)
    many = {"action": "append", "default": []}
    sub.add_argument(
        "--figure", **many, dest="figures", help="the notebook that makes it (sato2000-fig2)"
    )
    words = "set a parameter of the notebooks; needs --to"
    sub.add_argument("-p", **many, dest="values", nargs=2, metavar=("NAME", "VALUE"), help=words)
    words = "quick: smoke run, needs --to; paper: the sources' settings (default); full: renew long studies"
    sub.add_argument("--profile", choices=PROFILES, default="paper", help=words)
    words = "write figures and notebooks there and leave the workbook's own"
    sub.add_argument("--to", type=Path, metavar="DIR", help=words)
    _running(sub, "600, or 6 hours for full")
    sub = command("check", "run notebooks and say where they differ from what is committed")
    _names(sub)
    _running(sub, "600")
    _names(command("lint", "say what keeps notebooks from being publishable, without running them"))
    sub = command("claims", "print the ledger: each claim of the sources and what became of it")
    sub.add_argument("--json", action="store_true", help="objects instead of a table")
    sub.add_argument("--source", choices=ledger.SOURCES, default="all", help="only this source")
    sub.add_argument("--verdict", choices=ledger.VERDICTS, default="all", help="only this verdict")
    sub = command(
        "handout", "make the students' copy: notebooks without answers and what they need to run"
    )
    _folder(sub)
    _names(sub, "chapters and appendices")
    sub.add_argument("--clear-outputs", action="store_true", help="empty all outputs")
    _folder(command("book", "render all notebooks to HTML pages that need no network"))
    command("clean", "remove caches and what interrupted runs left, never a figure")
    sub = command("ratings", "factorize a file of ratings and predict a part that was held out")
    words = "a line a rating: user item rating [timestamp]; default: 100,000 generated ratings"
    sub.add_argument("path", type=Path, nargs="?", metavar="FILE", help=words)
    sub.add_argument(
        "--columns", type=_count, default=10, metavar="H", help="of factors, at most (default: 10)"
    )
    sub.add_argument(
        "--held-out", type=float, default=0.1, metavar="SHARE", help="of the ratings (default: 0.1)"
    )
    sub.add_argument(
        "--sweeps", type=_count, default=200, metavar="N", help="at most (default: 200)"
    )
    sub.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    return whole


def _folder(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("folder", type=Path, metavar="DIR", help="where; a new or an empty folder")


def _names(sub: argparse.ArgumentParser, everything: str = "") -> None:
    words = f"name, number (5), beginning of a name (05_sato, solutions/) or file; default: all {everything}".rstrip()
    sub.add_argument("names", nargs="*", default=[], metavar="NOTEBOOK", help=words)


def _running(sub: argparse.ArgumentParser, timeout: str) -> None:
    sub.add_argument(
        "--jobs", type=_count, default=2, metavar="N", help="notebooks at a time (default: 2)"
    )
    words = f"stop a notebook that takes longer (default: {timeout})"
    sub.add_argument("--timeout", type=_count, metavar="SECONDS", help=words)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Run a command. Returns 0, 1 if something failed or differs, 2 for what cannot be done, 130 if interrupted."""
    try:
        asked = parser().parse_args(arguments)
        code = COMMANDS[asked.command](asked)
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"vbkit: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vbkit: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output, `head` for instance, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _reproduce(asked) -> int:
    from vbkit.workbook.reproduce import reproduce

    how = {"workers": asked.jobs, "timeout": asked.timeout, "root": asked.root}
    what = {
        "figures": asked.figures,
        "values": asked.values,
        "profile": asked.profile,
        "to": asked.to,
    }
    return reproduce(asked.names, **what, **how)


def _check(asked) -> int:
    from vbkit.workbook.check import check

    return check(asked.names, workers=asked.jobs, timeout=asked.timeout or 600, root=asked.root)


def _lint(asked) -> int:
    from vbkit.workbook.canonical import lint
    from vbkit.workbook.select import choose

    found = {name: lint(path) for name, path in choose(asked.root, asked.names).items()}
    for name, problems in found.items():
        print("\n".join(f"{name}: {problem}" for problem in problems or ["in order"]))
    return 1 if any(found.values()) else 0


def _claims(asked) -> int:
    if not asked.root.is_dir():
        raise UsageError(f"there is no folder {asked.root}")
    try:
        table = ledger.table(asked.root / "figures" / "ledger.json")
    except ValueError as error:
        raise UsageError(f"{error}; run: python -m vbkit reproduce") from error
    table = pages.select(table, asked.source, asked.verdict)
    text = (
        json.dumps(table, indent=1, ensure_ascii=False)
        if asked.json
        else ledger.format_table(table)
    )
    print(text or "no claims")
    return 0


def _handout(asked) -> int:
    from vbkit.workbook.handout import handout

    names = handout(asked.folder, asked.names, clear_outputs=asked.clear_outputs, root=asked.root)
    print(f"{asked.folder}: {', '.join(names)}; start with its README.md")
    return 0


def _book(asked) -> int:
    from vbkit.workbook.book import book

    count = book(asked.folder, root=asked.root)
    print(f"{asked.folder}: {count} notebooks; open {asked.folder / 'index.html'}")
    return 0


def _clean(asked) -> int:
    from vbkit.workbook.clean import clean

    removed = clean(asked.root)
    print(
        "\n".join(f"removed {path.relative_to(asked.root)}" for path in removed)
        or "nothing to remove"
    )
    return 0


def _ratings(asked) -> int:
    import numpy as np

    from vbkit.factorization.ratings import held_out_report, read_ratings, synthetic_ratings

    try:
        rng = np.random.default_rng(asked.seed)
        ratings = read_ratings(asked.path) if asked.path else synthetic_ratings(rng)[0]
        settings = {"share": asked.held_out, "max_sweeps": asked.sweeps, "progress": True}
        report = held_out_report(ratings.entries, asked.columns, rng, **settings)
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    print(f"{ratings.entries!r}\n{report.fit!r}")
    if not report.fit.converged:
        print(f"it stopped at the limit of {asked.sweeps} sweeps; --sweeps allows more")
    print(f"root mean squared error on held-out ratings: {report.rmse:.4f}")
    print(
        f"  of user and item offsets alone: {report.offsets_rmse:.4f}; of the mean rating: {report.mean_rmse:.4f}"
    )
    print(f"  within the 95 % intervals: {100 * report.coverage:.1f} %")
    return 0


COMMANDS = {
    "reproduce": _reproduce,
    "check": _check,
    "lint": _lint,
    "claims": _claims,
    "handout": _handout,
    "book": _book,
    "clean": _clean,
    "ratings": _ratings,
}

if __name__ == "__main__":
    sys.exit(main())
