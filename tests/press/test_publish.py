"""What notebooks call: shown and published figures, stored studies; and how pictures are
compared."""

import base64
import io
import json
import math
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import picture, png
from matplotlib.figure import Figure
from PIL import Image

from vbkit.__main__ import main
from vbkit.plots import Picture
from vbkit.press import ROOT, UsageError, pictures
from vbkit.press import publish as published
from vbkit.press.publish import (
    agree,
    arrays_of,
    digest,
    on_file,
    publish,
    stored,
    takes_long,
)


def test_pictures_are_compared_by_size_and_rms():
    raw = [
        base64.b64decode(p)
        for p in (png(), png(254), png(spot=(0, 0, 3, 1)), png(size=(31, 20)))
    ]
    assert pictures.difference(raw[0], raw[0]) is None
    assert pictures.difference(raw[0], raw[1]) is None  # RMS 1
    assert re.search(
        "differs by 18.0 of 255", pictures.difference(raw[0], raw[2])
    )  # 3 of 600 pixels
    assert "31 x 20 pixels, stored 30 x 20" in pictures.difference(raw[0], raw[3])
    assert pictures.differences([picture()], []) == ["there are 0 pictures, stored 1"]


def figure():
    fig = Figure(figsize=(2, 1.5))
    fig.add_subplot().plot([0, 1], [0, 1])
    return fig


def test_a_shown_figure_is_opaque_and_always_the_same():
    shown = Picture(figure(), "A line\n  rising")
    assert (
        shown.png == Picture(figure(), "A line").png == Picture(shown.png, "A line").png
    )
    assert b"Software" not in shown.png
    image = Image.open(io.BytesIO(shown.png)).convert("RGBA")
    assert image.getpixel((0, 0)) == (255, 255, 255, 255)
    assert np.asarray(image)[..., 3].min() == 255
    data, metadata = shown._repr_mimebundle_()
    assert (
        data["text/plain"]
        == repr(shown)
        == metadata["image/png"]["alt"]
        == "A line rising"
    )
    assert base64.b64decode(data["image/png"]) == shown.png


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "figure 2"}, "name was 'figure 2'"),
        ({"name": "sato2000-2"}, "name was 'sato2000-2'"),
        ({"alt": " "}, "alt was ' '"),
        ({"arrays": {}}, "arrays must be a dict"),
        ({"arrays": {"x": [1.0]}}, r"arrays\['x'\] must be an ndarray"),
        ({"arrays": {"x": np.array([{}, None])}}, "not object"),
        ({"tolerance": {"y": 1e-3}}, r"tolerance\['y'\] was 0.001"),
        ({"tolerance": {"x": 0.0}}, r"tolerance\['x'\] was 0.0"),
    ],
)
def test_publish_refuses(change, message):
    good = {"name": "sato2000-fig2", "alt": "A line", "arrays": {"x": np.arange(3.0)}}
    asked = good | {"tolerance": None} | change
    with pytest.raises(ValueError, match=message):
        drawn = Picture(figure(), asked["alt"], asked["arrays"])
        publish(asked["name"], drawn, asked["tolerance"])


def test_publish_writes_only_while_recording(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.arange(3.0)
    drawn = Picture(figure(), "A line", {"x": x})
    publish("sato2000-fig2", drawn)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path / "record"))
    shown = publish("sato2000-fig2", drawn, tolerance={"x": 0.1})
    assert (tmp_path / "record" / "sato2000-fig2.png").read_bytes() == shown.png
    with np.load(tmp_path / "record" / "data" / "sato2000-fig2.npz") as arrays:
        np.testing.assert_array_equal(arrays["x"], x)
    entry = json.loads(
        (tmp_path / "record" / "fragments" / "figure-sato2000-fig2.json").read_text()
    )
    assert entry["sha256"] == {"x": digest(x)} and entry["tolerance"] == {"x": 0.1}
    assert (
        entry["source"] == "sato2000" and entry["versions"]["numpy"] == np.__version__
    )


