"""Every command for data of one's own that the package's README shows runs as it stands there."""

import csv
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from vbkit.__main__ import main
from vbkit.press import ROOT

TEXT = (ROOT / "vbkit" / "README.md").read_text("utf-8")
SECTION = TEXT.split("## Data of your own")[1].split("\n## ")[0]
PYTHON = re.findall(r"```python\n(.*?)```", SECTION, re.S)
COMMANDS = re.findall(r"^python -m vbkit (.*)$", SECTION, re.M)


def numbers(size=24):
    rng = np.random.default_rng(0)
    centres = 20 * (np.arange(size) % 2)
    return rng.normal(centres[:, None], 1, (size, 3)).round(3)


def ratings(shift):
    pairs = [(u, i) for u in range(8) for i in range(6) if (u + i) % 4 != shift]
    return [(f"u{u}", f"i{i}", 1 + (u + 2 * i + u * i) % 5) for u, i in pairs]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the commands name."""
    folder = tmp_path_factory.mktemp("files")

    def write(name, header, rows):
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n")

    X = numbers()
    write("my.csv", "a,b,c", X)
    write("my-new-rows.csv", "c,a,b", X[:5, [2, 0, 1]])
    gaps = X.astype(str)
    gaps[::5, 2] = "?"
    write("my-survey.csv", 'age,size,"income, net"', gaps)
    words = [["NA", "FR", "DE"][n % 3] for n in range(24)]
    write("my-countries.csv", "country,plan", zip(words, "xyxx" * 6, strict=True))
    write("my-train.csv", "userId,movieId,rating", ratings(0))
    write("my-test.csv", "userId,movieId,rating", ratings(1))
    diary = [("film", "x", *row) for row in ratings(0)]
    diary.append(diary[0])
    rows = [(row[3], row[0], row[4], row[2]) for row in diary]
    write("my-diary.csv", "film,note,stars,who", rows)
    return folder


DAYS = {  # as they may be written; sorted as text, or as numbers, they come in another order
    "text": ["30.05.2024", "31.05.2024", "01.06.2024"],
    "numbers": ["30", "31", "1"],
}


@pytest.mark.parametrize("days", DAYS.values(), ids=DAYS)
def test_the_example_of_a_sequence_finds_when_states_change(
    tmp_path, monkeypatch, capsys, days
):
    (code,) = (block for block in PYTHON if "VariationalHMM" in block)
    rng = np.random.default_rng(0)
    lines = ["day;time;current;temperature"]
    switched = []
    for place, day in enumerate(days):
        state = np.repeat([0, 1, 0], [20, 10 + 5 * place, 20 - 4 * place])
        ends = [0, 20, 30 + 5 * place]
        switched += [(day, f"06:{minute:02d}") for minute in ends]
        rows = rng.normal([1.0, 20.0], 0.3, (len(state), 2)) + 5 * state[:, None]
        for n, row in enumerate(rows.round(2).astype(str)):  # a row a minute
            clock = f"06:{n:02d}"
            cells = ["" if n == 10 else row[0], row[1]]
            lines.append(";".join([day, clock, *cells]))
    (tmp_path / "my-motor.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    found = [*csv.DictReader(Path("my-states.csv").open())]
    assert [(row["day"], row["time"]) for row in found] == switched
    states = [row["state"] for row in found]
    assert states[0] != states[1] and states == [states[0], states[1], states[0]] * 3
    assert all(0.9 < float(row["sure"]) <= 1 for row in found)
    assert "mean of each state" in capsys.readouterr().out


def test_hidden_states_are_named_before_the_first_details():
    opening = SECTION.split("**Ratings.**")[0]
    assert "VariationalHMM" in opening and "follow one another" in opening


def test_there_are_commands():
    assert len(COMMANDS) == 8
    assert {command.split()[0] for command in COMMANDS} == {"fit", "apply", "ratings"}


def test_the_commands_run_one_after_another(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    for command in COMMANDS:
        assert main(shlex.split(command)) == 0, (command, capsys.readouterr().err)
    assert (files / "my-groups" / "report.html").exists()
    assert (files / "my-new-groups" / "labels.csv").exists()
    assert (files / "my-predictions.csv").exists() and (
        files / "my-missing.csv"
    ).exists()
