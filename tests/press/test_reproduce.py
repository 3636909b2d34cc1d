"""Whole runs on a small workbook: what reproduce writes, and leaves alone."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import nbformat
import numpy as np
import psutil
import pytest
from conftest import FIGURE, edit_notebook, snapshot, write_notebook

from vbkit.__main__ import main
from vbkit.press import UsageError, manifest, share_of_cores
from vbkit.press.folder import new_folder, remove_abandoned
from vbkit.press.reproduce import _longest_first, reproduce

pytestmark = pytest.mark.broken

STUDY = """
from vbkit.press.publish import stored

def triple(job):
    return {"value": 3.0 * job["seed"]}

results = stored("tiny-study", triple, [{"seed": i} for i in range(5)], profile=profile)
print(len(results), profile)
""".strip()


def add_cell(path, source):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(source, id="added"))
    nbformat.write(notebook, path)


def test_reproduce_writes_everything(finished):
    assert [
        str(path.relative_to(finished))
        for path in sorted(finished.rglob("*"))
        if path.is_file()
    ] == [
        "figures/data/tiny2000-fig1.npz",
        "figures/data/tiny2000-fig2.npz",
        "figures/ledger.json",
        "figures/manifest.json",
        "figures/tiny2000-fig1.png",
        "figures/tiny2000-fig2.png",
        "notebooks/01_line.ipynb",
        "notebooks/02_steep.ipynb",
    ]
    one, two = manifest.read_manifest(finished / "figures")
    assert (one["figure"], one["source"], one["notebook"]) == (
        "tiny2000-fig1",
        "tiny2000",
        "01_line",
    )
    assert (
        one["parameters"] == {"seed": 1, "slope": 1.5, "profile": "paper"}
        and one["seed"] == 1
    )
    assert (
        one["alt"] == "Line 1"
        and one["versions"]["numpy"] == np.__version__
        and len(one["sha256"]) == 2
    )
    with np.load(finished / "figures" / "data" / "tiny2000-fig2.npz") as arrays:
        np.testing.assert_allclose(arrays["y"], 4.5 * arrays["x"])
    (claim,) = json.loads((finished / "figures" / "ledger.json").read_text())
    assert claim["notebook"] == "01_line" and claim["measured"] == {"gap": 1.5}
    assert main(["--root", str(finished), "lint"]) == 0


def test_a_second_run_changes_no_byte_and_needs_no_installed_kernel(
    workbook, tmp_path, monkeypatch
):
    kernel = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(
        '{"argv": ["/bin/false"], "display_name": "Wrong", "language": "python"}'
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    before = snapshot(workbook)
    assert reproduce(root=workbook) == 0
    assert snapshot(workbook) == before


def test_a_figure_that_was_asked_for_moves_in_alone(workbook, capsys):
    def steeper(cells):
        for cell in cells.values():
            cell.source = cell.source.replace("slope = 1.5", "slope = 1.6")

    edit_notebook(workbook / "notebooks" / "01_line.ipynb", steeper)
    before = snapshot(workbook)
    assert reproduce(figures=["tiny2000-fig1"], root=workbook) == 0
    after = snapshot(workbook)
    assert {name for name in after if after[name] != before.get(name)} == {
        "figures/data/tiny2000-fig1.npz",
        "figures/manifest.json",
        "figures/tiny2000-fig1.png",
    }
    one, two = manifest.read_manifest(workbook / "figures")
    assert one["parameters"]["slope"] == 1.6 and two["parameters"]["slope"] == 1.5

    def renamed(cells):
        for cell in cells.values():
            cell.source = cell.source.replace("tiny2000-fig1", "tiny2000-fig3")

    edit_notebook(workbook / "notebooks" / "01_line.ipynb", renamed)
    before = snapshot(workbook)
    assert reproduce(figures=["tiny2000-fig1"], root=workbook) == 1
    assert "no longer makes tiny2000-fig1" in capsys.readouterr().err
    assert snapshot(workbook) == before


def test_other_parameters_go_to_a_place_of_their_own(workbook, tmp_path):
    before = snapshot(workbook)
    arguments = [
        "reproduce",
        "--figure",
        "tiny2000-fig1",
        "-p",
        "slope",
        "2",
        "--to",
        str(tmp_path / "mine"),
    ]
    assert main(["--root", str(workbook), *arguments]) == 0
    assert snapshot(workbook) == before
    (entry,) = manifest.read_manifest(tmp_path / "mine")
    assert entry["parameters"]["slope"] == 2.0
    assert sorted(snapshot(tmp_path / "mine")) == [
        "data/tiny2000-fig1.npz",
        "ledger.json",
        "manifest.json",
        "notebooks/01_line.ipynb",
        "tiny2000-fig1.png",
    ]
    executed = nbformat.read(
        tmp_path / "mine" / "notebooks" / "01_line.ipynb", as_version=4
    )
    outputs = {cell.id: cell.get("outputs") for cell in executed.cells}
    assert (
        outputs["code-2"][0].text == "slope 2.0\n" and "injected-parameters" in outputs
    )


@pytest.mark.parametrize("name", ["tiny2000-fig1.png", "data/tiny2000-fig1.npz", "ledger.json",
                                  "notebooks/01_line.ipynb"])  # fmt: skip
def test_a_file_that_no_run_made_is_not_overwritten(workbook, tmp_path, name):
    mine = tmp_path / "mine" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match=f"{name} would be overwritten"):
        reproduce(["1"], to=tmp_path / "mine", root=workbook)
    assert snapshot(tmp_path / "mine") == {name: b"mine"}
    mine.rename(tmp_path / "mine" / "notes.png")
    for _ in range(2):  # what a run made, the next one may renew
        assert reproduce(["1"], to=tmp_path / "mine", root=workbook) == 0
    assert (tmp_path / "mine" / "notes.png").read_text() == "mine"


KILLED = """
import os, sys
from pathlib import Path
from vbkit.press.reproduce import _longest_first, reproduce

