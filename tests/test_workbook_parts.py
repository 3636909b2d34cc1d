"""Parts of the workbook's machinery that need no kernel: form and lint of notebooks, pictures, studies, exercises."""

import base64
import io
import json
import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
import pytest
from conftest import edit_notebook, write_notebook
from matplotlib.figure import Figure
from nbformat.v4 import new_output
from PIL import Image

from vbkit.__main__ import main
from vbkit.workbook import ROOT, UsageError, canonical, pictures
from vbkit.workbook.exercises import check_exercise
from vbkit.workbook.publish import digest, publish, show, stored
from vbkit.workbook.select import choose, parameters

WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


def png(shade=255, size=(30, 20), spot=None) -> str:
    image = Image.new("RGB", size, (shade,) * 3)
    if spot:
        image.paste((0, 0, 0), spot)
    file = io.BytesIO()
    image.save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


def picture(alt="A line", **data):
    return new_output("display_data", {"image/png": png(), "text/plain": "A line"} | data, metadata={"image/png": {"alt": alt}})


@pytest.fixture
def path(tmp_path):
    """An executed notebook without faults."""
    path = write_notebook(tmp_path / "notebooks" / "01_line.ipynb", "x = 1", "x")

    def execute(cells):
        for count, cell in enumerate((cells["parameters"], cells["code-0"], cells["code-1"]), 1):
            cell.execution_count = count
        cells["code-1"].outputs = [picture()]

    edit_notebook(path, execute)
    return path


def test_canonical_form_drops_what_passes_and_stays_as_it_is(path):
    notebook = nbformat.read(path, as_version=4)
    expected = canonical.dumps(notebook)
    notebook.metadata |= {"widgets": {"state": 1}, "papermill": {"duration": 3.0}, "language_info": {"version": "3.99"}}
    for count, cell in enumerate(notebook.cells, 7):
        cell.metadata |= {"papermill": {"start_time": "now"}, "execution": {"iopub.status.busy": "now"}}
        cell.metadata.setdefault("tags", [])
        if cell.cell_type == "code":
            cell.execution_count = count
    (output,) = notebook.cells[-1].outputs
    output.data |= WIDGET
    assert canonical.dumps(notebook) == expected
    assert canonical.dumps(canonical.canonical(notebook)) == expected
    assert [cell.id for cell in canonical.canonical(notebook).cells] == ["title", "parameters", "code-0", "code-1"]


def test_canonical_form_keeps_a_widget_without_picture_and_merges_streams(path):
    notebook = nbformat.read(path, as_version=4)
    stream = [new_output("stream", name=name, text=text) for name, text in (("stdout", "a"), ("stdout", "b"), ("stderr", "c"))]
    notebook.cells[-1].outputs = [new_output("display_data", dict(WIDGET)), *stream]
    widget, merged, other = canonical.canonical(notebook).cells[-1].outputs
    assert widget.data == WIDGET and merged.text == "ab" and other.text == "c"


def test_canonical_form_gives_ids_to_cells_without(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].id = notebook.cells[1].id
    del notebook.cells[3]["id"]
    assert [cell.id for cell in canonical.canonical(notebook).cells] == ["title", "parameters", "cell-2", "cell-3"]


def test_lint_finds_nothing_in_a_good_notebook(path):
    assert canonical.lint(path) == []


