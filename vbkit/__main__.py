"""The command line: python -m vbkit reproduce | check | lint | claims | handout | book | site |
clean | fit | ratings."""

import argparse
import functools
import os
import signal
import sys
import threading
from json import dumps
from pathlib import Path

from vbkit.own_data.tables.options import add_options, add_ratings_options, as_count
from vbkit.press import PROFILES, ROOT, UsageError, ledger
from vbkit.press.json_files import DamagedFile


class Parser(argparse.ArgumentParser):
    """Says in one line what it does not understand."""

    def error(self, message: str):
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message, file=None):  # argparse hides that a disk is full
        print(message, end="", file=file or sys.stderr, flush=True)


def parser() -> Parser:
    """All commands. Each says about itself what its function's docstring says, and hands its
    options to that function as keywords."""
    whole = Parser(prog="vbkit", description="Run and check the workbook.")
    words = "the workbook, if it is not the one this package lies in"
    whole.add_argument("--root", type=Path, default=ROOT, metavar="DIR", help=words)
    commands = whole.add_subparsers(required=True, metavar="command")

    def command(function) -> Parser:
        name, text = function.__name__.removeprefix("_"), function.__doc__
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(function=function)
        return sub

    reproduce, check, lint, claims = map(command, (_reproduce, _check, _lint, _claims))
    handout, book, site, _ = map(command, (_handout, _book, _site, _clean))
    for sub in (handout, book, site):
        sub.add_argument(
            "folder", type=Path, metavar="DIR", help="a new or an empty folder"
        )
    for sub in (reproduce, check, lint, handout):
        _add_names(sub)
    _add_reproduce(reproduce.add_argument)
    for sub, timeout in ((reproduce, None), (check, 600)):
        _add_running(sub.add_argument, timeout)
    claims.add_argument(
        "--json", action="store_true", help="objects instead of a table"
    )
    for name, known in (("source", ledger.SOURCES), ("verdict", ledger.VERDICTS)):
        claims.add_argument(
            f"--{name}", choices=known, default="all", help=f"only this {name}"
        )
    handout.add_argument(
        "--clear-outputs", action="store_true", help="empty all outputs"
    )
    for sub in (book, site):
        sub.add_argument(
            "--still", action="store_true", help="explorers as pictures: much faster"
        )
    words = "a folder with the Pyodide distribution; without it, it is fetched"
    site.add_argument("--pyodide", type=Path, metavar="FOLDER", help=words)
    add_options(command(_fit).add_argument)
    add_ratings_options(command(_ratings).add_argument)
    return whole


def _add_names(sub: Parser) -> None:
    words = "name, number (5), beginning of a name (05_sato, solutions/) or file; default: all"
    sub.add_argument("names", nargs="*", default=[], metavar="NOTEBOOK", help=words)


def _add_reproduce(option) -> None:
    many = {"action": "append", "default": []}
    option(
        "--figure",
        **many,
        dest="figures",
        help="the notebook that makes it (sato2000-fig2)",
    )
    words = "set a parameter of the notebooks; needs --to"
    option("-p", **many, dest="values", nargs=2, metavar=("NAME", "VALUE"), help=words)
    words = (
        "quick: smoke run, needs --to; paper (default): as in the sources; "
        "full: long studies too"
    )
    option("--profile", choices=PROFILES, default="paper", help=words)
    words = "write figures and notebooks there and leave the workbook's own"
    option("--to", type=Path, metavar="DIR", help=words)


def _add_running(option, timeout: int | None) -> None:
    words = "notebooks at a time (default: 2)"
    option("--jobs", type=as_count, default=2, dest="workers", metavar="N", help=words)
    words = f"stop a notebook that takes longer (default: {timeout or '600, or 6 hours for full'})"
    option("--timeout", type=as_count, default=timeout, metavar="SECONDS", help=words)


