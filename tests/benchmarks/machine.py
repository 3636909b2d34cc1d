"""Start-up, memory and the explorers' sliders."""

import subprocess
import sys
import time

import numpy as np

from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import init_gaussian
from vbkit.mixture import Mixture

from .measure import Row, peak_memory


def import_row() -> Row:
    """Seconds that `import vbkit` and the engine add to a bare interpreter: the least of five."""

    def seconds(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    bare = min(seconds("pass") for _ in range(5))
    loaded = min(
        seconds("import vbkit, vbkit.mixture, vbkit.families") for _ in range(5)
    )
    return Row("import of the engine, seconds", loaded - bare, at_most=0.6)


def memory_row(rows: int = 1_000_000) -> Row:
    """MiB that two epochs of batch VB need beyond the data in eight dimensions, 16 components."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 8))
    mixture = Mixture(NormalWishart(np.zeros(8), 1.0, 9.0, np.eye(8)), Dirichlet(1.0))
    start = init_gaussian(mixture, X[:1000], 16, rng)

    def two_epochs():
        data = mixture.observe(X)
        return mixture.e_step(data, mixture.e_step(data, start).S)

    peak = peak_memory(two_epochs)
    return Row(
        f"memory beyond the data, MiB, N = {rows:,}, D = 8, K = 16", peak, at_most=1024
    )


def slider_seconds(explorer) -> np.ndarray:
    """Seconds (n,) from values to picture and line, at every position of every control."""
    seconds = []
    for name, control in explorer.controls.items():
        for _, value in control.options:
            values = explorer.first | {name: value}
            start = time.perf_counter()
            explorer.set(**values)
            seconds.append(time.perf_counter() - start)
    return np.array(seconds)


def slider_rows() -> list[Row]:
    """Milliseconds of a slider's step in the kernel, at the 95th percentile of all positions."""
    from vbkit.course.catalogue import explorers

    rows = []
    for name, make in explorers().items():
        late, middle = 1e3 * np.quantile(slider_seconds(make()), [0.95, 0.5])
        rows.append(Row(f"slider, ms, {name}", late, middle, at_most=25))
    return rows


SECTIONS = {
    "start": lambda: [import_row()],
    "memory": lambda: [memory_row()],
    "sliders": slider_rows,
}
