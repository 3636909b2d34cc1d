"""Whatever the terminal can show and whatever files are called: no command ends in a traceback."""

import os
import subprocess
import sys

import numpy as np
import pytest

ROWS = "".join(
    f"{a:.3f},{b:.3f}\n" for a, b in np.random.default_rng(0).normal(size=(20, 2))
)
LOVE = "".join(
    f"usér {u},größe {i},{1 + (u * i) % 5}\n" for u in range(5) for i in range(4)
)


def vbkit(folder, encoding, *arguments):
    """What a command prints as bytes, where the terminal has an encoding."""
    done = subprocess.run(
        [sys.executable, "-m", "vbkit", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert b"Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_claims_are_printed_on_any_terminal(encoding, tmp_path):
    done = vbkit(tmp_path, encoding, "claims", "--source", "sato1999")
    assert (done.returncode, done.stderr) == (0, b"")
    done.stdout.decode(encoding)
    assert b"\\u" in done.stdout


@pytest.mark.long
def test_names_that_the_terminal_cannot_show(tmp_path):
    (tmp_path / "größe.csv").write_text("usér,größe\n" + ROWS, "utf-8")
    done = vbkit(tmp_path, "ascii", "fit", "größe.csv", "--to", "重さ")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "usér" in (tmp_path / "重さ" / "report.html").read_text("utf-8")
    done = vbkit(tmp_path, "ascii", "fit", "größe.csv", "--to", "x", "--labels", "ä")
    assert (
        done.returncode == 2 and b"no column '\\xe4'; it has 'us\\xe9r'" in done.stderr
    )
    (tmp_path / "r.csv").write_text(LOVE, "utf-8")
    done = vbkit(
        tmp_path, "cp1252", "ratings", "r.csv", "--repeated", "last", "--sweeps", "5"
    )
    assert done.returncode == 0


@pytest.mark.long
def test_file_names_that_are_not_utf_8(tmp_path):
    name = b"gr\xf6\xdfe.csv"
    with open(os.path.join(os.fsencode(tmp_path), name), "w") as file:
        file.write("a,b\n" + ROWS)
    for to in (b"to", b"\xfcber"):
        done = vbkit(tmp_path, "utf-8", "fit", name, "--to", to)
        assert (done.returncode, done.stderr) == (0, b"")
        page = os.path.join(os.fsencode(tmp_path), to, b"report.html")
        with open(page, encoding="utf-8") as file:
            assert "Groups in gr\ufffd\ufffde.csv" in file.read()
    done = vbkit(tmp_path, "utf-8", "apply", "to/model.npz", name, "--to", b"\xe4")
    assert (done.returncode, done.stderr) == (0, b"")
    done = vbkit(tmp_path, "utf-8", "fit", b"\xff.csv", "--to", "other")
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1
    with open(os.path.join(os.fsencode(tmp_path), b"r\xff.csv"), "w") as file:
        file.write("u,i,1\nu,j,2\nv,i,3\nv,j,4\nw,i,5\n")
    done = vbkit(tmp_path, "utf-8", "ratings", b"r\xff.csv", "--out", b"o\xff.csv")
    assert (done.returncode, done.stderr) == (0, b"")
    bad = os.path.join(os.fsencode(tmp_path), b"\xff.parquet")
    with open(bad, "wb") as file:
        file.write(b"PAR1 and no more")
    done = vbkit(tmp_path, "utf-8", "fit", b"\xff.parquet", "--to", "other")
    assert done.returncode == 2 and b"is not a Parquet file" in done.stderr