moves, replace = [], os.replace

def killed_at_the_second_of_its_files(source, target):
    if Path(target).parent.name in ("mine", "data") and moves:
        os._exit(9)
    moves.extend([target] if "mine" in Path(target).parts else [])
    replace(source, target)

os.replace = killed_at_the_second_of_its_files
reproduce(["1"], to=Path(sys.argv[1]), root=Path(sys.argv[2]), workers=1)
"""


def test_a_run_killed_as_it_moves_into_a_new_place_does_not_block_the_next(
    workbook, tmp_path
):
    mine = tmp_path / "mine"
    killed = subprocess.run([sys.executable, "-c", KILLED, mine, workbook], check=False)
    assert killed.returncode == 9 and not (mine / manifest.MANIFEST).exists()
    assert any(
        path.is_file() for path in [*mine.glob("*.*"), *mine.glob("notebooks/*")]
    )
    assert reproduce(["1"], to=mine, root=workbook) == 0
    assert len(snapshot(mine)) == 5


def test_errors_of_asking_come_before_anything_runs(workbook, tmp_path, monkeypatch):
    before = snapshot(tmp_path)
    file = tmp_path / "file"
    file.touch()
    for message, options in {
        "01_line has no parameter tilt; its parameters: seed = 1": {
            "values": [("tilt", "1")],
            "to": tmp_path,
        },
        "slope = steep is of type str": {
            "values": [("slope", "steep")],
            "to": tmp_path,
        },
        "no notebook is called 09; there are: 01_line, 02_steep": {"names": ["09"]},
        "no notebook makes a-fig9; figures: tiny2000-fig1": {"figures": ["a-fig9"]},
        "there is no profile fast": {"profile": "fast"},
        "need a place of their own": {"profile": "quick"},
        "cannot write to .*Not a directory": {"to": file / "out"},
        "cannot write to .*it is a file": {"to": file},
    }.items():
        with pytest.raises(UsageError, match=message):
            reproduce(root=workbook, **options)
    for place in (workbook, workbook / "figures", workbook / "notebooks" / "mine"):
        with pytest.raises(UsageError, match="holds the workbook's own files"):
            reproduce(["1"], to=place, root=workbook)
    monkeypatch.setattr(
        os, "access", lambda path, mode: "figures" not in str(path)
    )  # root may write anywhere
    with pytest.raises(UsageError, match="no permission to write in .*figures"):
        reproduce(root=workbook)
    assert snapshot(tmp_path) == before | {"file": b""}


def test_a_failing_cell_is_named_and_leaves_the_old_figures(workbook, capfd):
    steep = workbook / "notebooks" / "02_steep.ipynb"
    edit_notebook(
        steep,
        lambda cells: cells["code-1"].update(
            source="\n" + FIGURE.format(2) + "\n1 / 0"
        ),
    )
    line = workbook / "notebooks" / "01_line.ipynb"
    edit_notebook(line, lambda cells: cells["code-1"].update(source=FIGURE.format(3)))
    before = snapshot(workbook)
    assert reproduce(root=workbook) == 1
    place = "vbkit: 02_steep: code cell 3 failed at `1 / 0`: "
    assert place + "ZeroDivisionError: division by zero\n" in capfd.readouterr().err
    after = snapshot(workbook)
    assert after["notebooks/02_steep.ipynb"] == before["notebooks/02_steep.ipynb"]
    assert after["figures/tiny2000-fig2.png"] == before["figures/tiny2000-fig2.png"]
    listed = [entry["figure"] for entry in manifest.read_manifest(workbook / "figures")]
    assert listed == ["tiny2000-fig2", "tiny2000-fig3"]
    assert (
        "figures/tiny2000-fig1.png" not in after
        and "figures/data/tiny2000-fig1.npz" not in after
    )


def test_no_two_notebooks_publish_one_figure(workbook, capfd):
    add_cell(workbook / "notebooks" / "02_steep.ipynb", FIGURE.format(1))
    before = snapshot(workbook)
    assert reproduce(["2"], root=workbook) == 1
    assert "another notebook already publishes tiny2000-fig1" in capfd.readouterr().err
    assert snapshot(workbook) == before


def test_a_failed_run_elsewhere_leaves_no_folders(workbook, tmp_path):
    edit_notebook(
        workbook / "notebooks" / "01_line.ipynb",
        lambda cells: cells["code-0"].update(source="1 / 0"),
    )
    assert (
        reproduce(["1"], values=[("slope", "2")], to=tmp_path / "mine", root=workbook)
        == 1
    )
    assert not (tmp_path / "mine").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows locks no folders")
def test_two_runs_do_not_lose_what_the_other_wrote(workbook):
    import fcntl

    path = workbook / "figures" / "manifest.json"
    command = [sys.executable, "-m", "vbkit", "--root", str(workbook), "reproduce", "1"]
    other = os.open(
        workbook / "figures", os.O_RDONLY
    )  # another run, in the midst of moving in
    fcntl.flock(other, fcntl.LOCK_EX)
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while not [*workbook.glob("figures/.vbkit-*/01_line/notebook.ipynb")]:
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.1)
        time.sleep(2)
        assert run.poll() is None  # it waits
        path.write_text(path.read_text().replace('"Line 2"', '"Line 2, renewed"'))
    finally:
        os.close(other)
        assert run.wait(60) == 0
    assert [entry["alt"] for entry in manifest.read_manifest(workbook / "figures")] == [
        "Line 1",
        "Line 2, renewed",
    ]


def test_what_runs_too_long_is_stopped(workbook, capfd):
    before = snapshot(workbook)
    assert reproduce(["1"], timeout=0.2, root=workbook) == 1
    assert "01_line: code cell 1 still ran after 0.2 s" in capfd.readouterr().err
    assert snapshot(workbook) == before


def test_a_kernel_that_dies_of_being_stopped_is_not_blamed(
    workbook, monkeypatch, capfd
):
    async def dies(job, cores, bar):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            raise RuntimeError("Kernel died") from error

    monkeypatch.setattr("vbkit.press.run._run_phases", dies)
    assert reproduce(["1"], timeout=0.1, root=workbook) == 1
    assert "01_line: code cell 1 still ran after 0.1 s" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_two_kernels_that_start_at_once_cannot_contest_a_port(workbook, capfd):
    connection = "get_connection_info(unpack=True)"
    source = "from ipykernel.connect import get_connection_info\n"
    source += f"raise ValueError({connection}['transport'])"
    add_cell(workbook / "notebooks" / "02_steep.ipynb", source)
    assert reproduce(["2"], root=workbook) == 1
    assert "ValueError: ipc" in capfd.readouterr().err


def test_what_a_dying_kernel_wrote_is_told(workbook, capfd):
    source = "import os\nos.write(2, b'loud\\nfatal: no space left on device\\n')\nos._exit(1)"
    add_cell(workbook / "notebooks" / "02_steep.ipynb", source)
    assert reproduce(["2"], root=workbook) == 1
    died = "DeadKernelError: Kernel died; fatal: no space left on device"
    words = f"code cell 4 could not run: {died}"
    assert f"vbkit: 02_steep: {words}\n" in capfd.readouterr().err


def test_a_notebook_without_code_can_fail_too(workbook, monkeypatch, capfd):
    path = workbook / "notebooks" / "03_words.ipynb"
    write_notebook(path, parameters=None)

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr("vbkit.press.run.dumps", full)
    assert reproduce(["3"], root=workbook) == 1
    assert (
        "03_words: code cell 1 could not run: OSError: no space left"
        in capfd.readouterr().err
    )


def test_reproduce_runs_outside_the_main_thread(workbook, tmp_path):
    with ThreadPoolExecutor(1) as thread:
        assert (
            thread.submit(
                reproduce, ["1"], to=tmp_path / "there", root=workbook
            ).result(120)
            == 0
        )


def asleep(process):
    with suppress(psutil.NoSuchProcess):
        return process.name() == "sleep"
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_everything_as_it_was(workbook, number):
    for name in ("01_line", "02_steep"):
        add_cell(
            workbook / "notebooks" / f"{name}.ipynb",
            "import subprocess\nsubprocess.run(['sleep', '100'])",
        )
    before = snapshot(workbook)
    command = [sys.executable, "-m", "vbkit", "--root", str(workbook), "reproduce"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline, children = time.monotonic() + 120, []
    while sum(map(asleep, children)) < 2:  # both figures are recorded by then
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.2)
        children = psutil.Process(run.pid).children(recursive=True)
    (scratch,) = workbook.glob("figures/.vbkit-*")
    assert len(list(scratch.glob("*/record/*.png"))) == 2
    run.send_signal(number)
    assert "interrupted" in run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert snapshot(workbook) == before and not scratch.exists()
    assert not any(
        child.is_running() and child.status() != psutil.STATUS_ZOMBIE
        for child in children
    )


def test_a_figure_no_longer_made_goes_though_the_run_is_killed_at_that_moment(
    workbook, monkeypatch, capfd
):
    path = workbook / "notebooks" / "02_steep.ipynb"
    edit_notebook(path, lambda cells: cells["code-1"].update(source=FIGURE.format(3)))

    def killed(*_, **__):
        raise OSError("as if the run ended here")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", killed)
        assert reproduce(["2"], root=workbook) == 1
    assert (
        "02_steep: could not be moved in whole, run it again: as if"
        in capfd.readouterr().err
    )
    assert reproduce(["2"], root=workbook) == 0
    assert not [*workbook.glob("figures/**/tiny2000-fig2.*")]


WORKERS = """
import time
import joblib
_ = joblib.Parallel(2)(joblib.delayed(time.sleep)(60) for _ in range(2))
""".strip()


def workers(process):
    """The worker processes below a run."""
    found = []
    for child in process.children(recursive=True):
        with suppress(psutil.Error):
            if "LokyProcess" in " ".join(child.cmdline()):
                found.append(child)
    return found


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("victim", ["the run", "its kernel"])
def test_workers_do_not_outlive_what_was_killed(workbook, victim):
    add_cell(workbook / "notebooks" / "01_line.ipynb", WORKERS)
    command = [sys.executable, "-m", "vbkit", "--root", str(workbook), "reproduce", "1"]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline, process = time.monotonic() + 120, psutil.Process(run.pid)
    while len(there := workers(process)) < 2:
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.2)
    (run if victim == "the run" else there[0].parent()).kill()
    assert run.wait(60) != 0
    left = psutil.wait_procs(there, timeout=5)[1]
    for each in left:
        each.kill()
    assert not left


def test_a_run_of_another_machine_counts_as_over_after_a_day(tmp_path):
    path = tmp_path / ".vbkit-999999999.0-x"
    path.mkdir()
    remove_abandoned(tmp_path)
    assert path.exists()
    yesterday = time.time() - 90_000
    os.utime(path, (yesterday, yesterday))
    remove_abandoned(tmp_path)
    assert not path.exists()


def test_a_mount_point_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path / "disk")
    (tmp_path / "disk").mkdir()
    with (
        pytest.raises(UsageError, match="mount point"),
        new_folder(tmp_path / "disk", tmp_path),
    ):
        raise AssertionError("work began")


def test_what_a_killed_run_left_goes_with_the_next_one(workbook, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    mine, other = (
        f".vbkit-{gone.pid}-x",
        f".vbkit-{os.getppid()}-x",
    )  # its process is still there
    for place in (workbook / "figures", tmp_path / "there"):
        for name in (mine, other):
            (place / name).mkdir(parents=True)
    (tmp_path / f".vbkit-{gone.pid}-book").mkdir()
    (tmp_path / f".vbkit-{gone.pid}-predictions.csv").touch()
    assert reproduce(["1"], root=workbook) == 0
    assert reproduce(["1"], to=tmp_path / "there", root=workbook) == 0
    with new_folder(tmp_path / "book", workbook):
        pass
    left = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob(".vbkit-*")]
    assert sorted(left) == [f"there/{other}", f"workbook/figures/{other}"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_kernels_do_not_outlive_a_run_that_was_killed(workbook):
    add_cell(workbook / "notebooks" / "01_line.ipynb", "import time\ntime.sleep(100)")
    command = [sys.executable, "-m", "vbkit", "--root", str(workbook), "reproduce", "1"]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not [*workbook.glob("figures/.vbkit-*/01_line/record/*.png")]:
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.2)
    children = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()
    assert children and not psutil.wait_procs(children, timeout=15)[1]
    assert main(["--root", str(workbook), "clean"]) == 0 and not [
        *workbook.rglob(".vbkit-*")
    ]


def test_a_full_run_stores_studies_for_the_notebook_as_published(workbook):
    path = workbook / "notebooks" / "03_study.ipynb"
    write_notebook(path, STUDY)
    assert reproduce(["3"], profile="full", root=workbook) == 0
    study = json.loads((workbook / "figures" / "data" / "tiny-study.json").read_text())
    assert study["notebook"] == "03_study" and study["results"][4] == [
        {"seed": 4},
        {"value": 12.0},
    ]
    assert nbformat.read(path, as_version=4).cells[2].outputs[0].text == "5 paper\n"
    before = snapshot(workbook)
    assert reproduce(["3"], root=workbook) == 0
    assert snapshot(workbook) == before
    edit_notebook(path, lambda cells: cells["code-0"].update(source="pass"))
    assert reproduce(["3"], root=workbook) == 0
    assert not (workbook / "figures" / "data" / "tiny-study.json").exists()


def test_the_longest_notebooks_run_first_and_none_is_lost():
    names = ["00a_bolts", "05b_how_many", "evidence/02_online", "evidence/05_batch"]
    order = _longest_first(dict.fromkeys(names, Path("n.ipynb")))
    assert [*order] == [names[2], names[3], names[1], names[0]]


def test_processes_share_the_cores(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    shares = [share_of_cores(n)["LOKY_MAX_CPU_COUNT"] for n in (1, 2, 8)]
    assert shares == ["5", "2", "1"]
