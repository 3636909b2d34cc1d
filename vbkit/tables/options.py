"""The options of `python -m vbkit fit`."""

import argparse
from pathlib import Path


def add_options(option) -> None:
    """Declare them; option: the method `add_argument` of the command's parser."""
    words = "a table: text with commas, tabs or semicolons and a first line of names, or Parquet"
    option("path", type=Path, metavar="FILE", help=words)
    option("--to", type=Path, required=True, dest="folder", metavar="DIR", help="a new folder")
    families = ("gaussian", "diagonal", "spherical", "bernoulli", "categorical", "poisson")
    words = "what a component is; default: by the columns' types, said aloud"
    option("--family", choices=families, default="auto", help=words)
    words = "how many; auto (default): as many as raise the ELBO"
    option("--components", type=_count_or_auto, default="auto", metavar="K", help=words)
    words = "a column that names or classifies the rows; it takes no part in learning"
    option("--labels", metavar="COLUMN", help=words)
    words = "columns to ignore, with commas between"
    option("--leave-out", type=_names, default=[], metavar="COLUMNS", help=words)
    option("--transpose", action="store_true", help="group the columns instead of the rows")
    option("--seed", type=_seed, default=0, metavar="N", help="of the random numbers (default: 0)")


def as_count(text: str) -> int:
    """A whole number above 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def _count_or_auto(text: str) -> int | str:
    return text if text == "auto" else as_count(text)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0 to 2**32 - 1")
    return int(text)
