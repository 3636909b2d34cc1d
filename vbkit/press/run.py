"""Run notebooks in kernels of their own, several at a time. Moves no file and knows no figure."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from tqdm import tqdm

from vbkit.press import THREADS
from vbkit.press.canonical import canonical, code_cells, dumps, read


@dataclass(eq=False)
class Job:
    """One notebook to run.

    folder: where it leaves notebook.ipynb (executed, canonical), record/ (the recording) and a log.
    phases: the parameters to inject, one dict per run; all runs but the last only store studies.
    parameters: all parameters of the last run. figures: the folder of the stored studies.
    recheck: the seed that chooses which results of a stored study are computed again.
    newest: a folder in which studies and the ledger are looked for before `figures`, if any.
    cell: the number of the code cell that runs.
    """

    name: str
    notebook: Path
    folder: Path
    phases: tuple[dict, ...]
    parameters: dict
    figures: Path
    recheck: int
    newest: Path | None = None
    cell: int = 1

    @property
    def record(self) -> Path:
        """The recording of the last run."""
        return self.folder / "record"


class Kernel(AsyncKernelManager):
    """A kernel of the interpreter that runs, whatever kernels a user has installed."""

    kernel_spec = KernelSpec(**get_kernel_dict())


def run(jobs: list[Job], workers: int, timeout: float, finish: Callable) -> None:
    """Run jobs, `workers` at a time, and call finish(job, error or None, seconds) as each ends.

    A bar counts cells. A job gets `timeout` seconds. The first SIGINT or SIGTERM, or an exception
    of `finish`, kills the kernels that still run; a signal never interrupts `finish`. Raises
    KeyboardInterrupt after a signal."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(_run_all(jobs, workers, timeout, finish))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        with suppress(ValueError):  # outside the main thread
            signal.signal(signal.SIGTERM, handler)  # asyncio leaves the system's own


async def _run_all(jobs, workers, timeout, finish) -> None:
    task, places = asyncio.current_task(), asyncio.Semaphore(workers)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(RuntimeError):  # outside the main thread Python gives no signals
            loop.add_signal_handler(number, lambda: task.cancelling() or task.cancel())
    cells = sum(len(job.phases) * len(code_cells(read(job.notebook))) for job in jobs)
    interval = 0.2 if sys.stderr.isatty() else 10
    with tqdm(total=cells, unit="cell", mininterval=interval) as bar:

        async def one(job: Job) -> None:
            async with places:
                began = time.monotonic()
                finish(job, await _attempt(job, timeout, bar), time.monotonic() - began)

        await asyncio.gather(*map(one, jobs))


async def _attempt(job: Job, timeout: float, bar: tqdm) -> str | None:
    """Run a job; returns in one line what went wrong."""
    try:
        async with asyncio.timeout(timeout) as limit:
            await _run_phases(job, bar)
        return None
    except (
        Exception
    ) as error:  # the kernel died or did not start, the disk is full, ...
        if limit.expired():  # whatever stopping it made of that
            problem = f"still ran after {timeout:g} s, so it was stopped (--timeout)"
        elif isinstance(error, CellExecutionError):
            message = " ".join(f"{error.ename}: {error.evalue}".split()).removesuffix(
                ":"
            )
            problem = f"failed at `{_failing_line(error.traceback)}`: {message}"
        else:
            log = job.folder / "log.txt"
            last = (
                log.read_text(errors="replace").split("\n")[-2:-1]
                if log.exists()
                else []
            )
            problem = "; ".join(
                [f"could not run: {type(error).__name__}: {error}", *last]
            )
    return f"{job.name}: code cell {job.cell} {problem}"


async def _run_phases(job: Job, bar: tqdm) -> None:
    job.folder.mkdir(parents=True)
    figures = os.pathsep.join(map(str, filter(None, (job.newest, job.figures))))
    for phase, values in enumerate(job.phases, 1):
        record = (
            job.record if phase == len(job.phases) else job.folder / f"phase-{phase}"
        )
        own = {
            "VBKIT_NOTEBOOK": job.name,
            "VBKIT_RECORD": str(record),
            "VBKIT_FIGURES": figures,
        }
        own |= {
            "VBKIT_RECHECK": str(job.recheck),
            "IPYTHONDIR": str(job.folder / "ipython"),
        }
        notebook = load_notebook_node(canonical(read(job.notebook)))
        if values:
            notebook = parameterize_notebook(notebook, values)
        await _run_cells(notebook, job, THREADS | os.environ | own, bar)
        figures = os.pathsep.join([str(record), figures])
    (job.folder / "notebook.ipynb").write_text(dumps(notebook), encoding="utf-8")


async def _run_cells(notebook, job: Job, environment: dict, bar: tqdm) -> None:
    # TCP ports are chosen before a kernel binds them, so two that start at once could contest one.
    # On Linux, kernels talk through abstract sockets instead, each with a name of its own.
    sockets = {"transport": "ipc", "ip": f"@vbkit-{uuid.uuid4().hex}"}
    sockets = sockets if sys.platform == "linux" else {}
    kernel = Kernel(connection_file=str(job.folder / "kernel.json"), **sockets)
    client = NotebookClient(notebook, km=kernel, timeout=None, startup_timeout=300)
    client.iopub_timeout = (
        60  # this process may be busy with what another notebook has made
    )
    job.cell = 1
    with open(job.folder / "log.txt", "ab") as log, ExitStack() as after:
        try:
            place = str(job.notebook.parent)
            await client.async_start_new_kernel(
                env=environment, cwd=place, stdout=log, stderr=log
            )
            after.enter_context(_ending(kernel.provisioner.pgid))
            await client.async_start_new_kernel_client()
            for index, cell in enumerate(notebook.cells):
                number = client.code_cells_executed + 1
                await client.async_execute_cell(cell, index, execution_count=number)
                if (
                    cell.cell_type == "code"
                    and "injected-parameters" not in cell.metadata.tags
                ):
                    job.cell += 1
                    bar.update()
        finally:
            if client.kc:
                client.kc.stop_channels()
            await kernel.shutdown_kernel(now=True)  # kills its whole process group


@contextmanager
def _ending(group: int | None) -> Iterator[None]:
    """End a kernel's process group, its workers included, when the block ends; also where the
    kernel is gone before them, and where this process is killed in the block."""
    if os.name == "nt" or not group:
        yield
        return
    # The pipe closes with this process, however that ends, and the shell waits for that.
    words = ["/bin/sh", "-c", f"read _; kill -s KILL -- -{group}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, start_new_session=True, **quiet
    ):
        yield  # and then the pipe is closed, and the shell's end awaited


def _failing_line(report: str) -> str:
    """The line at which a cell failed: at the traceback's first arrow, else the cell's first."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", report)
    arrow = re.search(r"^-+> *\d+ *(\S.*)$", plain, re.M)
    return (arrow or re.search(r"^-+\n\s*(.*)", plain, re.M))[1].strip()