def main(arguments: list[str] | None = None) -> int:
    """Run a command. Returns 0, 1 if something failed or differs, 2 for misuse, 130 if
    interrupted."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        options = vars(parser().parse_args(arguments))
        code = options.pop("function")(**options)
        print(end="", flush=True)
        return code or 0
    except ModuleNotFoundError as error:
        install = "pip install 'vbkit[workbook]'"
        print(
            f"vbkit: error: this command needs {error.name}: {install}", file=sys.stderr
        )
        return 2
    except (
        UsageError,
        DamagedFile,
        ImportError,
    ) as error:  # `require` names the extra wanted
        print(f"vbkit: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vbkit: interrupted; what had not finished is as it was", file=sys.stderr)
        return 130
    except OSError as error:  # the disk is full, ...
        if not isinstance(
            error, BrokenPipeError
        ):  # `head`, for instance, has had enough
            place = error.filename or "cannot write the output"
            print(
                f"vbkit: error: {place}: {error.strerror or str(error):.200}",
                file=sys.stderr,
            )
        try:
            print(end="", flush=True)
        except OSError:  # else Python tries, and complains, once more as it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _reproduce(**options) -> int:
    """Run notebooks and put their figures, arrays and claims in place."""
    from vbkit.press.reproduce import reproduce

    return reproduce(**options)


def _check(**options) -> int:
    """Run notebooks and say where they differ from what is committed."""
    from vbkit.press.check_notebooks import check_notebooks

    return check_notebooks(**options)


def _lint(names, root) -> int:
    """Say what keeps notebooks from being publishable, without running them."""
    from vbkit.press import canonical, selection

    found = {
        name: canonical.lint(path)
        for name, path in selection.choose(root, names).items()
    }
    for name, problems in found.items():
        for problem in problems or ["in order"]:
            print(f"{name}: {problem}")
    return 1 if any(found.values()) else 0


def _claims(json, source, verdict, root) -> None:
    """Print the ledger: each claim of the sources and what became of it."""
    from vbkit.press.ledger import pages

    file = root / "figures" / "ledger.json"
    if not file.exists():
        raise UsageError(f"there is no {file}; name the workbook's folder: --root DIR")
    try:
        rows = ledger.table(file)
    except ValueError as error:
        raise UsageError(f"{error}; run: python -m vbkit reproduce") from error
    rows = pages.select(rows, source, verdict)
    objects = ledger.plain(dumps(rows, indent=1, ensure_ascii=False))
    print((objects if json else ledger.format_table(rows)) or "no claims")


def _handout(folder, names, clear_outputs, root) -> None:
    """Make the students' copy: notebooks without answers and what they need to run."""
    from vbkit.press.handout import handout

    made = handout(folder, names, clear_outputs=clear_outputs, root=root)
    print(f"{folder}: {', '.join(made)}; start with its README.md")


def _recorder(still: bool):
    """What records explorers, or None if they shall stand still."""
    if still:
        return None
    from vbkit.chapters import explorers
    from vbkit.press.recordings import recordings

    return functools.partial(recordings, explorers=explorers())


def _site(folder, pyodide, still, root) -> None:
    """Build a static site: the book, and the chapters as notebooks that run in the browser."""
    from vbkit.press.site import site

    size = site(folder, pyodide=pyodide, root=root, record=_recorder(still))
    print(
        f"{folder}: {size:.0f} MB; try it: python -m http.server --directory {folder}"
    )


def _book(folder, still, root) -> None:
    """Render all notebooks to HTML pages that need no network; their explorers slide."""
    from vbkit.press.book import book

    count = book(folder, root=root, record=_recorder(still))
    print(f"{folder}: {count} notebooks; open {folder / 'index.html'}")


def _clean(root) -> None:
    """Remove caches and what interrupted runs left, never a figure."""
    from vbkit.press.folder import clean

    removed = [f"removed {path.relative_to(root)}" for path in clean(root)]
    print("\n".join(removed) or "nothing to remove")


def _fit(**options) -> None:
    """Find groups in the rows of your own table, and write a report on them."""
    from vbkit.own_data.tables.command import fit_table

    fit_table(**options)


def _ratings(**options) -> None:
    """Complete a table of ratings: predict those of a test file, of a part that is held out, or all
    that are missing."""
    from vbkit.own_data.tables.ratings import ratings

    ratings(**options)


if __name__ == "__main__":
    sys.exit(main())
