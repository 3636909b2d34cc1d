"""A dozen runs that are killed at random moments: see `python -m tests.kills -h`. And what that
tool itself has to notice."""

import io
import os

import pytest

pytest.importorskip("resource", reason="Windows limits no file sizes")

from tests import kills

OLD = {"figures": None, "figures/a.png": b"old", "figures/manifest.json": b"[1, 2]"}
NEW = {"figures": None, "figures/b.png": b"new", "figures/manifest.json": b"[3, 4]"}


@pytest.mark.broken
@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork")
def test_a_dozen_kills():
    table = io.StringIO()
    assert kills.report(12, seed=12, file=table) == 0, table.getvalue()


@pytest.mark.parametrize(
    "found", [OLD, NEW, NEW | OLD, OLD | {"figures/manifest.json": b"[3, 2]"}]
)
def test_old_and_new_files_are_whole(found):
    assert kills.damaged(found, OLD, NEW) == []


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("figures/a.png", b"ol", "a.png is neither"),
        ("figures/manifest.json", b"[1, 2", "manifest.json is neither"),
        ("figures/manifest.json", b"[1, 5]", "manifest.json is neither"),
        ("figures/a.png.1.new", b"", "a.png.1.new was left behind"),
    ],
)
def test_half_a_file_is_noticed(name, content, words):
    (problem,) = kills.damaged(OLD | {name: content}, OLD, NEW)
    assert words in problem


def test_a_file_that_is_gone_is_noticed():
    (problem,) = kills.damaged({"figures": None, "figures/a.png": b"old"}, OLD, NEW)
    assert problem == "figures/manifest.json is neither old nor new (none)"
