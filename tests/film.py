"""A picture that moves: an explorer of a finished book, a slider moved from end to end.

python tests/film.py BOOK FILE makes the one at the top of the README, a GIF. The
frames are taken in a browser, since they show the slider too.
"""

import argparse
import io
import shutil
import sys
from pathlib import Path

from PIL import Image

from vbkit.press import UsageError

EXPLORER = "lecture_00a.PlayTheSweeps"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH = 800  # pixels
STEP = 400  # milliseconds that a frame lasts
REST = 3000  # milliseconds that the first and the last frame last
STILL = 3  # frames at the end in which nothing happens any more
COLOURS = 64
STYLE = """main { padding: 12px; } figure { margin: 0; }
.live { font-size: 17px; } .live .reading { min-height: 0; }
.live .note, main > .note, .live .levers > button { display: none; }"""
MOVE = """(slider, place) => {
    slider.value = place;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
}"""


def film(book: Path, file: Path, explorer: str = EXPLORER) -> float:
    """Write a GIF of an explorer whose first slider moves from end to end.

    book: a folder that `book` made; explorer: "companion.function" or "lecture.Class".
    Returns the size of the file in MB. Raises UsageError where the book has no such
    explorer, or there is no browser to open it.
    """
    page = book / "explorers" / f"{explorer}.html"
    if not page.is_file():
        raise UsageError(
            f"{book} has no recording of {explorer}: make a book, without --still"
        )
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in _frames(page)]
    palette = _palette(pictures[0], pictures[-1])
    frames = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in pictures
    ]
    gif = io.BytesIO()
    frames[0].save(
        gif,
        "GIF",
        save_all=True,
        optimize=True,
        append_images=frames[1:],
        duration=[REST, *[STEP] * (len(frames) - 2), REST],
        loop=0,
    )
    try:
        file.write_bytes(gif.getvalue())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    return len(gif.getvalue()) / 1e6


def browser_path() -> str | None:
    """The path of a browser; None if none of BROWSERS is installed."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    return None


def _frames(page: Path) -> list[bytes]:
    """PNGs of an explorer's page at each position of its first slider."""
    path = browser_path()
    if path is None:
        listing = ", ".join(BROWSERS)
        raise UsageError(f"a film needs a browser: none of {listing} is installed")
    from playwright.sync_api import sync_playwright  # no other command needs it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        sheet = browser.new_page(
            viewport={"width": WIDTH, "height": WIDTH}, color_scheme="light"
        )
        sheet.goto(page.resolve().as_uri())
        sheet.add_style_tag(content=STYLE)
        live = sheet.locator('figure[data-explorer="live"] .live')
        slider = live.locator('input[type="range"]').first
        slider.evaluate(MOVE, 0)
        height = round(sheet.locator("main").bounding_box()["height"])
        box = {"x": 0, "y": 0, "width": WIDTH, "height": height}
        shots = []
        lines = []
        for place in range(int(slider.get_attribute("max")) + 1):
            slider.evaluate(MOVE, place)
            shots.append(sheet.screenshot(clip=box))
            lines.append(live.locator(".reading").inner_text())
        browser.close()
    end = lines.index(lines[-1]) + STILL
    return shots[:end]


def _palette(first: Image.Image, last: Image.Image) -> Image.Image:
    """Colours for all frames together: those of the first and the last one."""
    width, height = first.size
    both = Image.new("RGB", (width, 2 * height))
    both.paste(first, (0, 0))
    both.paste(last, (0, height))
    return both.quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )


def main() -> None:
    """Make a film from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path, help="a folder that the command book made")
    parser.add_argument("file", type=Path, help="the GIF to write")
    options = parser.parse_args()
    try:
        size = film(options.book, options.file)
    except UsageError as error:
        sys.exit(f"error: {error}")
    print(f"{size:.2f} MB")


if __name__ == "__main__":
    main()
