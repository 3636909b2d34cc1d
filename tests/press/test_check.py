"""Whole runs on a small workbook: what check finds."""

import base64
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from conftest import CLAIM, DRAW, FIGURE, edit_notebook, rerun, snapshot, write_notebook
from PIL import Image

from vbkit.press import ROOT, manifest
from vbkit.press.check_notebooks import check_notebooks, inventory
from vbkit.press.reproduce import reproduce
from vbkit.press.selection import notebooks

pytestmark = pytest.mark.broken


def blacken(path):
    """Paint a corner of a stored picture black."""
    image = Image.open(path).convert("RGB")
    image.paste((0, 0, 0), (0, 0, 20, 20))
    image.save(path)


def test_check_passes_on_what_is_as_committed(workbook, capfd):
    before = snapshot(workbook)
    assert check_notebooks(root=workbook) == 0
    lines = capfd.readouterr().out.splitlines()
    assert sorted(line.removeprefix("same     ") for line in lines[:-1]) == [
        "claims of 01_line",
        "manifest",
        "notebook 01_line",
        "notebook 02_steep",
        "tiny2000-fig1",
        "tiny2000-fig2",
    ]
    assert lines[-1] == "6 of 6 as committed" and snapshot(workbook) == before


def test_every_file_among_the_figures_is_that_of_a_notebook():
    assert [*inventory(ROOT)] == []


def test_check_finds_each_difference(workbook, capfd):
    figures = workbook / "figures"
    x = np.linspace(0, 1, 20)
    np.savez(figures / "data" / "tiny2000-fig1.npz", x=x, y=1.5 * x + 2e-6)
    blacken(figures / "tiny2000-fig2.png")
    (figures / "stray.png").touch()
    ledger = figures / "ledger.json"
    ledger.write_text(ledger.read_text().replace("1.5", "1.6"))
    stored = (workbook / "notebooks" / "01_line.ipynb").read_text()
    (workbook / "notebooks" / "01_line.ipynb").write_text(
        stored.replace("slope 1.5\\n", "slope 1.6\\n")
    )
    assert check_notebooks(root=workbook) == 1
    output = capfd.readouterr().out
    assert output.splitlines()[-1] == "1 of 6 as committed"
    for words in (
        (
            "DIFFERS  tiny2000-fig1\n"
            "         data/tiny2000-fig1.npz is not what the manifest's SHA-256 says"
        ),
        r"array y: 20 of 20 entries differ; the first, at \(0,\), is 0.0, stored 2e-06",
        "DIFFERS  tiny2000-fig2\n         the picture differs by .* of 255 RMS",
        "DIFFERS  manifest\n         figures/stray.png belongs to no notebook",
        "DIFFERS  claims of 01_line\n .*'gap': 1.5.*, stored .*'gap': 1.6",
        (
            r"DIFFERS  notebook 01_line\n"
            r"         code cell 4 shows 'slope 1.5\\n', stored 'slope 1.6\\n'"
        ),
        "same     notebook 02_steep",
    ):
        assert re.search(words, output), words


def test_check_allows_what_a_figure_declares(workbook):
    path = workbook / "notebooks" / "02_steep.ipynb"
    tolerant = FIGURE.format(2)[:-1] + ", tolerance={'y': .01})"
    edit_notebook(path, lambda cells: cells["code-1"].update(source=tolerant))
    assert reproduce(["2"], root=workbook) == 0
    (entry,) = (
        e
        for e in manifest.read_manifest(workbook / "figures")
        if e["figure"] == "tiny2000-fig2"
    )
    assert entry["tolerance"] == {"y": 0.01}
    for factor, code in (("1.001", 0), ("1.02", 1)):
        end = f"\nslope *= {factor}"
        edit_notebook(
            path,
            lambda cells, end=end: cells["code-0"].update(
                source=cells["code-0"].source + end
            ),
        )
        assert check_notebooks(["2"], root=workbook) == code


