"""The options of `python -m vbkit fit`, `apply` and `ratings`."""

import argparse
import csv
from pathlib import Path

from vbkit.own_data.columns import STYLES
from vbkit.own_data.family_names import FAMILIES


def add_fit_options(option) -> None:
    """Declare those of `fit`; option: the method `add_argument` of the command's parser."""
    _add_table(option)
    _add_columns(
        option,
        "--learn-from",
        "columns to learn from although they count up within sequences, for which they "
        "would be kept beside the results; can be repeated",
    )
    option(
        "--family",
        choices=FAMILIES,
        default="auto",
        help="what a component is; default: by the columns' types, said aloud",
    )
    option(
        "--components",
        type=_count_or_auto,
        default="auto",
        metavar="K",
        help="how many; auto (default): as many as raise the ELBO",
    )
    option(
        "--prior-count",
        type=_positive,
        default=1.0,
        metavar="COUNT",
        help="how many rows the prior is worth (default: 1); less finds smaller groups",
    )
    _add_seed(option, 0)


def add_apply_options(option) -> None:
    """Declare those of `apply`; option: as in `add_fit_options`."""
    option(
        "model", type=Path, metavar="MODEL", help="the file model.npz that fit wrote"
    )
    _add_table(option)


def _add_table(option) -> None:
    """Declare how a table is read, and where the results go."""
    option(
        "path",
        type=Path,
        metavar="FILE",
        help="a table: text with commas, tabs, semicolons, vertical bars or blanks, or "
        "Parquet",
    )
    option(
        "--to",
        type=Path,
        required=True,
        dest="folder",
        metavar="DIR",
        help="a new folder",
    )
    _add_roles_of_columns(option)
    _add_order_of_rows(option)
    option(
        "--transpose", action="store_true", help="group the columns instead of the rows"
    )
    option(
        "--header",
        choices=["yes", "no"],
        help="whether the first line names the columns; default: by what it holds, said "
        "aloud",
    )
    _add_text(option)


def _add_roles_of_columns(option) -> None:
    """Declare which columns are kept beside the results, ignored, or taken as words."""
    option(
        "--labels",
        metavar="COLUMN",
        help="a column that names or classifies the rows; it takes no part in learning",
    )
    _add_columns(
        option,
        "--leave-out",
        "columns to ignore: a name, or several with commas between; can be repeated",
    )
    _add_columns(
        option,
        "--words",
        "columns to take as they are written, whatever their cells look like",
    )


def _add_columns(option, name: str, meaning: str) -> None:
    """Declare an option that names columns, and can be repeated."""
    option(name, action="append", default=[], metavar="COLUMNS", help=meaning)


def _add_order_of_rows(option) -> None:
    """Declare which rows are left out, and which follow one another."""
    option(
        "--drop-incomplete",
        action="store_true",
        help="leave out rows in which a cell is empty",
    )
    option(
        "--sequences",
        metavar="COLUMN",
        help="rows follow one another, and groups are hidden states: a new sequence begins "
        "where this column changes or, if it is a clock, goes back or leaps; incomplete rows "
        "are left out",
    )
    option(
        "--in-order",
        action="store_true",
        help="likewise, with all rows as one sequence",
    )


def _add_text(option) -> None:
    """Declare how a text is read."""
    option(
        "--decimal",
        choices=STYLES,
        help="what stands before the decimals; default: by what the cells hold, said aloud",
    )
    option(
        "--encoding", metavar="NAME", help="of a text, such as cp1252; default: UTF-8"
    )


def add_ratings_options(option) -> None:
    """Declare those of `ratings`; option: as in `add_fit_options`."""
    option(
        "path",
        type=Path,
        nargs="?",
        metavar="FILE",
        help="a line per rating: user item rating [timestamp], or a row per user; default: "
        "100,000 generated ratings",
    )
    option(
        "--test",
        type=Path,
        metavar="FILE",
        help="more ratings in the same form, or pairs without a rating, which are predicted "
        "and not learned from",
    )
    option(
        "--out",
        type=Path,
        metavar="FILE",
        help="a new CSV file for the predictions: of the test file's pairs, or of all "
        "unrated pairs",
    )
    option(
        "--fields",
        type=_three_names,
        metavar="USER,ITEM,RATING",
        help="the columns of a file whose first line names them; default: by the usual "
        "names, said aloud",
    )
    option(
        "--repeated",
        choices=["last", "mean"],
        help="which rating counts where a user rates an item again: that of the last line, "
        "or the mean; default: that is refused",
    )
    _add_text(option)
    option(
        "--columns",
        type=as_count,
        default=10,
        metavar="H",
        help="of factors, at most (default: 10); with --test or --out the ELBO chooses "
        "how many",
    )
    option(
        "--starts",
        type=as_count,
        default=3,
        metavar="N",
        help="random starts for each number of factors (default: 3); with --test or "
        "--out",
    )
    option(
        "--held-out",
        type=float,
        metavar="SHARE",
        help="of the ratings, without --test and --out (default: 0.1)",
    )
    option(
        "--sweeps",
        type=as_count,
        default=1000,
        metavar="N",
        help="at most (default: 1000)",
    )
    _add_seed(option, 1)


def _add_seed(option, default: int) -> None:
    option(
        "--seed",
        type=_seed,
        default=default,
        metavar="N",
        help=f"of the random numbers (default: {default})",
    )


def as_count(text: str) -> int:
    """A whole number above 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def _count_or_auto(text: str) -> int | str:
    """A whole number above 0, or "auto"."""
    return text if text == "auto" else as_count(text)


def _positive(text: str) -> float:
    """A finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1e-9 <= number <= 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1e-9 to 1e9")
    return number


def _three_names(text: str) -> list[str]:
    """The names of three different columns, with commas between."""
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]
    if len(set(names) - {""}) != 3 or len(names) != 3:
        raise argparse.ArgumentTypeError(
            f"{text} must name three columns: user,item,rating"
        )
    return names


def _seed(text: str) -> int:
    """A whole number that NumPy takes for a seed."""
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(
            f"{text} is not a whole number from 0 to 2**32 - 1"
        )
    return int(text)
