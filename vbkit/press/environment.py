"""What a run tells the notebook that it runs, through environment variables.

A notebook's code does not say where its products go: the same cell shows a figure in
JupyterLab and stores it in a run of `python -m vbkit reproduce`. So the run says it, in
four variables that its kernels inherit, and that nothing else reads or sets:

- VBKIT_RECORD: the folder that the notebook's products are written to; where it is not
  set, nothing is written
- VBKIT_NOTEBOOK: the name of the notebook
- VBKIT_FIGURES: the folders, the first one first, in which stored studies, published
  arrays and the ledger are looked for
- VBKIT_RECHECK: the seed that chooses which results of a stored study are computed
  again
"""

import os
from pathlib import Path

from vbkit.press import ROOT

RECORD = "VBKIT_RECORD"
NOTEBOOK = "VBKIT_NOTEBOOK"
FIGURES = "VBKIT_FIGURES"
RECHECK = "VBKIT_RECHECK"


def variables(
    notebook: str, recording: Path, figures: list[Path], recheck: int
) -> dict[str, str]:
    """The variables for the kernel of a notebook: name, folders, and seed."""
    return {
        NOTEBOOK: notebook,
        RECORD: str(recording),
        FIGURES: os.pathsep.join(map(str, figures)),
        RECHECK: str(recheck),
    }


def recording() -> Path | None:
    """The folder to write products to, or None where nothing shall be written."""
    folder = os.environ.get(RECORD)
    return Path(folder) if folder else None


def stop_recording() -> None:
    """Write no products from now on, neither here nor in kernels that are started."""
    os.environ.pop(RECORD, None)


def notebook_name() -> str | None:
    """The name of the notebook that a run runs here; None outside of a run."""
    return os.environ.get(NOTEBOOK)


def figure_folders() -> list[Path]:
    """The folders in which stored files are looked for, the first one first.

    Outside of a run, as in JupyterLab, the figures beside the notebook come before
    those of the installed workbook, because one installed vbkit serves several
    hand-outs.
    """
    folders = os.environ.get(FIGURES)
    if folders is None:
        return [Path(os.path.abspath("../figures")), ROOT / "figures"]
    return [Path(folder) for folder in folders.split(os.pathsep)]


def recheck_seed() -> int:
    """The seed that chooses which results of a stored study are computed again."""
    return int(os.environ.get(RECHECK, 0))