@pytest.mark.parametrize(
    ("cell", "change", "problem"),
    [
        ("code-0", {"execution_count": None}, "code cell 2 was not executed"),
        ("code-1", {"outputs": [new_output("error", ename="E", evalue="", traceback=[])]}, "code cell 3 ends in an error: E"),
        ("code-1", {"outputs": [new_output("stream", name="stderr", text="oh")]}, "code cell 3 writes to stderr"),
        ("code-1", {"outputs": [new_output("stream", name="stdout", text="UserWarning: oh")]}, "code cell 3 shows a warning"),
        ("code-1", {"outputs": [picture(alt="")]}, "code cell 3 shows a picture without alternative text"),
        ("code-1", {"outputs": [new_output("stream", name="stdout", text="in /home/me/x")]}, "names a path of one machine: /home/me"),
        ("code-1", {"outputs": [new_output("stream", name="stdout", text="long" * 800_000)]}, "is larger than 3 MB"),
        ("code-0", {"source": "x = 1\n" * 31}, "code cell 2 has 31 lines, more than 30"),
        ("code-0", {"source": "%pip install x"}, "code cell 2 is not plain Python"),
        ("code-0", {"source": "!ls"}, "code cell 2 is not plain Python"),
        ("code-0", {"source": "get_ipython()"}, "code cell 2 calls get_ipython"),
        ("title", {"source": "Lines"}, "does not begin with a title"),
        ("parameters", {"metadata": nbformat.from_dict({})}, "has 0 cells tagged `parameters` instead of one"),
        ("code-0", {"metadata": nbformat.from_dict({"tags": ["parameters"]})}, "has 2 cells tagged `parameters` instead of one"),
        ("parameters", {"source": "n = 2 * 3"}, "the parameters cell holds more than `name = literal`: n = 2 * 3"),
        ("parameters", {"source": "profile = 'full'"}, "sets the parameter profile to something else"),
    ],
)  # fmt: skip
def test_lint_finds_each_problem_and_only_it(path, cell, change, problem):
    edit_notebook(path, lambda cells: cells[cell].update(change))
    if "execution_count" in change:  # the cell that was not run does not count
        edit_notebook(path, lambda cells: cells["code-1"].update(execution_count=3))
    found = [line for line in canonical.lint(path) if not line.startswith(("code cell 3 has the count", "is not in can"))]
    assert len(found) == 1 and found[0].startswith(problem)


def test_lint_finds_counts_and_form(path):
    path.write_text(path.read_text().replace('"execution_count": 2', '"execution_count": 5'))
    assert canonical.lint(path)[0] == "code cell 2 has the count 5"
    assert canonical.lint(path)[-1].startswith("is not in canonical form")
    assert main(["--root", str(path.parents[1]), "lint"]) == 1


def test_solutions_need_no_parameters(path):
    edit_notebook(path, lambda cells: cells["parameters"].metadata.clear())
    solution = path.parent / "solutions" / path.name
    solution.parent.mkdir()
    path.rename(solution)
    assert canonical.lint(solution) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/**/[!.]*.ipynb")), ids=lambda path: path.stem)
def test_the_workbooks_notebooks_are_in_order(path):
    assert ".ipynb_checkpoints" in path.parts or canonical.lint(path) == []


def test_pictures_are_compared_by_size_and_rms():
    raw = [base64.b64decode(p) for p in (png(), png(254), png(spot=(0, 0, 3, 1)), png(size=(31, 20)))]
    assert pictures.difference(raw[0], raw[0]) is None
    assert pictures.difference(raw[0], raw[1]) is None  # RMS 1
    assert re.search("differs by 18.0 of 255", pictures.difference(raw[0], raw[2]))  # 3 of 600 pixels
    assert "31 x 20 pixels, stored 30 x 20" in pictures.difference(raw[0], raw[3])
    assert pictures.compare([picture()], []) == ["there are 0 pictures, stored 1"]


def figure():
    fig = Figure(figsize=(2, 1.5))
    fig.add_subplot().plot([0, 1], [0, 1])
    return fig


def test_a_shown_figure_is_opaque_and_always_the_same():
    shown = show(figure(), alt="A line\n  rising")
    assert shown.png == show(figure(), alt="A line").png and b"Software" not in shown.png
    image = Image.open(io.BytesIO(shown.png)).convert("RGBA")
    assert image.getpixel((0, 0)) == (255, 255, 255, 255)
    assert np.asarray(image)[..., 3].min() == 255
    data, metadata = shown._repr_mimebundle_()
    assert data["text/plain"] == repr(shown) == metadata["image/png"]["alt"] == "A line rising"
    assert base64.b64decode(data["image/png"]) == shown.png


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "figure 2"}, "name was 'figure 2'"),
        ({"name": "sato2000-2"}, "name was 'sato2000-2'"),
        ({"alt": " "}, "alt was ' '"),
        ({"arrays": {}}, "arrays must be a dict"),
        ({"arrays": {"x": [1.0]}}, r"arrays\['x'\] must be an ndarray"),
        ({"arrays": {"x": np.array([{}, None])}}, "not object"),
        ({"tolerance": {"y": 1e-3}}, r"tolerance\['y'\] was 0.001"),
        ({"tolerance": {"x": 0.0}}, r"tolerance\['x'\] was 0.0"),
    ],
)
def test_publish_refuses(change, message):
    good = {"name": "sato2000-fig2", "alt": "A line", "arrays": {"x": np.arange(3.0)}}
    with pytest.raises(ValueError, match=message):
        publish(fig=figure(), **good | change)


