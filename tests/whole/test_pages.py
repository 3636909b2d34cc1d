"""The front page and the pages of the folders: their words, links, counts and commands."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from vbkit.__main__ import parser
from vbkit.own_data import load_model
from vbkit.press import ROOT, ledger
from vbkit.press.ledger import pages
from vbkit.press.selection import kind, notebooks

PAGES = ["README.md", *(f"{room}/README.md" for room in ("notebooks", "figures"))]
PAGES += ["vbkit/README.md", "tests/README.md"]
LINK = re.compile(r"\]\((?!http)([^)#]+)\)")
FRONT = (ROOT / "README.md").read_text()
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)


def test_the_front_page_is_read_in_three_minutes():
    words = re.sub(r"!\[[^]]*\]|\]\([^)]*\)|[|·#*`-]", " ", FRONT).split()
    assert len(words) <= 1_100
    gif = FRONT.index("![Eight bolts")
    assert len(FRONT[:gif].split()) <= 60  # the moving picture is on the first screen


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_what_there_is(page):
    text = (ROOT / page).read_text()
    for target in LINK.findall(text):
        assert ((ROOT / page).parent / target).exists(), target
    assert not re.findall(r"!\[\s*\]", text)  # every picture has words


def test_the_front_page_leads_to_every_lecture():
    links = set(LINK.findall(FRONT))
    for name, path in notebooks(ROOT).items():
        assert "/" in name or str(path.relative_to(ROOT)) in links, name


def test_the_front_page_counts_as_the_ledger_does():
    rows = ledger.table(ROOT / "figures" / "ledger.json")
    assert ledger.headline(rows) in " ".join(FRONT.split())


def test_the_syllabus_has_the_titles_and_minutes_of_the_lectures():
    page = (ROOT / "notebooks" / "README.md").read_text()
    for name, path in notebooks(ROOT).items():
        if kind(name) == "chapter":
            first = "".join(json.loads(path.read_text())["cells"][0]["source"])
            title = first.split("\n")[0].removeprefix("# ")
            minutes = re.search(r"About (\d+) minutes", first)[1]
            number = name.split("_")[0]
            row = rf"\| \*?\[{number} {re.escape(title)}\]\({name}\.ipynb\)\*? \| {minutes} \|"
            assert re.search(row, page), (name, title, minutes)


def commands() -> list[str]:
    """Return every command of the package that a page shows, without its comment."""
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text()
        lines = "\n".join(SHELL.findall(text)).splitlines()
        lines += re.findall(r"`(python -m vbkit [^`]*)`", text)
        for line in lines:
            last = line.split("&&")[-1].split("#")[0].strip()
            if last.startswith("python -m vbkit "):
                found.append(last)
    return sorted(set(found))


@pytest.mark.parametrize("command", commands())
def test_commands_are_understood(command):
    words = [word.replace("NAME", "05") for word in shlex.split(command)[3:]]
    options = vars(parser().parse_args(words))
    for name in options.get("names") or []:
        assert any(name in full for full in notebooks(ROOT)), name
    # raises an error for a claim that there is not
    pages.named(ledger.table(ROOT / "figures/ledger.json"), options.get("claims") or [])


def test_the_two_commands_set_themselves_up():
    environment = "python3 -m venv .venv && . .venv/bin/activate && "
    environment += "pip install -r requirements.txt && "
    for command in ("python -m vbkit reproduce", "python -m pytest"):
        assert f"```sh\n{environment}{command}\n```" in FRONT


def test_the_example_with_missing_cells():
    page = (ROOT / "vbkit" / "README.md").read_text()
    code = re.search(r"```python\n(import pandas.*?)```", page, re.DOTALL)[1]
    names = {}
    exec(code, names)
    people = names["people"]
    told = names["model"].predict(people)
    tall = people["height"].fillna(160) > 170
    assert (told == told[3]).tolist() == tall.tolist()
    assert names["model"].categories_[2] == ["coffee", "tea", "water"]


def test_the_example_with_wine(tmp_path, monkeypatch):
    page = (ROOT / "vbkit" / "README.md").read_text()
    code = re.search(r"```python\n(from sklearn.*?)```", page, re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    again = load_model("my-wine.npz")
    assert again.n_components_ == names["model"].n_components_


@pytest.mark.parametrize("tool", ["kills", "mutation", "processors"])
def test_the_tools_of_the_tests_start_by_themselves(tool):
    """Outside pytest, which finds modules that a plain Python does not."""
    page = (ROOT / "tests" / "README.md").read_text()
    assert f"`python -m tests.{tool}" in page
    command = [sys.executable, "-m", f"tests.{tool}", "--help"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
