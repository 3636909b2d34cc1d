"""The site: what it takes from a distribution, what it refuses, and the chapters in a browser.

VBKIT_PYODIDE=FOLDER names a folder with the Pyodide distribution: the whole site is then built and
its chapters are run in Chromium, with nothing but a local server to reach.
"""

import functools
import hashlib
import http.server
import json
import os
import threading
import time
from pathlib import Path

import pytest
from conftest import RUN_ALL

from vbkit.__main__ import main
from vbkit.workbook import UsageError, site

PYODIDE = os.environ.get("VBKIT_PYODIDE")
CHAPTERS = ("00_start_here", "01_nakajima_known_covariance_mixture", "05_sato2000_batch_vs_online")
CHAPTERS += ("07a_nakajima_matrix_factorization", "07b_nakajima_missing_entries")
CHAPTERS += ("08a_kaji2011_phase_diagram", "08b_kaji2011_three_cheats")
LIMIT = 300  # seconds for a chapter

# ---- the distribution ----------------------------------------------------------------------------


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def distribution(tmp_path, monkeypatch) -> Path:
    """A folder like a distribution of three packages, and pins that fit it."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    packages = {
        name: {"file_name": f"{name}.whl", "sha256": sha(name.encode()), "depends": depends}
        for name, depends in {"numpy": ["lib-blas"], "lib-blas": [], "pandas": ["numpy"]}.items()
    }
    for name in packages:
        (folder / f"{name}.whl").write_bytes(name.encode())
    (folder / site.LOCK).write_text(json.dumps({"info": {}, "packages": packages}))
    (folder / "pyodide.js").write_bytes(b"js")
    core = {name: sha((folder / name).read_bytes()) for name in (site.LOCK, "pyodide.js")}
    monkeypatch.setattr(site, "CORE", core)
    monkeypatch.setattr(site, "PACKAGES", ("numpy",))
    return folder


@pytest.fixture
def server():
    """Serves a folder on this machine; gives the address."""
    running = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        kinds = {".wasm": "application/wasm", ".mjs": "text/javascript"}
        extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | kinds

        def log_message(self, *_):
            pass

    def serve(folder) -> str:
        handler = functools.partial(Quiet, directory=folder)
        running.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_address[1]}/"

    yield serve
    for one in running:
        one.shutdown()


@pytest.mark.parametrize("fetched", [False, True])
def test_what_is_needed_is_taken_and_verified(fetched, distribution, server, tmp_path):
    target = tmp_path / "taken"
    target.mkdir()
    given = (None, server(distribution)) if fetched else (distribution, "")
    site.collect(target, *given)
    names = {path.name for path in target.iterdir()}
    assert names == {site.LOCK, "pyodide.js", "numpy.whl", "lib-blas.whl"}


def spoil(distribution):
    (distribution / "numpy.whl").write_bytes(b"other")


def remove(distribution):
    (distribution / "lib-blas.whl").unlink()


@pytest.mark.parametrize(
    ("harm", "words"),
    [(spoil, "numpy.whl is not that of Pyodide"), (remove, "lib-blas.whl is missing")],
)
def test_a_distribution_with_a_fault_is_refused_and_nothing_is_left(
    harm, words, distribution, tmp_path, capsys
):
    harm(distribution)
    target = tmp_path / "site"
    assert main(["site", str(target), "--pyodide", str(distribution), "--still"]) == 2
    assert words in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pyodide"]


def test_no_network_no_folder_and_a_folder_in_use(distribution, tmp_path, capsys):
    with pytest.raises(UsageError, match="cannot fetch .*--pyodide FOLDER"):
        site.collect(tmp_path, None, "http://127.0.0.1:9/")
    assert main(["site", str(tmp_path / "a"), "--pyodide", str(tmp_path / "no")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["site", str(distribution), "--pyodide", str(distribution)]) == 2
    assert "not empty" in capsys.readouterr().err


# ---- the whole site ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site of this workbook."""
    folder = tmp_path_factory.mktemp("static") / "site"
    assert main(["site", str(folder), "--pyodide", PYODIDE, "--still"]) == 0
    for path in ("jupyter-lite.json", "lab/jupyter-lite.json"):  # the test steers the page
        settings = json.loads((folder / "lab" / path).read_text())
        settings.setdefault("jupyter-config-data", {})["exposeAppInBrowser"] = True
        (folder / "lab" / path).write_text(json.dumps(settings))
    return folder


ERRORS = """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells
    .filter(cell => cell.cell_type === "code")
    .flatMap(cell => cell.getOutputs().filter(output => output.output_type === "error")
        .map(output => `${cell.source.slice(0, 60)}: ${output.ename}: ${output.evalue}`))"""


@pytest.mark.slow
@pytest.mark.skipif(not PYODIDE, reason="VBKIT_PYODIDE names no Pyodide distribution")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_runs_in_the_browser(chapter, built, server, chromium):
    address, outside = server(built), []
    context = chromium.new_context(viewport={"width": 1300, "height": 1000})
    page = context.new_page()
    page.on("request", lambda r: outside.append(r.url) if address not in r.url else None)
    page.goto(f"{address}lab/lab/index.html?path=notebooks/{chapter}.ipynb")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
    page.evaluate(RUN_ALL)
    end = time.monotonic() + LIMIT
    while not (ran := page.evaluate("() => window.ran")):
        assert time.monotonic() < end, f"{chapter} still ran after {LIMIT} s"
        time.sleep(0.5)
    assert (ran, page.evaluate(ERRORS)) == ("all", [])
    assert not [url for url in outside if not url.startswith(("data:", "blob:"))]
    context.close()


@pytest.mark.slow
@pytest.mark.skipif(not PYODIDE, reason="VBKIT_PYODIDE names no Pyodide distribution")
def test_the_site_is_small_enough(built):
    assert sum(path.stat().st_size for path in built.rglob("*") if path.is_file()) < 160e6
