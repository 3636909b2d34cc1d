"""The form in which notebooks are stored, and the lint: what keeps a notebook from it."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode

from vbkit.press import WIDGET, UsageError

KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
LANGUAGE = {"name": "python", "mimetype": "text/x-python", "file_extension": ".py"}
LANGUAGE |= {"pygments_lexer": "ipython3"}
PASSING = (
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
MAX_LINES, MAX_HIDDEN, MAX_BYTES = 30, 80, 3_000_000


def read(path: Path) -> NotebookNode:
    """A notebook from disk. UsageError where it cannot be read as one."""
    try:
        return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except ValueError as error:
        raise UsageError(f"{path} is not a notebook: {str(error)[:100]}") from error


def canonical(notebook: NotebookNode) -> NotebookNode:
    """A copy without what differs between runs or belongs to one machine.

    Executed cells are counted 1..n. Cell ids stay; a missing or repeated one is made from the
    cell's place."""
    notebook = copy.deepcopy(notebook)
    kept = {
        key: value for key, value in notebook.metadata.items() if key not in PASSING
    }
    notebook.metadata = nbformat.from_dict(
        kept | {"kernelspec": KERNEL, "language_info": LANGUAGE}
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count, ids = 0, set()
    for place, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags")
        for key in PASSING if tags else (*PASSING, "tags"):
            cell.metadata.pop(key, None)
        if "injected-parameters" in (tags or ()):
            cell.id = "injected-parameters"
        if cell.get("id") in ids | {None}:
            cell.id = f"cell-{place}"
        ids.add(cell.id)
        if cell.cell_type == "code":
            if cell.execution_count is not None:
                cell.execution_count = count = count + 1
            _clean_outputs(cell)
            CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, place)
    return notebook


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
    return [cell for cell in cells if tag in (None, *cell.metadata.get("tags", ()))]


def parameters_of(notebook: NotebookNode) -> dict:
    """Names and defaults in the cell tagged `parameters`, if there is one.

    Raises ValueError if they are not literals."""
    found = {}
    for cell in code_cells(notebook, "parameters")[:1]:
        for node in ast.parse(cell.source).body:
            try:
                (target,) = node.targets
                found[target.id] = ast.literal_eval(node.value)
            except (AttributeError, ValueError) as error:
                words = "the parameters cell holds more than `name = literal`"
                raise ValueError(
                    f"{words}: {ast.unparse(node).splitlines()[0]}"
                ) from error
    return found


def lint(path: Path) -> list[str]:
    """What keeps a stored notebook from being publishable, one sentence each; empty when nothing
    does."""
    return [*_problems(path, read(path), path.read_text(encoding="utf-8"))]


def _problems(path: Path, notebook: NotebookNode, text: str) -> Iterator[str]:
    if len(text.encode()) > MAX_BYTES:
        yield f"is larger than {MAX_BYTES / 1e6:g} MB"
    if [(cell.cell_type, cell.source[:2]) for cell in notebook.cells[:1]] != [
        ("markdown", "# ")
    ]:
        yield "does not begin with a title"
    if (
        tagged := len(code_cells(notebook, "parameters"))
    ) != 1 and "solutions" not in path.parts:
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
        shown = "\n".join([cell.source, *map(words, cell.get("outputs", ()))])
        if found := MACHINE_PATH.search(shown):
            yield f"names a path of one machine: {found.group()}..."
    if text != dumps(notebook):
        yield "is not in canonical form; `python -m vbkit reproduce` stores it so"


def _cell_problems(cell: NotebookNode, number: int) -> Iterator[str]:
    if not cell.execution_count:
        yield "was not executed"
    elif cell.execution_count != number:
        yield f"has the count {cell.execution_count}"
    most = (
        MAX_HIDDEN
        if cell.metadata.get("jupyter", {}).get("source_hidden")
        else MAX_LINES
    )
    if (lines := len(cell.source.splitlines())) > most:
        yield f"has {lines} lines, more than {most}"
    try:
        ast.parse(cell.source)
    except SyntaxError:
        yield "is not plain Python (a magic, a `!` command, %pip or a syntax error)"
    if "get_ipython(" in cell.source:
        yield "calls get_ipython"
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"ends in an error: {output.ename}"
        if output.get("name") == "stderr":
            yield f"writes to stderr: {output.text.strip().splitlines()[-1:]}"
        about = output.get("metadata", {}).get("image/png", {})
        if "image/png" in output.get("data", {}) and not about.get("alt"):
            yield "shows a picture without alternative text"
        if "Warning: " in words(output):
            yield "shows a warning"


def words(output: NotebookNode) -> str:
    """An output without its pictures."""
    texts = (
        value
        for key, value in output.get("data", {}).items()
        if key.startswith("text/")
    )
    return output.get("text") or "\n".join(texts)
