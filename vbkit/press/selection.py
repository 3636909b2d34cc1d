"""Which notebooks are meant, and whether parameters are theirs."""

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from vbkit.press import UsageError, canonical
from vbkit.press.manifest import read_manifest


def notebooks(root: Path) -> dict[str, Path]:
    """All notebooks of a workbook by name.

    First chapters ("05_...") and appendices, then "evidence/05_...",
    "problems/unit5_..." and "solutions/...". Raises UsageError if there are none.
    """
    folder = root / "notebooks"
    paths = {}
    for path in folder.rglob("*.ipynb"):
        if path.parent.name != ".ipynb_checkpoints":
            name = path.relative_to(folder).with_suffix("").as_posix()
            paths[name] = path
    if not paths:
        raise UsageError(f"there are no notebooks in {folder}")
    order = sorted(paths, key=lambda name: ("/" in name, name))
    return {name: paths[name] for name in order}


def kind(name: str) -> str:
    """What a notebook is: a "chapter", an "appendix" (from 90 on), "evidence",
    "problems", "solutions"."""
    if "/" in name:
        return name.split("/")[0]
    return "appendix" if re.match(r"9\d_", name) else "chapter"


def number(name: str) -> str:
    """The number that a chapter, its parts, its evidence and solutions share ("07")."""
    return name.split("/")[-1][:2]


def choose(
    root: Path, names: Iterable[str] = (), figures: Iterable[str] = ()
) -> dict[str, Path]:
    """The notebooks asked for, all if nothing is, by name.

    names: names, beginnings ("05_sato", "solutions/"), files, or numbers ("5", "05"),
    which mean the chapter, all its parts ("05a_...", "05b_..."), and its evidence.
    figures: asks for the notebooks that made these. Raises UsageError that lists what
    there is.
    """
    available = notebooks(root)
    chosen = set()
    for text in names:
        matches = _matches(text, available)
        if not matches:
            raise UsageError(
                f"no notebook is called {text}; there are: {', '.join(available)}"
            )
        chosen |= matches
    manifest = read_manifest(root / "figures")
    makers = {entry["figure"]: entry["notebook"] for entry in manifest}
    for figure in figures:
        if makers.get(figure) not in available:
            raise UsageError(
                f"no notebook makes {figure}; figures: {', '.join(makers) or 'none yet'}"
            )
        chosen.add(makers[figure])
    if not chosen:
        return available
    return {name: available[name] for name in available if name in chosen}


def choose_some(
    root: Path, names: Iterable[str], is_taken: Callable[[str], bool], refusal: str
) -> dict[str, Path]:
    """The notebooks asked for, all if nothing is, for a command that takes only some.

    is_taken: whether the command takes the notebook of a name. Raises UsageError, which
    begins with the refusal, for a text that means none of those.
    """
    names = list(names)
    for text in names:
        meant = choose(root, [text])
        if not any(is_taken(name) for name in meant):
            raise UsageError(f"{refusal} {', '.join(meant)}")
    chosen = choose(root, names)
    return {name: path for name, path in chosen.items() if is_taken(name)}


def _matches(text: str, available: dict[str, Path]) -> set[str]:
    """The names of the notebooks that a text means."""
    file = Path(text).resolve()
    beginning = text.removesuffix(".ipynb")
    exact = {
        name
        for name, path in available.items()
        if name == beginning or path.resolve() == file
    }
    if exact:
        return exact
    if beginning.isdigit():
        same_number = re.compile(rf"(evidence/)?0*{int(beginning)}[a-z]?_")
        return {name for name in available if same_number.match(name)}
    if not beginning:
        return set()
    return {name for name in available if name.startswith(beginning)}


def parameters_by_notebook(
    chosen: dict[str, Path], settings: Iterable[tuple[str, str]]
) -> dict[str, dict]:
    """The values, by parameter, that settings ask for in each of the chosen notebooks.

    settings: pairs (parameter, text); a text stands for a literal of the default's
    type. A setting goes to the notebooks that have the parameter. Raises UsageError
    where no notebook of a number has it, or the text does not fit.
    """
    settings = list(settings)
    values = {name: {} for name in chosen}
    for chapter in dict.fromkeys(number(name) for name in chosen):
        group = {
            name: parameters(name, path)
            for name, path in chosen.items()
            if number(name) == chapter
        }
        for parameter, text in settings:
            owners = [name for name in group if parameter in group[name]]
            if not owners:
                first, defaults = next(iter(group.items()))
                pairs = [f"{key} = {default!r}" for key, default in defaults.items()]
                raise UsageError(
                    f"{first} has no parameter {parameter}; "
                    f"its parameters: {', '.join(pairs) or 'none'}"
                )
            for name in owners:
                default = group[name][parameter]
                values[name][parameter] = _value(name, parameter, text, default)
    return values


def parameters(name: str, path: Path) -> dict:
    """A notebook's parameters and their defaults; UsageError for unfit ones."""
    try:
        return canonical.parameters_of(canonical.read(path))
    except (ValueError, SyntaxError) as error:
        raise UsageError(f"{name}: {error}") from error


def _value(name: str, parameter: str, text: str, default):
    """What a text stands for; an int will do for a float, any text for a str.

    Raises UsageError for a value of another type than the default's.
    """
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
            f"{name}: {parameter} = {text} is of type {type(value).__name__}; "
            f"the default is {default!r}"
        )
    return value
