"""What people may say of a table before it is read."""

import csv
from itertools import combinations
from typing import Self

import attrs

from vbkit.own_data.text import some


@attrs.frozen(kw_only=True)
class Reading:
    """What people may say of a table before it is read.

    labels: a column that names or classifies the rows and takes no part in learning.
    leave_out: columns to ignore: names, or several with commas between.
    words: columns to take as they are written, likewise.
    transpose: make rows of columns, after the first column gave the names.
    header: whether the first line names the columns, "yes" or "no"; None decides it.
    decimal: the decimal mark of all numbers, "point" or "comma"; None decides it.
    encoding: of a text; None is UTF-8, or UTF-16 or UTF-32 if it begins as such a file
        does.
    drop_incomplete: leave out rows in which a cell has no value.
    sequences: a column that tells where a new sequence of rows begins, and takes no part in
        learning; incomplete rows are then left out.
    in_order: likewise, with all rows as one sequence.
    learn_from: columns to learn from although they rise within each sequence, as counters
        do: names, or several with commas between.
    needed: the columns that a model was learned from, to be kept in this order, as few as
        one row of them; None where something is to be learned.
    """

    labels: str | None = None
    leave_out: list[str] = attrs.Factory(list)
    words: list[str] = attrs.Factory(list)
    transpose: bool = False
    header: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    drop_incomplete: bool = False
    sequences: str | None = None
    in_order: bool = False
    learn_from: list[str] = attrs.Factory(list)
    needed: list[str] | None = None

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the rows counts."""
        return self.in_order or self.sequences is not None

    @property
    def is_new(self) -> bool:
        """Whether something is to be learned, so that there is a choice of columns."""
        return self.needed is None

    def needs(self, name: str) -> bool:
        """Whether a model was learned from a column."""
        return self.needed is not None and name in self.needed

    def check(self) -> None:
        """Raise ValueError where one thing that was said speaks against another."""
        option = "--in-order" if self.in_order else "--sequences"
        if self.in_order and self.sequences is not None:
            raise ValueError(
                "--sequences and --in-order both say which rows follow one another; choose "
                "one"
            )
        if self.transpose and self.is_ordered:
            raise ValueError(
                "--transpose makes rows of columns, and these do not follow one another; "
                f"leave out {option}"
            )
        if self.transpose and self.labels is not None:
            raise ValueError(
                f"--labels is {self.labels!r}; with --transpose there is no such column"
            )
        if self.learn_from and not self.is_ordered:
            raise ValueError(
                "--learn-from is for columns that count up in rows which follow one another; "
                "leave it out, or add --sequences or --in-order"
            )

    def of_columns(self, title: str, names: list[str]) -> Self:
        """The same of a table with columns of these names: each option then holds some of
        them. Raises ValueError where the table lacks one, and where two options contradict
        each other."""
        labels = _one_name(title, "--labels", self.labels, names)
        sequences = _one_name(title, "--sequences", self.sequences, names)
        if sequences is not None and sequences == labels:
            raise ValueError(
                f"--sequences and --labels both name {labels!r}; --sequences alone keeps it "
                "beside the results"
            )
        if sequences is not None and self.needs(sequences):
            raise ValueError(
                f"the model learned from {sequences!r}; --sequences must name another column"
            )
        learn_from = _some_names(title, self.learn_from, names)
        leave_out = _some_names(title, self.leave_out, names)
        options = {
            "--learn-from": learn_from,
            "--labels": [] if labels is None else [labels],
            "--sequences": [] if sequences is None else [sequences],
            "--leave-out": leave_out,
        }
        for option, other in combinations(options, 2):
            for name in options[option]:
                if name in options[other]:
                    raise ValueError(
                        f"{option} and {other} both name {name!r}; choose one"
                    )
        return attrs.evolve(
            self,
            labels=labels,
            sequences=sequences,
            learn_from=learn_from,
            leave_out=leave_out,
            words=_some_names(title, self.words, names),
        )


def _one_name(
    title: str, option: str, asked: str | None, names: list[str]
) -> str | None:
    """The name of the column that an option asks for, None if it does not. Raises ValueError
    if there is none."""
    if asked is None:
        return None
    chosen = _some_names(title, [asked], names)
    if len(chosen) != 1:
        raise ValueError(f"{option} is {asked!r}; it must name one column")
    return chosen[0]


def _some_names(title: str, asked: list[str], names: list[str]) -> list[str]:
    """The names of columns that options ask for: each is a name, or some with commas
    between, those with a comma in quotes. Raises ValueError for one that is not there."""
    chosen = []
    for text in asked:
        if text in names:
            chosen.append(text)
            continue
        for part in next(csv.reader([text], skipinitialspace=True), []):
            name = " ".join(part.split())
            if name and name not in names:
                raise ValueError(
                    f"{title} has no column {name!r}; it has {some(names)}"
                )
            chosen += [name] if name else []
    return chosen
