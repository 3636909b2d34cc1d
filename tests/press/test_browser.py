"""Every explorer in a real JupyterLab in Chromium: keys and the mouse move its first slider, and
the picture follows.

conftest.py says which browser. VBKIT_SCREENSHOTS=FOLDER keeps a picture of each notebook, wide and
narrow, for a human to look at."""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import numpy as np
import pytest
from conftest import RUN_ALL

from vbkit.course.catalogue import explorers
from vbkit.press import ROOT

pytestmark = pytest.mark.browser

PRESSES = 20
PATIENCE = 1  # seconds to wait for a picture that may stay as it is
TOKEN = secrets.token_hex()
# Seconds that a whole notebook, and one step, may take before the test gives up: far more
# than they need, because other work on the machine is no fault of the notebook.
RUN = 300
STEP = 20

DEMONSTRATION = """
import numpy as np
from vbkit import plots
from vbkit.course.controls import checkbox, dropdown, slider
from vbkit.course import Explorer

plots.use_style()

class Line(Explorer):
    "A line through the origin."

    title = "A line"
    slope = slider(
        "Slope of the line, a long name in many words", 0, 24, 2, form="{:g} to 1", play=100
    )
    sign = dropdown("Sign", ["+", "-"], "+")
    grid = checkbox("Show nothing more")

    def compute(self, slope, sign, grid):
        if slope == 24:
            raise ValueError("too steep")
        return {"-": -1, "+": 1}[sign] * slope * np.linspace(0, 1, 50)

    def frame(self, figure):
        ax = figure.subplots()
        ax.set(xlim=(0, 1), ylim=(-25, 25), xlabel="x")
        return ax

    def draw(self, panels, line, now):
        panels[0].line(np.linspace(0, 1, 50), line)

    def say(self, line, now):
        return f"the line ends at {line[-1]:.0f}"

Line()
"""


COMPANIONS = {}  # the classes of explorers, by lecture
for explorer in explorers():
    companion, maker = explorer.split(".")
    COMPANIONS.setdefault(companion, []).append(maker)


def cells_of(companion):
    """The style, the companion, and a cell for each of its explorers, as in its chapter."""
    first = f"from vbkit import plots\nfrom vbkit.course import {companion} as chapter"
    sources = [f"{first}\n\nplots.use_style()"]
    sources += [f"chapter.{maker}()" for maker in COMPANIONS[companion]]
    return [nbformat.v4.new_code_cell(source) for source in sources]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """For each companion a notebook of its explorers, and one with every kind of control."""
    folder = tmp_path_factory.mktemp("lab")
    text = nbformat.v4.new_markdown_cell
    demonstration = [text("Before"), nbformat.v4.new_code_cell(DEMONSTRATION)]
    demonstration.append(text("After"))
    companions = {name: cells_of(name) for name in COMPANIONS}
    for name, cells in (companions | {"demonstration": demonstration}).items():
        notebook = nbformat.v4.new_notebook(cells=cells)
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook.metadata.kernelspec = spec
        path = folder / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
    return folder


@pytest.fixture(scope="module")
def chapter(folder):
    """The address of a JupyterLab of this very interpreter that reads no settings but its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))
    }
    environment |= {
        f"JUPYTER_{kind}_DIR": str(folder / kind.lower())
        for kind in ("CONFIG", "DATA", "RUNTIME")
    } | {
        f"JUPYTERLAB_{kind}_DIR": str(folder / kind.lower())
        for kind in ("SETTINGS", "WORKSPACES")
    }
    environment |= {
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    write_settings(folder / "settings" / "@jupyterlab")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--allow-root",
        "--no-browser",
        "--ip=127.0.0.1",
    ]
    command += [
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
    ]
    command += [
        "--LabApp.expose_app_in_browser=True",
        f"--ServerApp.root_dir={folder / 'notebooks'}",
    ]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait(
            lambda: answers(address, server),
            60,
            lambda: (folder / "log").read_text()[-2000:],
        )
        yield address
    finally:
        with contextlib.suppress(OSError):
            shut_kernels(address)
        for stop in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(server.pid, stop)
                server.wait(10)


def write_settings(folder):
    """No questions to the reader, and every cell in the page, also those out of sight."""
    settings = {
        "apputils-extension/notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        },
        "notebook-extension/tracker": {"windowingMode": "none", "scrollPastEnd": False},
        "docmanager-extension/plugin": {"autosave": False},
    }
    for name, content in settings.items():
        path = folder / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))


def answers(address, server):
    if server.poll() is not None:
        raise RuntimeError(f"JupyterLab ended with code {server.returncode}")
    with contextlib.suppress(OSError):
        return ask(f"{address}/api/status")


def shut_kernels(address):
    for session in json.loads(ask(f"{address}/api/sessions")):
        ask(f"{address}/api/sessions/{session['id']}", method="DELETE")


def ask(address, method="GET"):
    request = urllib.request.Request(
        address, method=method, headers={"Authorization": f"token {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=20) as reply:
        return reply.read()


def wait(condition, seconds, say):
    """Wait until the condition is true, asking ten times a second; fail with what `say()` says."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"waited {seconds} s: {say()}"
        time.sleep(0.1)
    return result


