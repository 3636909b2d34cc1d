"""The form in which notebooks are stored, and what keeps one from it: the lint."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode

from vbkit.press import WIDGET, UsageError, attachments

KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
LANGUAGE = {
    "name": "python",
    "mimetype": "text/x-python",
    "file_extension": ".py",
    "pygments_lexer": "ipython3",
}
PASSING = (  # metadata that belongs to one run or one reader
    "widgets",
    "papermill",
    "execution",
    "ExecuteTime",
    "collapsed",
    "scrolled",
    "trusted",
)
UNIX = r"(?<![\w.:/])/(home|root|Users|tmp|work|mnt|private|opt)/\w+"
MACHINE_PATH = re.compile(rf"{UNIX}|[A-Z]:\\Users")
MAX_LINES = 30  # of an open code cell
MAX_HIDDEN_LINES = 80  # of a hidden one
MAX_BYTES = 3_000_000  # of a notebook


def read(path: Path) -> NotebookNode:
    """A notebook from disk. Raises UsageError where it cannot be read as one."""
    try:
        return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except ValueError as error:
        raise UsageError(f"{path} is not a notebook: {str(error)[:100]}") from error


def canonical(notebook: NotebookNode) -> NotebookNode:
    """A copy without what differs between runs or belongs to one machine.

    Executed cells are counted 1..n. Cell ids stay; a missing or repeated one is made
    from the cell's place.
    """
    notebook = copy.deepcopy(notebook)
    _forget_passing(notebook.metadata)
    notebook.metadata.update(kernelspec=KERNEL, language_info=LANGUAGE)
    notebook.nbformat = 4
    notebook.nbformat_minor = 5
    count = 0
    ids = set()
    for place, cell in enumerate(notebook.cells):
        _clean_metadata(cell)
        if cell.get("id") is None or cell.id in ids:
            cell.id = f"cell-{place}"
        ids.add(cell.id)
        if cell.cell_type == "code":
            if cell.execution_count is not None:
                count += 1
                cell.execution_count = count
            _clean_outputs(cell)
            CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, place)
    return notebook


def _forget_passing(metadata: NotebookNode) -> None:
    for key in PASSING:
        metadata.pop(key, None)


def _clean_metadata(cell: NotebookNode) -> None:
    _forget_passing(cell.metadata)
    if not cell.metadata.get("tags"):
        cell.metadata.pop("tags", None)
    elif "injected-parameters" in cell.metadata.tags:
        cell.id = "injected-parameters"


def _clean_outputs(cell: NotebookNode) -> None:
    for output in cell.outputs:
        output.pop("transient", None)
        if output.output_type == "execute_result":
            output.execution_count = cell.execution_count
        if "image/png" in output.get("data", {}):
            output.data.pop(WIDGET, None)
            output.data["image/png"] = "".join(output.data["image/png"].split())


def dumps(notebook: NotebookNode) -> str:
    """The text of a notebook's file in canonical form."""
    return nbformat.writes(canonical(notebook)).rstrip("\n") + "\n"


def code_cells(notebook: NotebookNode, tag: str | None = None) -> list[NotebookNode]:
    """The cells that run, in order; only those with a tag, if one is given."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if tag is None:
        return cells
    return [cell for cell in cells if tag in cell.metadata.get("tags", ())]


def title(notebook: NotebookNode) -> str:
    """The title of a notebook, as Markdown; empty where it does not begin with one."""
    if not notebook.cells or notebook.cells[0].cell_type != "markdown":
        return ""
    first_line = notebook.cells[0].source.split("\n")[0]
    return first_line.removeprefix("# ") if first_line.startswith("# ") else ""


def parameters_of(notebook: NotebookNode) -> dict:
    """Names and defaults in the cell tagged `parameters`; empty if there is none.

    Raises ValueError if they are not literals, SyntaxError if the cell is not Python.
    """
    cells = code_cells(notebook, "parameters")
    if not cells:
        return {}
    defaults = {}
    for statement in ast.parse(cells[0].source).body:
        try:
            (target,) = statement.targets
            defaults[target.id] = ast.literal_eval(statement.value)
        except (AttributeError, ValueError) as error:
            first_line = ast.unparse(statement).splitlines()[0]
            raise ValueError(
                f"the parameters cell holds more than `name = literal`: {first_line}"
            ) from error
    return defaults


def words(output: NotebookNode) -> str:
    """An output without its pictures."""
    if output.get("text"):
        return output.text
    data = output.get("data", {})
    return "\n".join(data[key] for key in data if key.startswith("text/"))


def lint(path: Path) -> list[str]:
    """What keeps a stored notebook from being publishable, one sentence each."""
    return list(_problems(path, read(path), path.read_text(encoding="utf-8")))


def _problems(path: Path, notebook: NotebookNode, text: str) -> Iterator[str]:
    if len(text.encode()) > MAX_BYTES:
        yield f"is larger than {MAX_BYTES / 1e6:g} MB"
    if not title(notebook):
        yield "does not begin with a title"
    tagged = len(code_cells(notebook, "parameters"))
    if tagged != 1 and "solutions" not in path.parts:
        yield f"has {tagged} cells tagged `parameters` instead of one"
    try:
        if parameters_of(notebook).get("profile", "paper") != "paper":
            yield 'sets the parameter profile to something else than "paper"'
    except (ValueError, SyntaxError) as error:
        yield str(error)
    for number, cell in enumerate(code_cells(notebook), 1):
        for problem in _cell_problems(cell, number):
            yield f"code cell {number} {problem}"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for problem in attachments.problems(cell):
                yield f"cell {cell.get('id')} {problem}"
        texts = [cell.source, *map(words, cell.get("outputs", ()))]
        machine_path = MACHINE_PATH.search("\n".join(texts))
        if machine_path:
            yield f"names a path of one machine: {machine_path.group()}..."
    if text != dumps(notebook):
        yield "is not in canonical form; `python -m vbkit reproduce` stores it so"


def _cell_problems(cell: NotebookNode, number: int) -> Iterator[str]:
    if not cell.execution_count:
        yield "was not executed"
    elif cell.execution_count != number:
        yield f"has the count {cell.execution_count}"
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    most = MAX_HIDDEN_LINES if hidden else MAX_LINES
    lines = len(cell.source.splitlines())
    if lines > most:
        yield f"has {lines} lines, more than {most}"
    try:
        ast.parse(cell.source)
    except SyntaxError:
        yield "is not plain Python (a magic, a `!` command, %pip or a syntax error)"
    if "get_ipython(" in cell.source:
        yield "calls get_ipython"
    for output in cell.outputs:
        yield from _output_problems(output)


def _output_problems(output: NotebookNode) -> Iterator[str]:
    if output.output_type == "error":
        yield f"ends in an error: {output.ename}"
    if output.get("name") == "stderr":
        yield f"writes to stderr: {output.text.strip().splitlines()[-1:]}"
    picture = output.get("metadata", {}).get("image/png", {})
    if "image/png" in output.get("data", {}) and not picture.get("alt"):
        yield "shows a picture without alternative text"
    if "Warning: " in words(output):
        yield "shows a warning"
