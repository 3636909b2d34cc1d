"""Every command for data of one's own that the package's README shows runs as it stands there."""

import re
import shlex

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
    rows = sequences().astype(str)
    when = [f"{3 + n // 60:02d}.05.2024 06:{n % 60:02d}" for n in range(120)]
    recording = np.repeat(["tuesday", "monday"], 60)
    write("my-new-river.csv", "when,level,heat,mud", np.column_stack([when, rows]))
    write("my-sensor.csv", "a,b,c", rows)
    seconds = [f"{n % 60}" for n in range(120)]
    wrist = np.column_stack([recording, seconds, rows])
    write("my-wrist.csv", "recording,seconds,a,b,c", wrist)
    rows[10, 1] = ""
    write("my-river.csv", "when,level,heat,mud", np.column_stack([when, rows]))
    write("my-train.csv", "userId,movieId,rating", ratings(0))
    write("my-test.csv", "userId,movieId,rating", ratings(1))
    diary = [("film", "x", *row) for row in ratings(0)]
    diary.append(diary[0])
    rows = [(row[3], row[0], row[4], row[2]) for row in diary]
    write("my-diary.csv", "film,note,stars,who", rows)
    return folder


def sequences():
    """Three columns of 120 rows in two states that last for 20 rows each."""
    rng = np.random.default_rng(0)
    state = np.repeat([0, 1] * 3, 20)
    return rng.normal(8 * state[:, None], 1, (120, 3)).round(2)


def test_the_example_of_a_sequence_finds_its_states(files, monkeypatch):
    (code,) = (block for block in PYTHON if "VariationalHMM" in block)
    assert len(code.strip().splitlines()) <= 8
    monkeypatch.chdir(files)
    names = {}
    exec(code, names)
    assert names["table"].times["when"][0] == "03.05.2024 06:00"
    assert names["lengths"].tolist() == [59, 60]  # a row has an empty cell
    changes = np.flatnonzero(np.diff(names["states"])) + 1
    assert changes.tolist() == [19, 39, 59, 79, 99]


def test_hidden_states_are_named_before_the_first_details():
    outputs, opening = SECTION.split("\n\n")[3:5]
    assert outputs.startswith("It writes")
    assert "--sequences" in opening and "follow one another" in opening


def test_there_are_commands():
    assert len(COMMANDS) == 12
    assert {command.split()[0] for command in COMMANDS} == {"fit", "apply", "ratings"}


def test_the_commands_run_one_after_another(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    for command in COMMANDS:
        assert main(shlex.split(command)) == 0, (command, capsys.readouterr().err)
    assert (files / "my-groups" / "report.html").exists()
    assert (files / "my-new-groups" / "labels.csv").exists()
    for states in ("my-river-states", "my-wrist-states", "my-new-states"):
        assert (files / states / "stays.csv").exists()
    stays = (files / "my-wrist-states" / "stays.csv").read_text().splitlines()
    assert "first seconds,last seconds" in stays[0] and len(stays) == 1 + 6
    assert (files / "my-predictions.csv").exists() and (
        files / "my-missing.csv"
    ).exists()