@pytest.fixture
def opened(chromium, chapter):
    """Opens a notebook and runs its cells, gives the page when done; kernel and page end with the
    test."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(30_000)

    def run(name, without=None):
        if without:
            page.route(without, lambda route: route.abort())
        page.goto(
            f"{chapter}/doc/tree/{name}.ipynb?reset&token={TOKEN}",
            wait_until="domcontentloaded",
            timeout=60_000,
        )
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext",
            timeout=60_000,
        )
        page.evaluate(RUN_ALL)
        ran = wait(
            lambda: page.evaluate("() => window.ran"),
            RUN,
            lambda: f"{name} did not run to its end",
        )
        assert ran == "all", f"{name}: {ran} {outputs(page)}"
        page.wait_for_selector(".jp-CodeCell .noUi-handle", state="attached")
        return page

    yield run
    context.close()
    shut_kernels(chapter)


def outputs(page):
    """The error outputs on the page, as text."""
    return page.locator(
        "[data-mime-type='application/vnd.jupyter.error']"
    ).all_inner_texts()


def check_no_errors(page):
    assert not outputs(page)
    assert not page.get_by_text("Error displaying widget").count()
    assert not page.locator(".widget-html [role=alert]").all_inner_texts()


# The explorer that a handle belongs to is the smallest box around it that holds a picture. Time
# runs from the key to the moment when the browser has decoded the new picture.
WATCH = """handle => {
    let box = handle;
    while (!box.querySelector("img.widget-image")) box = box.parentElement;
    const watched = window.watched = {times: [], start: 0, box};
    document.addEventListener("keydown", () => { watched.start = performance.now() }, true);
    box.querySelector("img.widget-image").addEventListener(
        "load", () => watched.times.push(performance.now() - watched.start));
    handle.scrollIntoView({block: "center"});
}"""
READING = "() => window.watched.box.querySelector('[role=status]').textContent"
COUNT = "() => window.watched.times.length"
TRACK = "handle => handle.closest('.noUi-target').getBoundingClientRect().toJSON()"
AT_END = """handle => ["max", "min"].map(
    end => handle.getAttribute("aria-valuenow") === handle.getAttribute("aria-value" + end))"""


def pictured(page, action, what):
    """Do something that shall give a new picture, and wait for that."""
    before = page.evaluate(COUNT)
    action()
    wait(
        lambda: page.evaluate(COUNT) > before,
        STEP,
        lambda: f"{what}: the picture did not change",
    )


def says(page, text):
    """Wait until the line beneath the picture reads so."""
    wait(lambda: page.evaluate(READING) == text, STEP, lambda: page.evaluate(READING))


SCROLLER = "document.querySelector('.jp-WindowedPanel-outer')"


def shoot(page, name):
    """Screenshots of the whole notebook, wide and narrow, where VBKIT_SCREENSHOTS names a
    folder."""
    if not (folder := os.environ.get("VBKIT_SCREENSHOTS")):
        return
    stem = Path(folder) / name.replace("/", "-")
    for kind, width in (("wide", 1400), ("narrow", 480)):
        page.set_viewport_size({"width": width, "height": 300})
        page.wait_for_timeout(500)
        height = page.evaluate(f"() => {SCROLLER}.scrollHeight")
        page.set_viewport_size({"width": width, "height": min(height + 150, 3000)})
        page.wait_for_timeout(500)
        step = page.evaluate(f"() => {SCROLLER}.clientHeight")
        for part, top in enumerate(range(0, height, step), 1):
            page.evaluate(f"() => {SCROLLER}.scrollTo(0, {top})")
            page.wait_for_timeout(300)
            page.screenshot(path=f"{stem}-{kind}-{part}.png", timeout=60_000)


@pytest.mark.parametrize("name", ["demonstration", *COMPANIONS])
def test_the_first_slider_of_each_explorer_moves_the_picture(
    opened, name, record_property
):
    page = opened(name)
    check_no_errors(page)
    pictures = page.locator(".jp-CodeCell:has(img.widget-image)")
    makers = COMPANIONS.get(name, ["line"])
    assert pictures.count() == len(makers)
    for place, maker in enumerate(makers):
        handle = pictures.nth(place).locator(".noUi-handle").first
        handle.evaluate(WATCH)
        press(page, handle, f"{name}.{maker}")
        times = np.array(page.evaluate("() => window.watched.times"))
        middle, slow = np.percentile(times, [50, 95])
        rate = drag(page, handle)
        print(
            f"{name}.{maker}: {middle:.0f} ms (median), {slow:.0f} ms (95th percentile of"
        )
        print(
            f"    {len(times)}) from key to picture; {rate:.0f} pictures a second while dragged"
        )
        record_property(f"{maker}_ms_p95", round(slow))
        record_property(f"{maker}_pictures_per_second", round(rate))
        assert slow < 2000
    check_no_errors(page)
    shoot(page, name)


def press(page, handle, what):
    """Move a slider by keys, back from its ends; the pictures follow. (Neighbouring positions may
    have the same picture, which is then not sent again.)"""
    handle.focus()
    key, readings = "ArrowRight", {page.evaluate(READING)}
    for number in range(PRESSES):
        at_top, at_bottom = handle.evaluate(AT_END)
        key = "ArrowLeft" if at_top else "ArrowRight" if at_bottom else key
        before, place = page.evaluate(COUNT), handle.get_attribute("aria-valuenow")
        page.keyboard.press(key)
        words = f"{what}, press {number + 1} ({key}): the slider did not move"
        moved = lambda place=place: handle.get_attribute("aria-valuenow") != place  # noqa: E731
        wait(moved, STEP, lambda words=words: words)
        end = time.monotonic() + PATIENCE
        while page.evaluate(COUNT) == before and time.monotonic() < end:
            time.sleep(0.02)
        readings.add(page.evaluate(READING))
    assert page.evaluate(COUNT) >= PRESSES / 4 and len(readings) > 1, what


def drag(page, handle) -> float:
    """Pictures per second while a slider is dragged to and fro over its whole track."""
    place, track = handle.bounding_box(), handle.evaluate(TRACK)
    y = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + place["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(track["x"], y)
    before, began = page.evaluate(COUNT), time.monotonic()
    while (passed := time.monotonic() - began) < 2:
        page.mouse.move(track["x"] + track["width"] * (1 - np.cos(6 * passed)) / 2, y)
    pictures = page.evaluate(COUNT) - before
    page.mouse.up()
    return pictures / (time.monotonic() - began)


SELECTED = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
ROLES = ("group", "slider", "button", "combobox", "checkbox", "image", "status")
VALUE_TEXT = "handle => handle.getAttribute('aria-valuetext')"


def heard(page):
    """What Chromium tells a screen reader of the explorer: role, name and value of each part.

    Its account for developers gives a slider's number, so the text that is read in the place of
    the number comes from the page.
    """
    session = page.context.new_cdp_session(page)
    nodes = {}
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        nodes[node["nodeId"]] = node
    texts = iter(
        page.locator(".noUi-handle").evaluate_all(f"all => all.map({VALUE_TEXT})")
    )
    waiting = [node for node in nodes.values() if said(node, "name") == "A line"]
    parts = []
    while waiting:
        node = waiting.pop(0)
        waiting = [nodes[child] for child in node["childIds"]] + waiting
        role, name, value = (said(node, part) for part in ("role", "name", "value"))
        if role == "slider":
            value = next(texts)
        if role in ROLES:
            parts.append((role, name, value))
    return parts


def said(node, part):
    return node.get(part, {}).get("value")


SLOPE = "Slope of the line, a long name in many words"


def test_a_screen_reader_finds_names_and_values(opened):
    page = opened("demonstration")
    page.get_by_role("slider", name=SLOPE).wait_for()
    assert heard(page) == [
        ("group", "A line", None),
        ("button", f"Play: {SLOPE}", None),
        ("button", f"Stop: {SLOPE}", None),
        ("slider", SLOPE, "2 to 1"),
        ("combobox", "Sign", "+"),
        ("checkbox", "Show nothing more", None),
        ("button", "Reset", None),
        ("image", "A line through the origin.", None),
        ("status", "", None),
    ]
    play = page.get_by_role("button", name=f"Play: {SLOPE}")
    play.click()
    pause = page.get_by_role("button", name=f"Pause: {SLOPE}")
    pause.click()
    play.wait_for()


def test_keys_on_a_slider_or_a_menu_move_that_and_nothing_else(opened):
    page = opened("demonstration")
    handle = page.get_by_role("slider", name=SLOPE)
    handle.evaluate(WATCH)
    handle.focus()
    selected = page.evaluate(SELECTED)
    cells = page.evaluate(CELLS)
    for key, text in {
        "ArrowRight": "3 to 1",
        "ArrowUp": "4 to 1",
        "ArrowDown": "3 to 1",
        "ArrowLeft": "2 to 1",
        "PageUp": "7 to 1",
        "PageDown": "2 to 1",
        "Home": "0 to 1",
    }.items():
        pictured(page, lambda key=key: page.keyboard.press(key), key)
        assert ("slider", SLOPE, text) in heard(page)
        says(page, f"the line ends at {text.split()[0]}")
    page.get_by_label("Sign").focus()
    page.keyboard.press("b")  # elsewhere in a notebook, this makes a new cell
    page.get_by_label("Sign").press("ArrowDown")
    assert page.evaluate(SELECTED) == selected
    assert page.evaluate(CELLS) == cells
    handle.focus()
    page.keyboard.press("b")  # no key of a slider: it is JupyterLab's
    wait(lambda: page.evaluate(CELLS) == cells + 1, STEP, lambda: "no new cell")


def test_without_the_extension_an_explorer_works_and_shows_no_error(opened):
    page = opened("demonstration", without="**/lab/extensions/anywidget/**")
    handle = page.locator(".noUi-handle").first
    assert not handle.get_attribute("aria-label")
    handle.evaluate(WATCH)
    handle.focus()
    pictured(page, lambda: page.keyboard.press("ArrowRight"), "slider")
    says(page, "the line ends at 3")
    check_no_errors(page)


def test_the_server_sends_messages_without_delay(chapter, folder):
    assert (
        "vbkit.press.server | extension was successfully loaded"
        in (folder / "log").read_text()
    )


def test_a_saved_copy_shows_its_pictures_without_a_kernel(opened, chapter, folder):
    page = opened("demonstration")
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    copy = folder / "notebooks" / "demonstration.ipynb"
    wait(
        lambda: "image/png" in copy.read_text(),
        30,
        lambda: "the notebook was not saved",
    )
    assert "widget-view" not in copy.read_text()
    page.goto("about:blank")
    shut_kernels(chapter)
    page.goto(f"{chapter}/doc/tree/demonstration.ipynb?reset&token={TOKEN}")
    page.locator(".jp-OutputArea-output img").first.wait_for(timeout=60_000)
    check_no_errors(page)


def test_every_kind_of_control(opened):
    page = opened("demonstration")
    handle = page.locator(".noUi-handle").first
    handle.evaluate(WATCH)
    handle.focus()
    alert = page.locator(".widget-html [role=alert]")
    pictured(page, lambda: page.keyboard.press("ArrowRight"), "slider")
    says(page, "the line ends at 3")
    menu = page.get_by_label("Sign")
    menu.focus()
    pictured(page, lambda: page.keyboard.press("-"), "menu")
    says(page, "the line ends at -3")
    handle.focus()
    page.keyboard.press("End")
    alert.wait_for()
    error = f"ValueError: too steep (at {SLOPE}: 24 to 1; Sign: -"
    assert error in alert.inner_text()
    says(page, "the line ends at -3")
    pictured(page, lambda: page.keyboard.press("ArrowLeft"), "after the error")
    alert.wait_for(state="detached")
    reset = page.get_by_role("button", name="Reset")
    reset.focus()
    pictured(page, lambda: page.keyboard.press("Enter"), "reset")
    says(page, "the line ends at 2")
    play = page.locator(".widget-play button").first
    play.focus()
    pictured(page, lambda: page.keyboard.press("Enter"), "play")
    page.wait_for_timeout(300)
    reset.click()
    says(page, "the line ends at 2")
    check_no_errors(page)


CUT = """() => [...window.watched.box.querySelectorAll("*")].filter(
    e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible"
        && !getComputedStyle(e).clipPath.includes("inset")
).map(e => e.outerHTML)"""
WIDTHS = """() => ["img.widget-image", ".widget-slider"].map(
    part => window.watched.box.querySelector(part).getBoundingClientRect().width)"""


def test_nothing_is_cut_in_a_narrow_window(opened):
    page = opened("demonstration")
    page.locator(".noUi-handle").first.evaluate(WATCH)
    for width in (1400, 700, 400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert not page.evaluate(CUT), width
        assert all(0 < part < width for part in page.evaluate(WIDTHS))
        assert page.locator(".noUi-base").first.bounding_box()["width"] > 60
