"""Run notebooks in kernels of their own, several at a time; move no file.

Papermill puts parameters into a notebook and nbclient runs its cells. What stands
between them here is what neither does: several notebooks at a time under one bar, a
time limit for a whole notebook, a kernel of this interpreter whatever kernels are
installed, and an end of everything a kernel has started, however a run ends.
"""

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
from pathlib import Path

import attrs
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from tqdm import tqdm

from vbkit.press import THREADS, UsageError, attachments, environment, share_of_cores
from vbkit.press.canonical import canonical, code_cells, dumps, read

STARTING = 300  # seconds that a kernel may take to start
SILENCE = 60  # seconds: this process may be busy with what another notebook has made


@attrs.define(eq=False)
class Job:
    """One notebook to run.

    - name: of the notebook; notebook: its path
    - folder: where the run leaves notebook.ipynb (executed, canonical), the recording
      and a log
    - phases: the parameters to inject, one dict per run; all runs but the last only
      store studies
    - parameters: all parameters of the last run
    - figures: the folder of the stored studies; newest: a folder in which studies and
      the ledger are looked for before, if any
    - recheck: the seed that chooses which results of a stored study are computed again
    - cell: the number of the code cell that runs
    """

    name: str
    notebook: Path
    folder: Path
    phases: tuple[dict, ...]
    parameters: dict
    figures: Path
    recheck: int = 0
    newest: Path | None = None
    cell: int = 1

    @property
    def recording(self) -> Path:
        """The folder with the products of the last run."""
        return self.folder / "record"

    @property
    def log(self) -> Path:
        """The file with what the kernel's processes print."""
        return self.folder / "log.txt"


Finish = Callable[[Job, str | None, float], None]  # job, error or None, seconds


class Kernel(AsyncKernelManager):
    """A kernel of the interpreter that runs, whatever kernels a user has installed."""

    kernel_spec = KernelSpec(**get_kernel_dict())


def run(jobs: list[Job], workers: int, timeout: float, finish: Finish) -> None:
    """Run jobs, `workers` at a time; call finish(job, error, seconds) as each ends.

    Each has its share of the cores. A bar counts cells. A job gets `timeout` seconds.
    The first SIGINT or SIGTERM, or an exception of `finish`, kills the kernels that
    still run; a signal never interrupts `finish`. Raises KeyboardInterrupt after a
    signal.
    """
    handler = signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(_run_all(jobs, workers, timeout, finish))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        with suppress(ValueError):  # outside the main thread
            signal.signal(signal.SIGTERM, handler)  # asyncio leaves the system's own


async def _run_all(
    jobs: list[Job], workers: int, timeout: float, finish: Finish
) -> None:
    _cancel_at_signals(asyncio.current_task())
    places = asyncio.Semaphore(workers)
    cells = sum(len(job.phases) * len(code_cells(read(job.notebook))) for job in jobs)
    cores = share_of_cores(max(1, min(workers, len(jobs))))
    interval = 0.2 if sys.stderr.isatty() else 10
    with tqdm(total=cells, unit="cell", mininterval=interval) as bar:

        async def run_in_turn(job: Job) -> None:
            async with places:
                began = time.monotonic()
                error = await _attempt(job, timeout, cores, bar)
                finish(job, error, time.monotonic() - began)

        await asyncio.gather(*[run_in_turn(job) for job in jobs])


def _cancel_at_signals(task: asyncio.Task) -> None:
    """Let the first SIGINT or SIGTERM cancel a task."""

    def cancel_once() -> None:
        if not task.cancelling():
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(RuntimeError):  # outside the main thread Python gives no signals
            loop.add_signal_handler(number, cancel_once)


async def _attempt(
    job: Job, timeout: float, cores: dict[str, str], bar: tqdm
) -> str | None:
    """Run a job with the variables of its share of the cores; returns in one line what
    went wrong, None if nothing did."""
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            await _run_phases(job, cores, bar)
        return None
    # Also where the kernel died or did not start, the disk is full, ...
    except Exception as error:
        if limit.expired():  # whatever stopping it made of that
            problem = f"still ran after {timeout:g} s, so it was stopped (--timeout)"
        elif isinstance(error, UsageError):
            return f"{job.name}: {error}"
        elif isinstance(error, CellExecutionError):
            message = " ".join(f"{error.ename}: {error.evalue}".split())
            line = _failing_line(error.traceback)
            problem = f"failed at `{line}`: {message.removesuffix(':')}"
        else:
            problem = f"could not run: {type(error).__name__}: {error}"
            last_words = _last_line(job.log)
            if last_words is not None:
                problem = f"{problem}; {last_words}"
    return f"{job.name}: code cell {job.cell} {problem}"


