"""What of a lecture stands on slides, and what its speaker says.

There is no second text: `slides_of` cuts the cells of a lecture into the small cells
that nbconvert makes slides of. A slide shows what can be taken in at a glance: titles,
questions, how each paragraph begins and how it ends, terms where they are explained,
formulas with their words, calculations with numbers step by step, pictures, explorers,
code with what it prints. Short paragraphs, proofs and exercises stand there whole. Every
paragraph goes into the speaker's notes. An answer appears below the question that was asked
before, and a hint below its exercise.
"""

import base64
import copy
import math
import re
from collections.abc import Iterable

import attrs
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from vbkit.press import attachments, canonical, pictures
from vbkit.press.handout import plain_links

LINES = 12.5  # that a slide holds; one line has about COLUMNS letters
CROWDED = 15.0  # lines of code with what it prints, which may be set smaller
CROWD = 1.4  # lines that may be too many for a slide of text
COLUMNS = 68
SHORT = 26  # words of an item that is shown whole, and of what leads to a formula
GAP = 0.35  # lines between paragraphs
FEW = 4  # words of an answer that needs the next sentence
BRIEF = 8  # words of a question that needs the sentence before
PICTURE = 9.0  # lines of a picture, which takes what others leave
STILL = 7.0  # of a picture in an answer
SPOKEN = 40  # words of a paragraph that is shown whole
WHOLE = ("Summary", "Exercises")  # sections of which every sentence is shown
CODE_LINE = 0.68  # of a line of code, in lines of text
FORMULA = 1.9  # lines of a displayed formula, and of each of its rows
# what keeps a reader's own score
OF_THE_READER = ("wager(", "were_you_too_sure(", "earlier = ")
QUESTION = "**The question of this lecture:**"
BLOCK = re.compile(
    r"<details>.*?</details>|\$\$.*?\$\$[^\n]*|\S(?:(?!\n\s*\n|\$\$).)*", re.S
)
FOLD = re.compile(r"<details><summary>(.*?)</summary>(.*)</details>", re.S)
IMAGE = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^()\s]+\)")
MATH = re.compile(r"\$[^$]+\$")
# an end of a sentence, but not the point behind an initial
END = re.compile(r"(?<!\b[A-Z])[.!?:][*_)\"]*\s+(?=[A-Z*(\[\"\0])")
# only words in front, such as "**Learn.**" or "*By hand.*"
HEAD = re.compile(r"\*+[^*]*[.:?]\*+")
# numbers that make another number, such as 1.58/4.4=0.36
CALCULATION = re.compile(r"[\d})]\s*(?:=|\\approx)\s*[-+]?\d")
# what cannot be understood without the sentence before
GOES_ON = re.compile(r"(This|Such|Its?|Their|They|These|We call|Hence|Therefore|So)\b")


@attrs.define
class Slide:
    """One slide while it is being filled.

    - kind: "slide" where a section begins, else "subslide"; title: Markdown
    - cells: what it shows, each cell with a slide type; lines: how many lines that takes
    - notes: paragraphs that the speaker says, as Markdown
    """

    kind: str
    title: str
    cells: list[NotebookNode] = attrs.field(factory=list)
    lines: float = 0.0
    notes: list[str] = attrs.field(factory=list)

    def is_free(self) -> bool:
        """Whether it shows nothing yet, and need not show what its section is about."""
        return not self.cells and not (self.kind == "slide" and self.notes)

    def has_room(self, lines: float) -> bool:
        """Whether as many lines fit on it; a single line may crowd a slide of text, for a
        slide of its own would be nearly empty."""
        is_text = all(cell.cell_type == "markdown" for cell in self.cells)
        is_text = is_text and all(
            cell.metadata["style"] != "still" for cell in self.cells
        )
        most = LINES + CROWD if lines <= CROWD and is_text else LINES
        return not self.cells or self.lines + lines <= most


