"""Which notebooks are meant, and whether parameters are theirs. Checked before anything runs."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from vbkit.press import UsageError, canonical
from vbkit.press.manifest import read_manifest


def notebooks(root: Path) -> dict[str, Path]:
    """All notebooks of a workbook by name: chapters ("05_..."), appendices, "evidence/05_...", then
    "solutions/05_...".

    Raises UsageError if there are none.
    """
    folder = root / "notebooks"
    paths = [
        path
        for path in folder.rglob("*.ipynb")
        if path.parent.name != ".ipynb_checkpoints"
    ]
    if not paths:
        raise UsageError(f"there are no notebooks in {folder}")
    there = {
        path.relative_to(folder).with_suffix("").as_posix(): path for path in paths
    }
    return dict(sorted(there.items(), key=lambda item: ("/" in item[0], item[0])))


def kind(name: str) -> str:
    """What a notebook is: a "chapter", an "appendix" (from 90 on), "evidence" or "solutions"."""
    if "/" in name:
        return name.split("/")[0]
    return "appendix" if re.match(r"9\d_", name) else "chapter"


def number(name: str) -> str:
    """The number that a chapter, its parts, its evidence and its solutions share ("07")."""
    return name.split("/")[-1][:2]


def late(name: str) -> bool:
    """Whether a notebook shows verdicts of the ledger, and so runs after the evidence."""
    return kind(name) in ("chapter", "appendix")


def choose(
    root: Path, wanted: Iterable[str] = (), figures: Iterable[str] = ()
) -> dict[str, Path]:
    """The notebooks asked for, all if nothing is. Raises UsageError that lists what there is.

    wanted: names, beginnings ("05_sato", "solutions/"), files, or numbers ("5", "05"), which mean
    the chapter, all its parts, and its evidence.
    figures: asks for the notebooks that made these.
    """
    there, names = notebooks(root), set()
    for asked in wanted:
        hits = _named(there, asked)
        if not hits:
            raise UsageError(
                f"no notebook is called {asked}; there are: {', '.join(there)}"
            )
        names |= hits
    made_by = {
        entry["figure"]: entry["notebook"] for entry in read_manifest(root / "figures")
    }
    for figure in figures:
        if made_by.get(figure) not in there:
            known = ", ".join(made_by) or "none yet"
            raise UsageError(f"no notebook makes {figure}; figures: {known}")
        names.add(made_by[figure])
    return {name: path for name, path in there.items() if name in names or not names}


def _named(there: dict[str, Path], asked: str) -> set[str]:
    file, plain = Path(asked).resolve(), asked.removesuffix(".ipynb")
    if exact := {
        name for name, path in there.items() if name == plain or path.resolve() == file
    }:
        return exact
    if plain.isdigit():
        same = re.compile(rf"(evidence/)?0*{int(plain)}[a-z]?_")
        return {name for name in there if same.match(name)}
    return {name for name in there if plain and name.startswith(plain)}


def share(chosen: dict[str, Path], asked: Iterable[tuple[str, str]]) -> dict[str, list]:
    """The parameters asked for that each notebook has: pairs (parameter, text), by notebook.

    Raises UsageError where no notebook of a number has a parameter.
    """
    asked, given = [*asked], {name: [] for name in chosen}
    for same in dict.fromkeys(number(name) for name in chosen):
        group = [name for name in chosen if number(name) == same]
        known = {name: parameters(name, chosen[name], ())[0] for name in group}
        for key, text in asked:
            owners = [name for name in group if key in known[name]]
            for name in (
                owners or group[:1]
            ):  # the first one says what parameters there are
                parameters(name, chosen[name], [(key, text)])
                given[name].append((key, text))
    return given


def parameters(
    name: str, path: Path, asked: Iterable[tuple[str, str]]
) -> tuple[dict, dict]:
    """Defaults of a notebook's parameters, and the values asked for as literals of the defaults'
    types.

    Raises UsageError for a name that is not a parameter, or a value of another type.
    """
    try:
        defaults = canonical.parameters_of(canonical.read(path))
    except (ValueError, SyntaxError) as error:
        raise UsageError(f"{name}: {error}") from error
    values = {}
    for key, text in asked:
        if key not in defaults:
            listing = ", ".join(f"{k} = {v!r}" for k, v in defaults.items()) or "none"
            raise UsageError(
                f"{name} has no parameter {key}; its parameters: {listing}"
            )
        values[key] = _value(f"{name}: {key} = {text}", text, defaults[key])
    return defaults, values


def _value(words: str, text: str, default):
    """The literal that a text stands for, if it is of the default's type; an int will do for a
    float."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if isinstance(default, str) and not isinstance(value, str):
        value = text
    if default is not None and type(value) is not type(default):
        raise UsageError(
            f"{words} is of type {type(value).__name__}; the default is {default!r}"
        )
    return value
