"""`python -m vbkit check` on a copy of the workbook: it passes, and notices a changed array,
picture or learning rule."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.broken
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "05a_sato2000_batch_vs_online"


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    """A copy of everything that is committed."""
    copy = tmp_path_factory.mktemp("copy") / "workbook"
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in listed.splitlines():
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    return copy


def check(workbook):
    command = [sys.executable, "-m", "vbkit", "check", NOTEBOOK]
    environment = os.environ | {"PYTHONPATH": str(workbook)}
    return subprocess.run(
        command,
        cwd=workbook,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )


def test_passes_as_committed(workbook):
    done = check(workbook)
    assert done.returncode == 0, done.stdout + done.stderr


def test_notices_a_changed_array_and_a_changed_picture(workbook):
    arrays, picture = (
        workbook / "figures/data/sato2000-figarrivals.npz",
        workbook / "figures/sato2000-fig1.png",
    )
    before = arrays.read_bytes(), picture.read_bytes()
    stored = dict(np.load(io.BytesIO(before[0])))
    key = next(iter(stored))
    stored[key] = stored[key] + 1.0
    np.savez_compressed(arrays, **stored)
    image = np.array(Image.open(picture))
    image[50:150, 50:150] = 0
    Image.fromarray(image).save(picture)
    try:
        done = check(workbook)
    finally:
        arrays.write_bytes(before[0])
        picture.write_bytes(before[1])
    report = done.stdout + done.stderr
    assert done.returncode == 1
    for figure in ("sato2000-fig1", "sato2000-figarrivals"):
        assert any(
            figure in line and "DIFFERS" in line for line in report.splitlines()
        ), report


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        (
            "families/normal_wishart.py",
            "beta = self.mean_count + count",
            "beta = self.mean_count + 1.001 * count",
        ),
        (
            "compiled/online.py",
            "r[k] = digamma(setting.concentration[k] + effective[0, k])",
            "r[k] = digamma(1.0 + setting.concentration[k] + effective[0, k])",
        ),
    ],
    ids=["batch", "compiled online"],
)
def test_notices_a_changed_constant_of_the_learning_rule(workbook, file, right, wrong):
    path = workbook / "vbkit" / file
    text = path.read_text()
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))
    try:
        done = check(workbook)
    finally:
        path.write_text(text)
    assert done.returncode == 1, done.stdout + done.stderr
