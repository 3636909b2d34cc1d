"""A small workbook to try the machinery on, a browser, and which tests are slow."""

import base64
import io
import os
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image
from xdist.scheduler import LoadScopeScheduling

from tests.film import BROWSERS, browser_path
from vbkit.press import ROOT, canonical
from vbkit.press.check_notebooks import compare_notebooks
from vbkit.press.reproduce import plan, reproduce
from vbkit.press.run import run
from vbkit.press.selection import notebooks

SLOW = {  # test files, and single tests
    "test_a_fresh_process_predicts_the_same",
    "test_a_full_disk_is_told_in_a_line",
    "test_a_grid_keeps_both_ends_the_first_value_and_every_box",
    "test_all_that_is_imported_is_declared",
    "test_appendices",
    "test_benchmarks",
    "test_book",
    "test_browser",
    "test_check",
    "test_check_catches",
    "test_completions_are_those_of_the_engine",
    "test_estimator_checks",
    "test_estimator_hidden_markov",
    "test_handout",
    "test_it_goes_through_scikit_learns_machinery",
    "test_kernel_threads",
    "test_notebooks",
    "test_nothing_imports_numba_where_it_is_absent_or_unwanted",
    "test_profiles",
    "test_publish",
    "test_reproduce",
    "test_same_results_in_the_same_order",
    "test_the_engine_needs_no_extra_and_what_does_names_it",
    "test_the_phases_found_are_those_predicted",
    "test_what_is_marked_equivalent_has_a_reason_and_what_is_stale_is_told",
    "test_without_pyarrow_the_command_names_the_extra",
}
# the groups that only .ci/run runs
ELSEWHERE = (
    "evidence",
    "solutions",
    "processor",
    "broken",
    "quick",
    "browser",
    "fuzz",
    "long",
)

# tests that run a whole notebook each, and share nothing with their neighbours
WHOLE_NOTEBOOKS = ("test_profiles.py", "on_a_lesser_processor")

SWITCHES = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync""".split()

# Run all cells as soon as the kernel is there; the result tells whether all ran.
RUN_ALL = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    panel.context.ready
        .then(() => panel.sessionContext.ready)
        .then(() => panel.sessionContext.session.kernel.info)
        .then(() => window.jupyterapp.commands.execute("notebook:run-all-cells"))
        .then(passed => { window.ran = passed ? "all" : "failed" })
        .catch(error => { window.ran = `${error}` });
}"""


DRAW = """
import numpy as np
from matplotlib.figure import Figure

from vbkit.plots import Picture
from vbkit.press.publish import publish

x = np.linspace(0, 1, 20)
fig = Figure(figsize=(3, 2))
fig.add_subplot().plot(x, slope * x)
_ = fig.axes[0].set_ylim(-4, 4)
""".strip()


FIGURE = "publish('tiny2000-fig{0}', Picture(fig, 'Line {0}', dict(x=x, y=slope * x)))"

CLAIM = """
from vbkit.press import environment
from vbkit.press.json_files import write_json
from vbkit.press.ledger import claims

entry = {"id": claims()[0].id, "measured": {"gap": slope}, "verdict": "confirmed"}
entry |= {"profile": "paper", "runs": None, "tolerance": None}
recording = environment.recording()
if recording:
    write_json(entry, recording / "fragments" / f"claim-{entry['id']}.json")
""".strip()

PARAMETERS = "seed = 1\nslope = 1.5\nprofile = 'paper'"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is slow."""
    for item in items:
        names = {item.path.stem, getattr(item, "originalname", item.name)}
        elsewhere = any(item.get_closest_marker(group) for group in ELSEWHERE)
        if names & SLOW or elsewhere:
            item.add_marker("slow")


class Scheduling(LoadScopeScheduling):
    """A file, a class or a notebook goes to one worker whole, as in xdist's `loadscope`, so that
    its fixtures are made once. What runs a whole notebook goes to whichever worker is free."""

    def _split_scope(self, nodeid):
        if any(name in nodeid for name in WHOLE_NOTEBOOKS):
            return nodeid
        return super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return Scheduling(config, log)


def write_notebook(
    path: Path, *sources: str, parameters: str | None = PARAMETERS
) -> Path:
    """A notebook, not yet run: a title, the parameters and code cells."""
    cells = [new_markdown_cell("# Draw a line", id="title")]
    if parameters is not None:
        metadata = {"tags": ["parameters"]}
        cells.append(new_code_cell(parameters, id="parameters", metadata=metadata))
    for place, source in enumerate(sources):
        cells.append(new_code_cell(source, id=f"code-{place}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical.dumps(new_notebook(cells=cells)))
    return path


def edit_notebook(path: Path, change) -> None:
    """Apply change(cells by id) to a stored notebook."""
    notebook = nbformat.read(path, as_version=4)
    change({cell.id: cell for cell in notebook.cells})
    path.write_text(canonical.dumps(notebook))


def png(shade=255, size=(30, 20), spot=None) -> str:
    """A grey picture, in base 64 as notebooks hold it."""
    image = Image.new("RGB", size, (shade,) * 3)
    if spot:
        image.paste((0, 0, 0), spot)
    file = io.BytesIO()
    image.save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


def picture(alt="A line"):
    """A cell's output with a picture."""
    data = {"image/png": png(), "text/plain": "A line"}
    return new_output("display_data", data, metadata={"image/png": {"alt": alt}})


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rerun(name: str, scratch: Path, root: Path = ROOT) -> list[str]:
    """Run one notebook and say where its cells show something else than stored."""
    problems = []

    def finish(job, error, seconds):
        problems.extend([error] if error else compare_notebooks(job))

    job = plan(name, notebooks(root)[name], scratch / name, root / "figures")
    run([job], 1, 600, finish)
    return problems


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A workbook of two notebooks, reproduced once; not to be changed."""
    root = tmp_path_factory.mktemp("finished")
    folder = root / "notebooks"
    write_notebook(
        folder / "01_line.ipynb",
        DRAW,
        FIGURE.format(1),
        "print(f'slope {slope:.1f}')",
        CLAIM,
    )
    write_notebook(
        folder / "02_steep.ipynb", "slope = 3 * slope\n" + DRAW, FIGURE.format(2)
    )
    assert reproduce(root=root) == 0
    return root


@pytest.fixture
def workbook(finished, tmp_path) -> Path:
    """A copy of the finished workbook for a test of its own."""
    return Path(shutil.copytree(finished, tmp_path / "workbook"))


@pytest.fixture(scope="module")
def chromium():
    """A headless Chromium; with VBKIT_REQUIRE_BROWSER=1 there must be one."""
    path = browser_path()
    if path is None:
        reason = f"none of {', '.join(BROWSERS)} is installed"
        if os.environ.get("VBKIT_REQUIRE_BROWSER") == "1":
            pytest.fail(f"VBKIT_REQUIRE_BROWSER is 1 and {reason}")
        pytest.skip(f"no Chromium: {reason}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=SWITCHES, timeout=60_000
        )
        try:
            yield browser
        finally:
            browser.close()