class Deck:
    """The slides of a lecture, filled from its beginning to its end."""

    def __init__(self):
        self.slides = []
        self.question = ""  # the last that was asked, until its answer is shown

    @property
    def here(self) -> Slide:
        """The slide that is being filled."""
        return self.slides[-1]

    def turn(self, title: str | None = None, kind: str = "subslide") -> None:
        """Go to a new slide; without a title it goes on with that of the last one.

        A slide that is free is used instead.
        """
        if title is None:
            title = self.here.title
        if kind == "subslide" and self.slides and self.here.is_free():
            self.here.title = title
        else:
            self.slides.append(Slide(kind, title))
            self.here.lines = 1.0 if kind == "slide" else 0.0  # of a larger title

    def put(self, cell: NotebookNode, lines: float, *, later: bool = False) -> None:
        """Show a cell, on a new slide where the last one has no room for its lines.

        later: whether the speaker has to ask for it (a fragment), unless it comes first.
        """
        if not self.here.has_room(lines):
            self.turn()
        kind = "fragment" if later and self.here.cells else "-"
        cell.metadata["slideshow"] = {"slide_type": kind}
        self.here.cells.append(cell)
        self.here.lines += lines

    def write(self, text: str, *, later: bool = False, style: str = "") -> None:
        """Show Markdown; style: a class for the style sheet."""
        cell = new_markdown_cell(text)
        cell.metadata["style"] = style
        self.put(cell, height(text), later=later)

    def say(self, text: str) -> None:
        """Put a paragraph into the notes of the slide."""
        self.here.notes.append(IMAGE.sub("", text))


def slides_of(notebook: NotebookNode) -> NotebookNode:
    """A lecture as a notebook of small cells that SlidesExporter makes slides of.

    A code cell without source shows outputs only; cells have the class of their text as
    metadata `style`, and explorers keep their `recording`.
    """
    deck = Deck()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            _show_text(deck, cell)
        elif cell.cell_type == "code":
            _show_code(deck, cell)
    result = new_notebook(metadata=copy.deepcopy(notebook.metadata))
    said = []
    for slide in deck.slides:
        if not slide.cells and not slide.notes:
            continue
        said = slide.notes or said  # what goes on is spoken of in the same words
        heading = new_markdown_cell(f"## {slide.title}")
        heading.metadata["slideshow"] = {"slide_type": slide.kind}
        heading.metadata["style"] = "first" if slide.kind == "slide" else "again"
        if slide is deck.slides[0]:
            heading.metadata["style"] = "title"
        notes = new_markdown_cell("\n\n".join(said))
        notes.metadata["slideshow"] = {"slide_type": "notes"}
        result.cells += [heading, *(slide.cells or _opening(slide)), notes]
    return result


def _opening(slide: Slide) -> list[NotebookNode]:
    """How the notes begin, for a slide that would show nothing."""
    text = slide.notes[0]
    if len(text.split()) > SPOKEN:
        every = [each for paragraph in slide.notes for each in sentences(paragraph)]
        plain = [each for each in every if not each.startswith("(")]
        text = plain[0] if plain else every[0]
    cell = new_markdown_cell(text)
    cell.metadata["style"] = ""
    cell.metadata["slideshow"] = {"slide_type": "-"}
    return [cell]