def test_check_allows_what_a_claim_declares(workbook):
    path, ledger = (
        workbook / "notebooks" / "01_line.ipynb",
        workbook / "figures" / "ledger.json",
    )
    declared = CLAIM.replace('"tolerance": None', '"tolerance": 1e-3').replace(
        ": slope", ": 5e-7"
    )
    edit_notebook(path, lambda cells: cells["code-3"].update(source=declared))
    assert reproduce(["1"], root=workbook) == 0
    written = ledger.read_text()
    assert "5e-07" in written
    for gap, code in (
        ("9e-07", 0),
        ("1.6e-06", 1),
    ):  # a thousandth of it where 0 is meant
        ledger.write_text(written.replace("5e-07", gap))
        assert check_notebooks(["1"], root=workbook) == code


def test_sizes_of_rounding_errors_may_differ(workbook):
    path = workbook / "notebooks" / "02_steep.ipynb"
    source = "slope = 3 * slope\n" + DRAW + "\nprint('error = 0 ± 1e-12')"
    edit_notebook(path, lambda cells: cells["code-0"].update(source=source))
    assert reproduce(["2"], root=workbook) == 0
    stored = path.read_text("utf-8")
    for words, code in (("0 ± 1e-9", 0), ("0.001", 1), ("0 ± 0.1", 1)):
        other = stored.replace("0 ± 1e-12\\n", words + "\\n")
        assert other != stored
        path.write_text(other, "utf-8")
        assert check_notebooks(["2"], root=workbook) == code, words


def test_rerun_finds_each_cell_that_shows_something_else(workbook, tmp_path):
    folder = workbook / "notebooks"
    line = (folder / "01_line.ipynb").read_text()
    picture = nbformat.reads(line, as_version=4).cells[3].outputs[0].data["image/png"]
    blacken(workbook / "figures" / "tiny2000-fig1.png")
    other = base64.b64encode(
        (workbook / "figures" / "tiny2000-fig1.png").read_bytes()
    ).decode()
    (folder / "03_other.ipynb").write_text(line.replace(picture, other))
    (folder / "04_number.ipynb").write_text(
        line.replace("slope 1.5\\n", "slope 1.6\\n")
    )
    missing = nbformat.reads(line, as_version=4)
    del missing.cells[3].outputs[0].data["image/png"]
    nbformat.write(missing, folder / "05_none.ipynb")
    missing.cells[4].outputs.clear()
    missing.cells[5].source = "1 / 0"
    nbformat.write(missing, folder / "06_failing.ipynb")
    found = {name: rerun(name, tmp_path, root=workbook) for name in notebooks(workbook)}
    assert found["01_line"] == found["02_steep"] == []
    assert re.fullmatch("code cell 3: the picture differs by .*", *found["03_other"])
    words = "code cell 4 shows 'slope 1.5\\\\n', stored 'slope 1.6\\\\n'"
    assert re.fullmatch(words, *found["04_number"])
    assert found["05_none"] == ["code cell 3: there are 1 pictures, stored 0"]
    assert re.fullmatch(
        "06_failing: code cell 5 failed at `1 / 0`: .*", *found["06_failing"]
    )


def test_nbval_compares_pictures_too(workbook):
    folder = workbook / "notebooks"
    line = (folder / "01_line.ipynb").read_text()
    picture = nbformat.reads(line, as_version=4).cells[3].outputs[0].data["image/png"]
    blacken(workbook / "figures" / "tiny2000-fig1.png")
    other = base64.b64encode(
        (workbook / "figures" / "tiny2000-fig1.png").read_bytes()
    ).decode()
    (folder / "03_other.ipynb").write_text(line.replace(picture, other))
    (folder / "04_number.ipynb").write_text(
        line.replace("slope 1.5\\n", "slope 1.6\\n")
    )
    write_notebook(folder / "05_none.ipynb")
    missing = nbformat.reads(line, as_version=4)
    del missing.cells[3].outputs[0].data["image/png"]
    nbformat.write(missing, folder / "05_none.ipynb")
    options = "-c pyproject.toml -p no:cacheprovider -n0".split()
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    failed = sorted(re.findall(r"FAILED .*?(\d\d_\w+).ipynb::Cell (\d)", done.stdout))
    assert failed == [("03_other", "2"), ("04_number", "3"), ("05_none", "2")], (
        done.stdout
    )
    assert (
        "the picture differs by" in done.stdout
        and "there are 1 pictures, stored 0" in done.stdout
    )
    assert (
        done.stdout.splitlines()[-1].startswith("=")
        and "3 failed" in done.stdout.splitlines()[-1]
    )