def test_digest_tells_type_shape_and_numbers_apart():
    x = np.arange(6.0)
    variants = [x, x.astype("f4"), x.reshape(2, 3), x.reshape(3, 2), x + 1e-9]
    assert len({digest(variant) for variant in variants}) == len(variants)
    assert digest(x[::2]) == digest(x[::2].copy())


def study(job):
    return {
        "total": np.float64(job["seed"] * job["scale"]),
        "draws": np.arange(3) * job["seed"],
        "count": 3,
    }


JOBS = [{"seed": seed, "scale": 0.1} for seed in range(6)]


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder where a full run of the study is stored; its file."""
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path))
    monkeypatch.setenv("VBKIT_FIGURES", str(tmp_path))
    with ThreadPoolExecutor(2) as pool:
        stored("tiny", study, JOBS, profile="full", map=pool.map)
    monkeypatch.delenv("VBKIT_RECORD")
    return tmp_path / "data" / "tiny.json"


def test_a_study_comes_back_as_it_was_computed(shelf):
    ran = []

    def watched(job):
        ran.append(job)
        return study(job)

    results = stored("tiny", watched, JOBS, profile="paper", recheck=2)
    assert len(ran) == 2 and all(job in JOBS for job in ran)
    for result, fresh in zip(
        results, stored("tiny", study, JOBS, profile="full"), strict=True
    ):
        assert result["total"] == fresh["total"] and result["count"] == 3
        np.testing.assert_array_equal(result["draws"], fresh["draws"])
    with ThreadPoolExecutor(2) as pool:
        assert len(stored("tiny", study, JOBS, profile="quick", map=pool.map)) == 4
    with pytest.raises(TypeError):  # a map that is wrong is noticed without a full run
        stored("tiny", study, JOBS, profile="quick", map=lambda f, j: map(j, f))


def test_a_damaged_file_is_named(shelf, workbook, capsys):
    shelf.write_bytes(shelf.read_bytes()[:50])
    with pytest.raises(ValueError, match=r"tiny\.json is damaged"):
        stored("tiny", study, JOBS, profile="paper")
    (workbook / "figures" / "ledger.json").write_text("[{")
    assert main(["--root", str(workbook), "claims"]) == 2
    assert "ledger.json is damaged" in capsys.readouterr().err


def test_figures_beside_the_notebook_come_first(shelf, tmp_path, monkeypatch):
    monkeypatch.delenv("VBKIT_FIGURES")
    assert on_file("data/tiny.json") == ROOT / "figures/data/tiny.json"
    (tmp_path / "week" / "notebooks").mkdir(parents=True)
    (tmp_path / "week" / "figures").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path / "week" / "notebooks")
    assert len(stored("tiny", study, JOBS, profile="paper")) == 6


def test_a_long_result_is_not_told_in_full(shelf):
    changed = {"draws": np.arange(5000)}
    with pytest.raises(ArithmeticError, match="draws is now") as caught:
        stored("tiny", lambda job: study(job) | changed, JOBS, profile="paper")
    assert len(str(caught.value)) < 500


def test_a_study_that_no_longer_holds_is_noticed(shelf):
    def changed(**other):
        return stored(
            "tiny", lambda job: study(job) | other, JOBS, profile="paper", recheck=1
        )

    stored(
        "tiny",
        lambda job: study(job) | {"count": 3 + 1e-8},
        JOBS,
        profile="paper",
        recheck=6,
    )
    with pytest.raises(
        ArithmeticError,
        match=r"study tiny, job .*: total is now 9.0, stored .*--profile full",
    ):
        changed(total=9.0)
    with pytest.raises(ArithmeticError, match="draws is now"):
        changed(draws=np.arange(2))


def test_json_values_agree_by_kind():
    old = {
        "rate": 0.5,
        "counts": [10**7, 2],
        "nested": [[1.0, math.nan]],
        "word": "a",
        "none": None,
    }
    assert agree(old, old | {"rate": 0.5 + 1e-9, "nested": [[1, math.nan]]}, 1e-6)
    for change in (
        {"rate": 0.51},
        {"counts": [10**7 + 1, 2]},
        {"nested": [[1.0]]},
        {"none": 0.0},
        {"more": 1},
    ):
        assert not agree(old, old | change, 1e-6), change
    assert agree(
        {"epochs": [42]}, {"epochs": [43]}, 0.25
    )  # declared: another processor's count
    assert not agree({"epochs": [42]}, {"epochs": [60]}, 0.25)
    assert not agree({"found": True}, {"found": False}, 2.0)
    for size, same in ((9e-10, True), (2e-9, False)):  # what should be zero
        assert agree({"slopes": [0.0, size]}, {"slopes": [0.0, 0.0]}, 1e-6) == same
    assert agree({"slopes": [0.0, 2e-9]}, {"slopes": [0.0, 0.0]}, 1e-6, 3e-9)


def test_the_jobs_computed_again_follow_the_seed(shelf, monkeypatch):
    chosen = set()
    for seed in range(8):
        monkeypatch.setenv("VBKIT_RECHECK", str(seed))
        stored(
            "tiny",
            lambda job: chosen.add(job["seed"]) or study(job),
            JOBS,
            profile="paper",
            recheck=1,
        )
    assert len(chosen) > 2


def test_a_study_of_other_jobs_or_none_says_what_to_run(shelf, tmp_path, monkeypatch):
    with pytest.raises(
        UsageError, match="stored for other jobs .* reproduce NOTEBOOK --profile full"
    ):
        stored("tiny", study, JOBS[:-1], profile="paper")
    with pytest.raises(UsageError, match="no results of the study other"):
        stored("other", study, JOBS, profile="paper")
    monkeypatch.setattr("vbkit.press.publish.ROOT", tmp_path)
    with pytest.raises(UsageError, match="stored; they come with the whole workbook"):
        stored("other", study, JOBS, profile="paper")
    with pytest.raises(ValueError, match="jobs must be"):
        stored("tiny", study, [{"seed": (1, 2)}], profile="paper")
    with pytest.raises(ValueError, match="profile was 'fast'"):
        stored("tiny", study, JOBS, profile="fast")
    with pytest.raises(ValueError, match="the keys of the first"):
        stored("tiny", lambda job: {str(job["seed"] > 2): 1}, JOBS, profile="full")


def test_a_study_runs_on_dask(shelf):
    distributed = pytest.importorskip("dask.distributed")
    options = {
        "processes": False,
        "n_workers": 1,
        "threads_per_worker": 2,
        "dashboard_address": ":0",
    }
    with distributed.Client(**options) as client:
        results = stored(
            "tiny", study, JOBS, profile="full", map=client.get_executor().map
        )
    assert [result["total"] for result in results] == [
        study(job)["total"] for job in JOBS
    ]


# ---- arrays that are read in a browser, and checks that are left out there ----


def test_arrays_are_read_in_a_browser_alone_and_for_the_same_parameters(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("VBKIT_FIGURES", str(tmp_path))
    (tmp_path / "data").mkdir()
    np.savez(tmp_path / "data" / "tiny2000-fig1.npz", x=np.arange(3.0))
    (tmp_path / "manifest.json").write_text(
        json.dumps([{"figure": "tiny2000-fig1", "parameters": {"seed": 1}}])
    )
    asked = "tiny2000-fig1", lambda: {"x": "computed"}
    assert arrays_of(*asked, {"seed": 1}) == {"x": "computed"}
    monkeypatch.setattr(published, "IN_BROWSER", True)
    assert arrays_of(*asked, {"seed": 2}) == {"x": "computed"}
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(arrays_of(*asked, {"seed": 1})["x"], np.arange(3.0))
    assert "Not computed here" in capsys.readouterr().out
    (tmp_path / "data" / "tiny2000-fig1.npz").unlink()
    assert arrays_of(*asked, {"seed": 1}) == {"x": "computed"}


def test_a_long_check_is_left_out_in_a_browser_alone(monkeypatch, capsys):
    assert not takes_long("sixty runs") and not capsys.readouterr().out
    monkeypatch.setattr(published, "IN_BROWSER", True)
    assert takes_long("sixty runs")
    assert "Not computed here: sixty runs." in capsys.readouterr().out