def _failing_line(report: str) -> str:
    """The line at which a cell failed: at the traceback's first arrow, or the first."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", report)
    arrow = re.search(r"^-+> *\d+ *(\S.*)$", plain, re.M)
    first_line = re.search(r"^-+\n\s*(.*)", plain, re.M)
    return (arrow or first_line)[1].strip()


def _last_line(log: Path) -> str | None:
    """The last whole line of a log; None if it has none."""
    if not log.exists():
        return None
    whole_lines = log.read_text(errors="replace").split("\n")[:-1]
    return whole_lines[-1] if whole_lines else None


async def _run_phases(job: Job, cores: dict[str, str], bar: tqdm) -> None:
    job.folder.mkdir(parents=True)
    figures = [folder for folder in (job.newest, job.figures) if folder]
    for phase, values in enumerate(job.phases, 1):
        last = phase == len(job.phases)
        recording = job.recording if last else job.folder / f"phase-{phase}"
        variables = environment.variables(job.name, recording, figures, job.recheck)
        variables["IPYTHONDIR"] = str(job.folder / "ipython")
        notebook = load_notebook_node(canonical(read(job.notebook)))
        if values:
            notebook = parameterize_notebook(notebook, values)
        settings = THREADS | cores | os.environ | variables
        await _run_cells(notebook, job, settings, bar)
        figures = [recording, *figures]
    attachments.fill(notebook, job.recording)
    (job.folder / "notebook.ipynb").write_text(dumps(notebook), encoding="utf-8")


async def _run_cells(
    notebook: NotebookNode, job: Job, variables: dict[str, str], bar: tqdm
) -> None:
    """Run a notebook's cells in a new kernel with these environment variables."""
    kernel = _new_kernel(job.folder / "kernel.json")
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=None,
        startup_timeout=STARTING,
        iopub_timeout=SILENCE,
    )
    job.cell = 1
    with open(job.log, "ab") as log, ExitStack() as after_shutdown:
        try:
            await client.async_start_new_kernel(
                env=variables, cwd=str(job.notebook.parent), stdout=log, stderr=log
            )
            after_shutdown.enter_context(_ending(kernel.provisioner.pgid))
            await client.async_start_new_kernel_client()
            await _run_each_cell(client, job, bar)
        finally:
            if client.kc:
                client.kc.stop_channels()
            await kernel.shutdown_kernel(now=True)  # kills its whole process group


async def _run_each_cell(client: NotebookClient, job: Job, bar: tqdm) -> None:
    for index, cell in enumerate(client.nb.cells):
        count = client.code_cells_executed + 1
        await client.async_execute_cell(cell, index, execution_count=count)
        injected = "injected-parameters" in cell.metadata.get("tags", ())
        if cell.cell_type == "code" and not injected:
            job.cell += 1
            bar.update()


def _new_kernel(connection_file: Path) -> Kernel:
    """A kernel that is not started yet.

    TCP ports are chosen before a kernel binds them, so two that start at once could
    contest one. On Linux, kernels talk through abstract sockets instead, each with a
    name of its own.
    """
    if sys.platform != "linux":
        return Kernel(connection_file=str(connection_file))
    socket = f"@vbkit-{uuid.uuid4().hex}"
    return Kernel(connection_file=str(connection_file), transport="ipc", ip=socket)


@contextmanager
def _ending(group: int | None) -> Iterator[None]:
    """End a kernel's process group, its workers included, when the block ends.

    Also where the kernel is gone before them, and where this process is killed in the
    block: the pipe closes with this process, however that ends, and the shell waits for
    that.
    """
    if os.name == "nt" or not group:
        yield
        return
    watch = ["/bin/sh", "-c", f"read _; kill -s KILL -- -{group}"]
    with subprocess.Popen(
        watch,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ):
        yield  # and then the pipe is closed, and the shell's end awaited
