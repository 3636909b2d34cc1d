"""Run notebooks in worker processes, each into a folder of its own. Moves nothing and knows no figures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vbkit.workbook import THREADS


@dataclass(frozen=True, eq=False)
class Job:
    """One notebook to run.

    folder: where it leaves notebook.ipynb (executed, canonical), record/ (the recording) and its logs.
    phases: one dict a run, of parameters to inject; the runs but the last only store studies for the last.
    parameters: all parameters as the last run has them. cells: the number of code cells.
    figures: the folder of the stored studies. recheck: the seed that chooses which of their jobs run again.
    """

    name: str
    notebook: Path
    folder: Path
    phases: tuple[dict, ...]
    parameters: dict
    cells: int
    figures: Path
    recheck: int

    @property
    def record(self) -> Path:
        """The recording of the last run."""
        return self.folder / "record"

    def cells_done(self) -> int:
        """How many code cells have run so far, in all runs."""
        progress = self.folder / "progress"
        return progress.stat().st_size if progress.exists() else 0


class Interruptible:
    """Turns the first SIGINT or SIGTERM into KeyboardInterrupt, but not within `hold()`; ignores others.

    Outside the main thread, where Python gives no signals, it does nothing.
    """

    def __enter__(self):
        self.holding = self.asked = False
        numbers = (
            (signal.SIGINT, signal.SIGTERM)
            if threading.current_thread() is threading.main_thread()
            else ()
        )
        self.before = {number: signal.signal(number, self._ask) for number in numbers}
        return self

    def __exit__(self, *_):
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _ask(self, *_):
        first, self.asked = not self.asked, True
        if first and not self.holding:
            raise KeyboardInterrupt

    @contextmanager
    def hold(self):
        """A passage that must not be left half done."""
        self.holding = True
        try:
            yield
        finally:
            self.holding = False
        if self.asked:
            raise KeyboardInterrupt


def run(jobs: list[Job], workers: int, timeout: float, signals: Interruptible) -> Iterator[tuple]:
    """Run jobs, `workers` at a time; yield (job, error or None, seconds) as each ends. A bar counts cells.

    A job gets `timeout` seconds. Closing the iterator kills whatever still runs, kernels included.
    """
    from tqdm import tqdm

    waiting, running = list(jobs), {}
    total = sum(job.cells * len(job.phases) for job in jobs)
    try:
        with tqdm(total=total, unit="cell", mininterval=0.2 if sys.stderr.isatty() else 10) as bar:
            while waiting or running:
                while waiting and len(running) < workers:
                    with signals.hold():
                        running[waiting[0]] = (_start(waiting[0]), time.monotonic())
                        waiting.pop(0)
                    bar.set_description_str(", ".join(job.name for job in running), refresh=False)
                time.sleep(0.05)
                bar.update(sum(job.cells_done() for job in jobs) - bar.n)
                for job, (process, began) in list(running.items()):
                    seconds = time.monotonic() - began
                    if process.poll() is not None or seconds > timeout:
                        error = _error(job, process.returncode, timeout)
                        kill(running.pop(job)[0])
                        yield job, error, seconds
    finally:
        for process, _ in running.values():
            kill(process)


def kill(process: subprocess.Popen) -> None:
    """Kill a worker that still runs, and all that descends from it; kernels are not of its process group."""
    if process.poll() is not None:
        return
    import psutil

    tree = []
    with suppress(psutil.NoSuchProcess):  # it may have ended by itself
        worker = psutil.Process(process.pid)
        worker.suspend()  # so that it starts nothing more while its children are listed
        tree = [worker, *worker.children(recursive=True)]
    for member in tree:
        with suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(tree, timeout=10)
    process.wait()


def _start(job: Job) -> subprocess.Popen:
    job.folder.mkdir(parents=True)
    (job.folder / "phases.json").write_text(json.dumps(job.phases))
    environment = (
        os.environ
        | THREADS
        | {
            "VBKIT_NOTEBOOK": job.name,
            "VBKIT_FIGURES": str(job.figures),
            "VBKIT_RECHECK": str(job.recheck),
            "JUPYTER_RUNTIME_DIR": str(job.folder / "jupyter"),
            "IPYTHONDIR": str(job.folder / "ipython"),
        }
    )
    command = [sys.executable, "-m", "vbkit.workbook.run", str(job.notebook), str(job.folder)]
    with open(job.folder / "log.txt", "wb") as log:
        streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        return subprocess.Popen(command, env=environment, start_new_session=True, **streams)


def _error(job: Job, code: int | None, timeout: float) -> str | None:
    """What went wrong in a job, in one line; code None says that it ran too long."""
    if code == 0:
        return None
    place = f"{job.name}: code cell {job.cells_done() % max(job.cells, 1) + 1}"
    if code is None:
        return f"{place} still ran after {timeout:g} s, so it was stopped (--timeout)"
    if (report := job.folder / "error.txt").exists():
        return f"{job.name}: {report.read_text()}"
    log = (job.folder / "log.txt").read_text(errors="replace").strip()
    last = re.findall(r"^[\w.]+(?:Error|Exception)\b.*", log, re.M)[-2:] or log.splitlines()[-1:]
    return f"{place}: the worker ended with code {code}: {'; '.join(last)}"  # a dead kernel's error, then the worker's


def work(path: Path, folder: Path) -> int:
    """The worker's side of a job: run the notebook once a phase. Returns the exit code."""
    import papermill
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec

    from vbkit.workbook.canonical import canonical, dumps, read

    class ThisInterpreter(AsyncKernelManager):
        """Starts kernels with the interpreter that runs, whatever kernels a user has installed.

        On Linux through abstract sockets of a name of their own: TCP ports are chosen before the kernel binds them,
        so that of two kernels starting at once one can lose its port to the other and die.
        """

        def __init__(self, **traits):
            own = (
                {"transport": "ipc", "ip": f"@vbkit-{uuid.uuid4().hex}"}
                if sys.platform == "linux"
                else {}
            )
            super().__init__(**own, **traits)

        @property
        def kernel_spec(self):
            return KernelSpec(**get_kernel_dict())

    done = 0

    def count(cell, **_):
        nonlocal done
        if "injected-parameters" not in cell.metadata.tags:
            done += 1
            with open(folder / "progress", "ab") as progress:
                progress.write(b".")

    phases = json.loads((folder / "phases.json").read_text())
    for phase, injected in enumerate(phases, 1):
        record = folder / ("record" if phase == len(phases) else f"phase-{phase}")
        os.environ["VBKIT_RECORD"], done = str(record), 0
        try:
            executed = papermill.execute_notebook(
                canonical(read(path)),
                None,
                injected,
                kernel_name="python3",
                progress_bar=False,
                cwd=path.parent,
                kernel_manager_class=ThisInterpreter,
                on_cell_executed=count,
            )
        except papermill.PapermillExecutionError as error:
            message = " ".join(f"{error.ename}: {error.evalue}".split()).removesuffix(":")
            (folder / "error.txt").write_text(
                f"code cell {done} failed at `{_line(error)}`: {message}"
            )
            return 1
        os.environ["VBKIT_FIGURES"] = os.pathsep.join([str(record), os.environ["VBKIT_FIGURES"]])
    (folder / "notebook.ipynb").write_text(dumps(executed), encoding="utf-8")
    return 0


def _line(error) -> str:
    """The line of the cell at which it failed, as the traceback's first arrow shows it; else the cell's first."""
    traceback = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    arrow = re.search(r"^-+> *\d+ *(.+)$", traceback, re.M)
    lines = [arrow[1]] if arrow else error.source.split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


if __name__ == "__main__":
    sys.exit(work(*map(Path, sys.argv[1:])))
