"""What every command does where its output cannot be written."""

import subprocess
import sys
from pathlib import Path

import pytest

TABLE = "a,b\n" + "1,2\n2,1\n4,5\n" * 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    "command", ["claims", "claims --help", "lint 90", "fit my.csv --to out"]
)
def test_a_full_disk_is_told_in_a_line(command, buffered, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    (tmp_path / "my.csv").write_text(TABLE)
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "vbkit", *command.split()]
        run = subprocess.run(words, stdout=full, stderr=-1, text=True, cwd=tmp_path)
    told = "vbkit: error: cannot write the output: No space left on device\n"
    assert (run.returncode, run.stderr) == (1, told)