def test_publish_writes_only_while_recording(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.arange(3.0)
    publish("sato2000-fig2", figure(), alt="A line", arrays={"x": x})
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path / "record"))
    shown = publish("sato2000-fig2", figure(), alt="A line", arrays={"x": x}, tolerance={"x": 0.1})
    assert (tmp_path / "record" / "sato2000-fig2.png").read_bytes() == shown.png
    with np.load(tmp_path / "record" / "data" / "sato2000-fig2.npz") as arrays:
        np.testing.assert_array_equal(arrays["x"], x)
    entry = json.loads((tmp_path / "record" / "fragments" / "figure-sato2000-fig2.json").read_text())
    assert entry["sha256"] == {"x": digest(x)} and entry["tolerance"] == {"x": 0.1}
    assert entry["source"] == "sato2000" and entry["versions"]["numpy"] == np.__version__


def test_digest_tells_type_shape_and_numbers_apart():
    x = np.arange(6.0)
    variants = [x, x.astype("f4"), x.reshape(2, 3), x.reshape(3, 2), x + 1e-9]
    assert len({digest(variant) for variant in variants}) == len(variants)
    assert digest(x[::2]) == digest(x[::2].copy())


def study(job):
    return {"total": np.float64(job["seed"] * job["scale"]), "draws": np.arange(3) * job["seed"], "count": 3}


