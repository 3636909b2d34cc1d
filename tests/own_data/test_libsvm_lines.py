"""Lines of libsvm are told as what they are, with the Python that makes a table of them."""

import re

import pytest

from vbkit.own_data import read_ratings
from vbkit.own_data.table import read_table

FILES = {
    "two lines": "1 1:0.5 3:2.1\n-1 2:1\n",
    "all columns": "".join(f"{n % 2} 1:{n} 2:-{n}.5e-3\n" for n in range(20)),
    "a comment, and a line without a value": "# made\n+1 1:2 7:.5 # one\n-1\n1 2:3\n",
    "queries of svmlight": "3 qid:1 1:1 2:0.5\n1 qid:1 2:7\n2 qid:2 1:3\n",
    "several labels": "1,3 2:0.5\n2 1:1\n",
}


def written(tmp_path, text):
    path = tmp_path / "file.svm"
    path.write_text(text)
    return path


@pytest.mark.parametrize("read", [read_table, read_ratings])
@pytest.mark.parametrize("kind", FILES)
def test_lines_of_libsvm_are_told(kind, read, tmp_path):
    with pytest.raises(ValueError) as error:
        read(written(tmp_path, FILES[kind]))
    said = str(error.value)
    assert "as libsvm (svmlight) writes" in said
    assert "\n" not in said


def test_the_python_that_is_advised_makes_a_table(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as error:
        read_table(written(tmp_path, FILES["two lines"]))
    first, second = re.findall(r"`(.*?)`", str(error.value))
    exec(f"import numpy, sklearn.datasets\n{first}\n{second}")
    table = read_table(tmp_path / "file-table.csv")
    assert [column.tolist() for column in table.cells.values()] == [
        [0.5, 0],
        [0, 1],
        [2.1, 0],
    ]


TABLES = {
    "times of day": "1 12:30 13:45\n2 12:31 13:50\n3 9:05 23:10\n",
    "a column of times": "a b\n" + "".join(f"{n} 1:{10 + n}\n" for n in range(20)),
    "words with colons": "1 x:3 y:4\n2 x:4 y:1\n1 x:3 y:1\n2 x:4 y:4\n",
    "ratings": "1 2:3 4\n2 2:3 5\n",
}


@pytest.mark.parametrize("kind", TABLES)
def test_other_colons_are_no_libsvm(kind, tmp_path):
    path = written(tmp_path, TABLES[kind])
    for read in (read_table, read_ratings):
        try:
            read(path)
        except ValueError as error:
            assert "libsvm" not in str(error)