def blocks(text: str) -> list[str]:
    """Paragraphs, headings, lists, tables, displayed formulas and folds, in order."""
    return [block.strip() for block in BLOCK.findall(text) if block.strip()]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph; words in front stay with the first one."""
    formulas = MATH.findall(paragraph)
    hidden = MATH.sub("\0", paragraph)
    parts = []
    start = 0
    for end in [*END.finditer(hidden), None]:
        stop = end.end() if end else len(hidden)
        part = hidden[start:stop]
        is_open = part.count("**") % 2 or part.count("*") % 2 or _unclosed(part)
        goes_on = part.rstrip("* ").endswith(":") and not HEAD.fullmatch(part.strip())
        if end and (is_open or goes_on or HEAD.fullmatch(part.strip())):
            continue
        parts.append(part)
        start = stop
    shown = iter(formulas)
    return [
        re.sub("\0", lambda _: next(shown), " ".join(part.split())) for part in parts
    ]


def _unclosed(text: str) -> bool:
    return text.count("(") > text.count(")")


def height(text: str) -> float:
    """About how many lines a Markdown text takes on a slide."""
    if text.startswith("$$"):
        rows = text.count(r"\\") - text.count(r"\\[") + 1
        tall = r"\frac" in text or r"\sum" in text or r"\int" in text
        return FORMULA * rows if tall else 1.4 * rows + 0.3
    lines = 0.0
    for line in text.split("\n"):
        letters = re.sub(r"\\[a-zA-Z]+|[${}^_*\\]", "", line)
        lines += max(1, math.ceil(len(letters) / COLUMNS))
    return lines + GAP


def is_key(sentence: str) -> bool:
    """Whether a sentence stands on a slide.

    It asks something, explains a term, puts a formula into words, or calculates.
    """
    return (
        sentence.rstrip("*_)").endswith("?")
        or "**" in sentence
        or sentence.startswith(("In words", "In other words"))
        or is_calculation(sentence)
    )


def is_calculation(sentence: str) -> bool:
    """Whether a sentence gets a number from numbers."""
    return any(CALCULATION.search(formula) for formula in MATH.findall(sentence))


def _show_text(deck: Deck, cell: NotebookNode) -> None:
    """Put a cell of text on slides and into notes."""
    attached = cell.get("attachments", {})
    source = plain_links(cell.source, lambda link: False)
    parts = blocks(source)
    if parts[0].startswith("# "):
        _show_title(deck, parts)
        return
    for place, block in enumerate(parts):
        before = parts[place - 1] if place else ""
        after = parts[place + 1] if place + 1 < len(parts) else ""
        fold = FOLD.fullmatch(block)
        if fold:
            _show_fold(deck, fold[1], blocks(fold[2]), attached)
        elif block.startswith("## "):
            deck.turn(block.removeprefix("## "), "slide")
        elif block.startswith("### "):
            deck.turn(block.removeprefix("### "))
        elif block.startswith("> "):
            _ask(deck, re.sub(r"^> ?", "", block, flags=re.M))
        elif block.startswith("$$"):
            deck.write(block)
        elif block.startswith("|"):
            deck.write(block, style="table")
        elif re.match(r"\*\*\d\. \w+\.\*\*", block):
            if deck.here.cells:
                deck.turn()
            deck.write(block, style="task")
        elif re.match(r"(\* |- |1\. )", block):
            _show_list(deck, block)
        else:
            _show_paragraph(deck, block, before, after)


def _show_title(deck: Deck, parts: list[str]) -> None:
    """Open the deck: title, place in the course, and the lecture's question."""
    deck.turn(parts[0].removeprefix("# "), "slide")
    for block in parts[1:]:
        if block.startswith("*Unit"):
            deck.write(re.match(r"\*[^*]+\*", block)[0], style="place")
        if block.startswith(QUESTION):
            question = block.removeprefix(QUESTION).strip()
            deck.write(question[0].upper() + question[1:], style="question")
        deck.say(block)


def _ask(deck: Deck, question: str) -> None:
    """Put a question on a slide of its own, and keep it for its answer."""
    deck.turn()
    deck.write(question, style="question")
    deck.say(question)
    deck.question = question
    deck.turn()


def _show_fold(deck: Deck, name: str, parts: list[str], attached: dict) -> None:
    """An answer below its question, a hint below its exercise; the rest is notes."""
    if name == "Hint":
        deck.say(f"Hint: {' '.join(parts)}")
        for block in parts:
            deck.write(block, later=True, style="hint")
        return
    if name not in ("Answer", "What to look for"):
        for block in parts:
            deck.say(block)
            if IMAGE.fullmatch(block):
                _show_still(deck, block, attached)
        return
    deck.turn()
    if deck.question:
        asked = [each for each in sentences(deck.question) if each.endswith("?")]
        question = asked[0] if asked else deck.question
        deck.write(re.sub(rf"^{HEAD.pattern}\s*", "", question), style="asked")
        deck.question = ""
    for place, block in enumerate(parts):
        if IMAGE.fullmatch(block):
            _show_still(deck, block, attached)
        elif block.startswith(("$$", "|")):
            deck.write(block, later=True)
        else:
            after = parts[place + 1] if place + 1 < len(parts) else ""
            _answer(deck, block, bool(place and IMAGE.fullmatch(after)))
    deck.turn()


def _show_still(deck: Deck, link: str, attached: dict) -> None:
    """Show an attached picture, when the speaker asks for it."""
    picture = new_markdown_cell(_with_picture(link, attached))
    picture.metadata["style"] = "still"
    deck.put(picture, STILL, later=True)


def _answer(deck: Deck, block: str, leads: bool) -> None:
    """Say a paragraph of an answer, and show its key sentences, how it begins and ends.

    leads: whether it has to be seen together with the picture that follows.
    """
    every = sentences(block)
    key = key_sentences(block)
    shown = [each for each in every if each in key or each == every[-1]]
    first = every[:1]
    if len(first[0].split()) < FEW:  # "No."
        first = every[:2]
    if leads or deck.here.has_room(height(first[0])):
        shown = [each for each in every if each in shown or each in first]
    if leads and not deck.here.has_room(sum(map(height, shown)) + STILL):
        deck.turn()
    deck.say(block)
    _write_sentences(deck, shown, True)