JOBS = [{"seed": seed, "scale": 0.1} for seed in range(6)]


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder where a full run of the study is stored; its file."""
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path))
    monkeypatch.setenv("VBKIT_FIGURES", str(tmp_path))
    with ThreadPoolExecutor(2) as pool:
        stored("tiny", study, JOBS, profile="full", map=pool.map)
    monkeypatch.delenv("VBKIT_RECORD")
    return tmp_path / "data" / "tiny.json"


def test_a_study_comes_back_as_it_was_computed(shelf):
    ran = []

    def watched(job):
        ran.append(job)
        return study(job)

    results = stored("tiny", watched, JOBS, profile="paper", recheck=2)
    assert len(ran) == 2 and all(job in JOBS for job in ran)
    for result, fresh in zip(results, stored("tiny", study, JOBS, profile="full"), strict=True):
        assert result["total"] == fresh["total"] and result["count"] == 3
        np.testing.assert_array_equal(result["draws"], fresh["draws"])
    assert len(stored("tiny", study, JOBS, profile="quick")) == 3


def test_a_study_that_no_longer_holds_is_noticed(shelf):
    stored("tiny", lambda job: study(job) | {"total": study(job)["total"] * (1 + 1e-8)}, JOBS, profile="paper", recheck=6)
    with pytest.raises(ArithmeticError, match=r"study tiny, job .*: total is now .*, stored .*--profile full"):
        stored("tiny", lambda job: study(job) | {"total": 9.0}, JOBS, profile="paper")
    with pytest.raises(ArithmeticError, match="draws is now"):
        stored("tiny", lambda job: study(job) | {"draws": np.arange(2)}, JOBS, profile="paper")


def test_the_jobs_computed_again_follow_the_seed(shelf, monkeypatch):
    chosen = set()
    for seed in range(8):
        monkeypatch.setenv("VBKIT_RECHECK", str(seed))
        stored("tiny", lambda job: chosen.add(job["seed"]) or study(job), JOBS, profile="paper", recheck=1)
    assert len(chosen) > 2


def test_a_study_of_other_jobs_or_none_says_what_to_run(shelf):
    with pytest.raises(UsageError, match="stored for other jobs .* reproduce NOTEBOOK --profile full"):
        stored("tiny", study, JOBS[:-1], profile="paper")
    with pytest.raises(UsageError, match="no results of the study other"):
        stored("other", study, JOBS, profile="paper")
    with pytest.raises(ValueError, match="jobs must be"):
        stored("tiny", study, [{"seed": (1, 2)}], profile="paper")
    with pytest.raises(ValueError, match="profile was 'fast'"):
        stored("tiny", study, JOBS, profile="fast")
    with pytest.raises(ValueError, match="the keys of the first"):
        stored("tiny", lambda job: {str(job["seed"] > 2): 1}, JOBS, profile="full")


def test_a_study_runs_on_dask(shelf):
    distributed = pytest.importorskip("dask.distributed")
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.Client(**options) as client:
        results = stored("tiny", study, JOBS, profile="full", map=client.get_executor().map)
    assert [result["total"] for result in results] == [study(job)["total"] for job in JOBS]


def slope(x, w):
    return w * x


def draw(rng):
    return rng.normal(size=3), rng.normal()


def test_a_right_answer_passes():
    feedback = check_exercise(lambda a, b: b * a, slope, draw)
    assert feedback.passed and "8 inputs" in repr(feedback)
    assert check_exercise(lambda x: (x, [True, False]), lambda x: (x, np.array([1, 0])), [(1.5,)]).passed


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x, w: None, "Not yet"),
        (lambda x, w: ..., "Not yet"),
        (lambda x, w: w + x, "The numbers differ"),
        (lambda x, w: -w * x, "The sign is wrong"),
        (lambda x, w: (w * x)[:2], "The shape is (2,), expected (3,)"),
        (lambda x, w: [[1], [1, 2]], "The rows differ in length"),
        (lambda x, w: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda x: x, "raised TypeError"),
        (lambda x, w: w * x if w < 0.5 else x, "Right for the first"),
        (3.0, "This must be a function; it is a float"),
    ],
)
def test_a_wrong_answer_is_told_what_is_wrong(answer, words):
    feedback = check_exercise(answer, slope, draw, hint="<multiply>")
    assert not feedback.passed and words in repr(feedback)
    assert "Hint: <multiply>" in repr(feedback) and "Hint: &lt;multiply&gt;" in feedback._repr_html_()
    assert "w * x" not in repr(feedback)


def test_a_stub_that_raises_is_not_yet_and_inputs_are_not_spoiled():
    def stub(x, w):
        raise NotImplementedError

    def spoil(x, w):
        x *= w
        return x

    assert "Not yet: stub" in repr(check_exercise(stub, slope, draw))
    inputs = [(np.ones(2), 3.0)]
    assert check_exercise(spoil, slope, inputs).passed and inputs[0][0][0] == 1
    with pytest.raises(ValueError, match="inputs was empty"):
        check_exercise(slope, slope, [])
    assert "x=[1., 1.], w=3.0" in repr(check_exercise(lambda x, w: 0 * x, slope, inputs)).replace("w=3.,", "w=3.0")


def test_notebooks_are_chosen_by_name_number_beginning_and_file(tmp_path):
    for name in ("05_b", "10_c", "solutions/05_b"):
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb")
    write_notebook(tmp_path / "notebooks" / ".ipynb_checkpoints" / "05_b.ipynb")
    everything = ["05_b", "10_c", "solutions/05_b"]
    file = str(tmp_path / "notebooks" / "05_b.ipynb")
    wanted = {"05_b": 1, "5": 1, "05": 1, "05_b.ipynb": 1, file: 1, "10": 2, "solutions": 3, "solutions/05": 3}
    assert list(choose(tmp_path)) == everything
    for asked, place in wanted.items():
        assert list(choose(tmp_path, [asked])) == [everything[place - 1]], asked
    for asked in ("1", "07", "x", ""):
        with pytest.raises(UsageError, match="05_b, 10_c, solutions/05_b"):
            choose(tmp_path, [asked])
    with pytest.raises(UsageError, match="there are no notebooks in"):
        choose(tmp_path / "nowhere")


def test_parameters_take_the_defaults_type(tmp_path):
    source = "n = 3  # how many\nrate = 1.0\nsizes = [1, 2]\nlabel = 'a'\nflag = True\nprofile = 'paper'"
    path = write_notebook(tmp_path / "01.ipynb", parameters=source)
    asked = [("n", "4"), ("rate", "2"), ("sizes", "[3]"), ("label", "b c"), ("flag", "False")]
    defaults, values = parameters("01", path, asked)
    assert values == {"n": 4, "rate": 2.0, "sizes": [3], "label": "b c", "flag": False}
    assert type(values["rate"]) is float and defaults["n"] == 3
    assert parameters("01", path, [("label", "'7'")])[1] == {"label": "7"}
    for key, text in (("n", "2.5"), ("n", "x"), ("n", "True"), ("rate", "'1'"), ("sizes", "3"), ("flag", "1")):
        with pytest.raises(UsageError, match="is of type"):
            parameters("01", path, [(key, text)])
    with pytest.raises(UsageError, match="01 has no parameter m; its parameters: n = 3, rate = 1.0"):
        parameters("01", path, [("m", "1")])


def test_the_command_line_answers_in_one_line(tmp_path, capsys):
    write_notebook(tmp_path / "notebooks" / "01_a.ipynb")
    for arguments in (["reproduce", "7"], ["reproduce", "--jobs", "0"], ["claims", "--source", "x"], ["what"],
                      ["reproduce", "-p", "slope", "2"], ["reproduce", "--profile", "quick"],
                      ["reproduce", "-p", "profile", "quick"], ["reproduce", "--figure", "a-fig1"]):  # fmt: skip
        assert main(["--root", str(tmp_path), *arguments]) == 2
        output = capsys.readouterr()
        assert re.fullmatch(r"vbkit: error: [^\n]+\n", output.err) and not output.out, arguments


def test_claims_are_printed_and_filtered(capsys):
    assert main(["claims", "--json", "--source", "sato2000"]) == 0
    rows = json.loads(capsys.readouterr().out)
    wanted = {"id", "source", "where", "statement", "verdict", "measured", "criterion", "notebook"}
    assert rows and all(row.keys() >= wanted and row["source"] == "sato2000" for row in rows)
    assert main(["claims", "--verdict", "transcription"]) == 0
    assert "transcription" in capsys.readouterr().out


def test_clean_removes_what_is_left_behind_and_nothing_else(tmp_path, capsys):
    gone = ["vbkit/__pycache__/a.pyc", "a.nbi", "a.nbc", "notebooks/.ipynb_checkpoints/x", ".vbkit-999999999-x/y"]
    kept = ["figures/a.png", ".git/__pycache__/x", ".venv/pyvenv.cfg", ".venv/lib/__pycache__/x", ".vbkit-1-x/y"]
    for name in gone + kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert main(["--root", str(tmp_path), "clean"]) == 0
    assert "removed vbkit/__pycache__" in capsys.readouterr().out
    assert not any((tmp_path / name).exists() for name in gone)
    assert all((tmp_path / name).exists() for name in kept)


def requirements() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith(("#", "-e"))]
    return {re.split(r"[\[=]", pin)[0]: pin for pin in pins}


def test_requirements_are_pinned_exactly_and_hold_what_the_package_needs():
    pins = requirements()
    assert all(re.fullmatch(r"[\w-]+(\[\w+\])?==[\d.]+", pin) for pin in pins.values())
    assert (ROOT / "requirements.txt").read_text().splitlines()[-1] == "-e ."
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {name.replace("-", "_") for name in needed} <= {name.replace("-", "_") for name in pins}


def test_environment_names_python_and_defers_to_the_requirements():
    lines = [line.strip() for line in (ROOT / "environment.yml").read_text().splitlines()]
    assert "- -r requirements.txt" in lines
    (python,) = [line.split("=")[1] for line in lines if line.startswith("- python=")]
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert requires == f">={python}"
    assert [line for line in lines if "=" in line] == [f"- python={python}"]


def test_continuous_integration_runs_the_readmes_tests():
    script = Path(ROOT / ".ci" / "run")
    assert script.stat().st_mode & 0o111
    assert script.read_text().splitlines()[-1] == "python -m pytest"
