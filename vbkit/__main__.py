"""The command line, `python -m vbkit COMMAND`.

The commands: reproduce, check, lint, claims, handout, book, slides, site, clean, fit,
apply and ratings.
"""

import argparse
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from json import dumps
from pathlib import Path

from vbkit.own_data.options import (
    add_apply_options,
    add_fit_options,
    add_ratings_options,
    as_count,
)
from vbkit.press import PROFILES, ROOT, UsageError, ledger
from vbkit.press.json_files import DamagedFile

CHECK_TIMEOUT = 600  # seconds for a notebook


class Parser(argparse.ArgumentParser):
    """Says in one line what it does not understand."""

    def error(self, message: str):
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message, file=None):  # argparse hides that a disk is full
        print(message, end="", file=file or sys.stderr, flush=True)


def parser() -> Parser:
    """The parser of all commands.

    Each command says about itself what its function's docstring says, and hands its
    options to that function as keywords.
    """
    whole = Parser(prog="vbkit", description="Run and check the workbook.")
    whole.add_argument(
        "--root",
        type=Path,
        default=ROOT,
        metavar="DIR",
        help="the workbook, if it is not the one this package lies in",
    )
    commands = whole.add_subparsers(required=True, metavar="command")

    def command(function: Callable) -> Parser:
        sub = commands.add_parser(
            function.__name__.removeprefix("_"),
            help=function.__doc__,
            description=function.__doc__,
        )
        sub.set_defaults(function=function)
        return sub

    _add_reproduce(command(_reproduce))
    _add_check(command(_check))
    _add_names(command(_lint))
    _add_claims(command(_claims))
    _add_handout(command(_handout))
    _add_book(command(_book))
    _add_slides(command(_slides))
    _add_site(command(_site))
    command(_clean)
    add_fit_options(command(_fit).add_argument)
    add_apply_options(command(_apply).add_argument)
    add_ratings_options(command(_ratings).add_argument)
    return whole


def _add_reproduce(sub: Parser) -> None:
    _add_names(sub)
    sub.add_argument(
        "--figure",
        action="append",
        default=[],
        dest="figures",
        help="regenerate this figure and nothing else (sato2000-fig2)",
    )
    sub.add_argument(
        "-p",
        action="append",
        default=[],
        dest="values",
        nargs=2,
        metavar=("NAME", "VALUE"),
        help="set a parameter of the notebooks; needs --to",
    )
    sub.add_argument(
        "--profile",
        choices=PROFILES,
        default="paper",
        help="quick: smoke run, needs --to; paper (default): as in the sources; "
        "full: long studies too",
    )
    sub.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        help="write figures and notebooks there and leave the workbook's own",
    )
    _add_running(sub, None, "600, or 6 hours for full")


def _add_check(sub: Parser) -> None:
    _add_names(sub)
    _add_running(sub, CHECK_TIMEOUT, f"{CHECK_TIMEOUT}")


def _add_names(sub: Parser) -> None:
    sub.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="NOTEBOOK",
        help="name, number (5), beginning of a name (05_sato, solutions/) or file; "
        "default: all",
    )


def _add_running(sub: Parser, timeout: int | None, default: str) -> None:
    sub.add_argument(
        "--jobs",
        type=as_count,
        default=2,
        dest="workers",
        metavar="N",
        help="notebooks at a time (default: 2)",
    )
    sub.add_argument(
        "--timeout",
        type=as_count,
        default=timeout,
        metavar="SECONDS",
        help=f"stop a notebook that takes longer (default: {default})",
    )


def _add_claims(sub: Parser) -> None:
    sub.add_argument(
        "claims",
        nargs="*",
        default=[],
        metavar="CLAIM",
        help="all that the ledger says of it (S5.2, sato2000-S5.2); default: a table of all",
    )
    sub.add_argument("--json", action="store_true", help="objects instead of a table")
    sub.add_argument(
        "--source", choices=ledger.SOURCES, default="all", help="only this source"
    )
    sub.add_argument(
        "--verdict", choices=ledger.VERDICTS, default="all", help="only this verdict"
    )


def _add_folder(sub: Parser) -> None:
    sub.add_argument(
        "folder", type=Path, metavar="DIR", help="a new or an empty folder"
    )


def _add_handout(sub: Parser) -> None:
    _add_folder(sub)
    _add_names(sub)
    sub.add_argument("--clear-outputs", action="store_true", help="empty all outputs")


def _add_book(sub: Parser) -> None:
    _add_folder(sub)
    _add_still(sub)


def _add_slides(sub: Parser) -> None:
    _add_folder(sub)
    sub.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="LECTURE",
        help="name, number (5) or beginning of a name (00a); default: the core lectures",
    )
    _add_still(sub)