def _with_picture(link: str, attached: dict) -> str:
    """A link to an attached picture, with the picture itself in place of its name."""
    file = attachments.LINK.fullmatch(link)["file"]
    png = base64.b64decode(attached[file]["image/png"])
    data = base64.b64encode(pictures.in_fewer_bytes(png)).decode()
    return link.replace(f"(attachment:{file})", f"(data:image/png;base64,{data})")


def _show_list(deck: Deck, block: str) -> None:
    """A list whose items are cut to what is shown of them, one after another."""
    deck.say(block)
    for item in re.split(r"\n(?=(?:\* |- |\d+\. ))", block):
        mark = re.match(r"(?:\*|-|\d+\.) ", item)[0]
        text = item.removeprefix(mark)
        if len(text.split()) > SHORT:
            text = " ".join(key_sentences(text) or sentences(text)[:1])
        deck.write(mark + text, style="item")


def _show_paragraph(deck: Deck, block: str, before: str, after: str) -> None:
    """Say a paragraph, and show what a slide holds of it."""
    every = sentences(block)
    key = key_sentences(block)
    ends = {every[0], every[-1]}  # what it speaks of, and where it arrives
    shown = [each for each in every if each in key or each in ends]
    leads = after.startswith("$$") and len(every[-1].split()) <= SHORT
    by_hand = block.startswith(("*By hand.*", "**By hand.**"))
    is_part_of_formulas = before.startswith("$$") or after.startswith("$$")
    is_short = len(block.split()) <= SPOKEN
    is_whole = any(word in deck.here.title for word in WHOLE)
    if by_hand or is_short or is_part_of_formulas or is_whole:
        shown = every
    if leads:
        shown = [each for each in every[:-1] if each in shown]
    _write_sentences(deck, shown[:1], by_hand)
    deck.say(block)
    _write_sentences(deck, shown[1:], by_hand)
    if leads:  # to be seen together with its formula
        if not deck.here.has_room(height(every[-1]) + height(after)):
            deck.turn()
        deck.write(every[-1])


def _write_sentences(deck: Deck, shown: Iterable[str], later: bool = False) -> None:
    """Show sentences, one below the other; a calculation when the speaker asks."""
    for sentence in shown:
        calculates = is_calculation(sentence)
        style = "step" if calculates else ""
        deck.write(sentence, later=later or calculates, style=style)


def key_sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph that stand on a slide, each with what it needs."""
    every = sentences(paragraph)
    shown = set()
    for place, sentence in enumerate(every):
        if is_key(sentence):
            shown.add(place)
            is_brief = sentence.endswith("?") and len(sentence.split()) <= BRIEF
            if place and (is_brief or GOES_ON.match(sentence)):
                shown.add(place - 1)
    return [every[place] for place in sorted(shown)]


def _show_code(deck: Deck, cell: NotebookNode) -> None:
    """Put a cell of code, or what it shows, on slides."""
    is_hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    tags = cell.metadata.get("tags", ())
    if "exercise" in tags or cell.source.startswith(OF_THE_READER):
        return
    if not is_hidden:
        lines = CODE_LINE * (len(cell.source.splitlines()) + 1)
        text = "".join(canonical.words(output) for output in cell.outputs)
        printed = CODE_LINE * (len(text.splitlines()) + 1)
        if not deck.here.has_room(lines + printed):
            deck.turn()
        if lines + printed <= CROWDED:
            printed = min(printed, LINES - lines)
        deck.put(new_code_cell(cell.source), lines)
        if text:
            shown = new_code_cell(outputs=copy.deepcopy(cell.outputs))
            deck.put(shown, printed, later=True)
    if pictures.pngs(cell.outputs):
        drawn = [each for each in cell.outputs if "image/png" in each.get("data", {})]
        picture = new_code_cell(outputs=copy.deepcopy(drawn))
        if "recording" in cell.metadata:
            picture.metadata["recording"] = cell.metadata["recording"]
            deck.turn()
            deck.put(picture, LINES)
            deck.turn()
        else:
            deck.put(picture, PICTURE)
