"""Zero bytes in a text: a damaged file is told by its line, and UTF-16 without a mark is read."""

import subprocess
import sys

import numpy as np
import pytest

from vbkit.own_data import read_ratings
from vbkit.own_data.table import read_table

TABLE = "größe,b\n" + "".join(f"{n}.5,{n % 3}\n" for n in range(40))
RATINGS = "user,item,rating\n7,30,4\n8,30,2.5\n7,40,5\n"


def written(tmp_path, content):
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    return path


def refusal(read, path):
    with pytest.raises(ValueError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("line", [1, 2, 17, 41])
def test_a_zero_byte_is_told_by_its_line(line, line_end, tmp_path):
    lines = TABLE.splitlines()
    lines[line - 1] = lines[line - 1][:3] + "\0\0" + lines[line - 1][3:]
    path = written(tmp_path, line_end.join(lines).encode())
    assert refusal(read_table, path) == (
        f"file.csv, line {line}: a zero byte stands behind {lines[line - 1][:3]!r}, and no "
        "text holds one: the file is damaged there (copy it again, or take this line out), "
        "or it is no text"
    )


def test_a_zero_byte_far_below_is_told_by_its_line(tmp_path):
    content = b"a,b\r\n" + b"1.5,2.5\r\n" * 300_000 + b"1.5,\0\r\n"
    said = refusal(read_table, written(tmp_path, content))
    assert "file.csv, line 300002: a zero byte stands behind '1.5,'" in said


def test_a_block_of_zero_bytes_is_no_utf_16(tmp_path):
    content = TABLE.encode()
    content = content[:40] + bytes(120) + content[160:]
    assert "a zero byte stands behind" in refusal(
        read_table, written(tmp_path, content)
    )
    said = refusal(read_ratings, written(tmp_path, RATINGS.encode() + bytes(40)))
    assert "file.csv, line 5: a zero byte stands behind ''" in said


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_other_unicode_is_read_and_told(encoding, tmp_path):
    table = read_table(written(tmp_path, TABLE.encode(encoding)))
    assert table.cells["größe"].tolist() == [n + 0.5 for n in range(40)]
    shown = "UTF-32" if encoding == "utf-32" else "UTF-16"
    (note,) = [note for note in table.notes if shown in note]
    assert note.startswith(f"The file is read as {shown}")
    assert ("every second byte" in note) == (encoding != "utf-32")
    found = read_ratings(written(tmp_path, RATINGS.encode(encoding)))
    assert found.values.tolist() == [4, 2.5, 5]
    assert note in found.notes


def test_an_encoding_that_is_said_is_not_told(tmp_path):
    path = written(tmp_path, TABLE.encode("utf-16-le"))
    table = read_table(path, encoding="utf-16-le")
    assert np.isfinite(table.cells["b"]).all()
    assert not [note for note in table.notes if "UTF-16" in note]


def test_a_damaged_file_leaves_nothing_behind(tmp_path):
    path = written(tmp_path, TABLE.encode() + b"4\0,1\n")
    done = subprocess.run(
        [sys.executable, "-m", "vbkit", "fit", path, "--to", tmp_path / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "line 42: a zero byte" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["file.csv"]