def _add_still(sub: Parser) -> None:
    sub.add_argument(
        "--still", action="store_true", help="explorers as pictures: much faster"
    )


def _add_site(sub: Parser) -> None:
    _add_book(sub)
    sub.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="a folder with the Pyodide distribution; without it, it is fetched",
    )


def main(arguments: list[str] | None = None) -> int:
    """Run a command.

    arguments: those of the command line by default. Returns 0, 1 if something failed or
    differs, 2 for misuse, 130 if interrupted.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what the terminal cannot show is spelt out
            stream.reconfigure(errors="backslashreplace")
    try:
        options = vars(parser().parse_args(arguments))
        function = options.pop("function")
        code = function(**options)
        print(end="", flush=True)
        return code or 0
    except ModuleNotFoundError as error:
        install = "pip install 'vbkit[workbook]'"
        _say(f"this command needs {error.name}: {install}")
        return 2
    except (UsageError, DamagedFile, ImportError) as error:
        _say(str(error))  # an ImportError of `require` names the extra that is needed
        return 2
    except KeyboardInterrupt:
        print("vbkit: interrupted; what had not finished is as it was", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `head`, for instance, has had enough
        _drop_output()
        return 1
    except OSError as error:  # the disk is full, ...
        place = error.filename or "cannot write the output"
        _say(f"{place}: {error.strerror or str(error):.200}")
        _drop_output()
        return 1


def _say(problem: str) -> None:
    print(f"vbkit: error: {problem}", file=sys.stderr)


def _drop_output() -> None:
    """Give up what could not be printed; else Python complains as it ends."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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

    code = 0
    for name, path in selection.choose(root, names).items():
        problems = canonical.lint(path)
        for problem in problems or ["in order"]:
            print(f"{name}: {problem}")
        if problems:
            code = 1
    return code


def _claims(claims, json, source, verdict, root) -> None:
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
    if claims:
        rows = pages.named(rows, claims)
    if json:
        print(ledger.plain(dumps(rows, indent=1, ensure_ascii=False)))
    elif claims:
        print("\n\n".join(ledger.in_full(row) for row in rows))
    else:
        print(ledger.format_table(rows) or "no claims")


def _handout(folder, names, clear_outputs, root) -> None:
    """Make the students' copy: notebooks without answers and what they need to run."""
    from vbkit.press.handout import handout

    made = handout(folder, names, clear_outputs=clear_outputs, root=root)
    print(f"{folder}: {', '.join(made)}; start with its README.md")


def _site(folder, pyodide, still, root) -> None:
    """Build a static site: the book, and the chapters as notebooks that run in the
    browser."""
    from vbkit.press.site import site

    size = site(folder, pyodide=pyodide, root=root, record=_recorder(still))
    print(
        f"{folder}: {size:.0f} MB; try it: python -m http.server --directory {folder}"
    )


def _book(folder, still, root) -> None:
    """Render all notebooks to HTML pages that need no network; their explorers
    slide."""
    from vbkit.press.book import book

    count = book(folder, root=root, record=_recorder(still))
    print(f"{folder}: {count} notebooks; open {folder / 'index.html'}")


def _slides(folder, names, still, root) -> None:
    """Make slides of lectures, a page each that needs no network; their explorers
    slide."""
    from vbkit.press.slides import slides

    made = slides(folder, names, root=root, record=_recorder(still))
    print(f"{folder}: {', '.join(made)}; open {folder / made[0]}.html")


def _recorder(still: bool) -> Callable | None:
    """What records explorers, or None if they shall stand still."""
    if still:
        return None
    from vbkit.course.catalogue import explorers
    from vbkit.press.recordings import recordings

    return functools.partial(recordings, explorers=explorers())


def _clean(root) -> None:
    """Remove caches and what interrupted runs left, never a figure."""
    from vbkit.press.folder import clean

    removed = clean(root)
    for path in removed:
        print(f"removed {path.relative_to(root)}")
    if not removed:
        print("nothing to remove")


def _fit(**options) -> None:
    """Find groups in the rows of your own table, or hidden states where rows form
    sequences (--sequences), and write a report on them."""
    from vbkit.own_data.fit_command import fit_table

    fit_table(**options)


def _apply(**options) -> None:
    """Give new rows their groups, by a model that fit saved."""
    from vbkit.own_data.apply_command import apply_model

    apply_model(**options)


def _ratings(**options) -> None:
    """Complete a table of ratings: predict those of a test file, of a part that is held
    out, or all that are missing."""
    from vbkit.own_data.ratings_command import ratings

    ratings(**options)


if __name__ == "__main__":
    sys.exit(main())
