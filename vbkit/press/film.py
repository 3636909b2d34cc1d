"""A picture that moves: an explorer of a finished book, a slider moved from end to end.

python -m vbkit.press.film BOOK FILE makes the one at the top of the README, a GIF.
"""

import argparse
import io
import shutil
import sys
from pathlib import Path

from PIL import Image

from vbkit.press import UsageError

EXPLORER = "start_here.play_the_sweeps"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH = 800  # pixels
STEP, REST = 400, 3000  # milliseconds: of a frame, and of the first and the last one
STILL = 3  # frames at the end in which nothing happens any more
COLOURS = 64
ROOM = """main { padding: 12px; } figure { margin: 0; }
.live { font-size: 17px; } .live .reading { min-height: 0; }
.live .note, main > .note, .live .controls > button { display: none; }"""
MOVE = """(slider, place) => {
    slider.value = place;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
}"""


def film(book: Path, file: Path, explorer: str = EXPLORER) -> float:
    """Write a GIF of an explorer whose first slider moves from end to end; return its size in MB.

    book: a folder that `book` made; explorer: "companion.function". Raises UsageError where the
    book has no such explorer, or there is no browser to open it.
    """
    page = book / "explorers" / f"{explorer}.html"
    if not page.is_file():
        raise UsageError(
            f"{book} has no recording of {explorer}: make a book, without --still"
        )
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in _frames(page)]
    fixed = {"palette": _palette(pictures), "dither": Image.Dither.NONE}
    frames = [picture.quantize(**fixed) for picture in pictures]
    lasting = [REST, *[STEP] * (len(frames) - 2), REST]
    made, more = (
        io.BytesIO(),
        {"append_images": frames[1:], "duration": lasting, "loop": 0},
    )
    frames[0].save(made, "GIF", save_all=True, optimize=True, **more)
    try:
        file.write_bytes(made.getvalue())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    return made.tell() / 1e6


def _frames(page: Path) -> list[bytes]:
    """What the page of an explorer shows at each position of its first slider."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise UsageError(
            f"a film needs a browser: none of {', '.join(BROWSERS)} is installed"
        )
    from playwright.sync_api import (
        sync_playwright,
    )  # here, since no other command needs it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        sheet = browser.new_page(
            viewport={"width": WIDTH, "height": WIDTH}, color_scheme="light"
        )
        sheet.goto(page.resolve().as_uri())
        sheet.add_style_tag(content=ROOM)
        live = sheet.locator('figure[data-explorer="live"] .live')
        slider = live.locator('input[type="range"]').first
        slider.evaluate(MOVE, 0)
        box = {"x": 0, "y": 0, "width": WIDTH}
        box["height"] = round(sheet.locator("main").bounding_box()["height"])
        shots, lines = [], []
        for place in range(int(slider.get_attribute("max")) + 1):
            slider.evaluate(MOVE, place)
            shots.append(sheet.screenshot(clip=box))
            lines.append(live.locator(".reading").inner_text())
        browser.close()
    return shots[: lines.index(lines[-1]) + STILL]


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """Colours for all pictures together: those of the first and the last one."""
    width, height = pictures[0].size
    both = Image.new("RGB", (width, 2 * height))
    both.paste(pictures[0], (0, 0))
    both.paste(pictures[-1], (0, height))
    return both.quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("book", type=Path, help="a folder that the command book made")
    words.add_argument("file", type=Path, help="the GIF to write")
    try:
        print(f"{film(**vars(words.parse_args())):.2f} MB")
    except UsageError as problem:
        sys.exit(f"error: {problem}")
