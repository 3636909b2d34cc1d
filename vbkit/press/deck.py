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
from itertools import pairwise

import attrs
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from vbkit.press import attachments, canonical, pictures
from vbkit.press.handout import plain_links

# Heights, in lines of text. slides.css makes a slide 720 pixels high and a line of text
# 45, so that there are 16 lines. They are counted roughly, from letters, and so a slide
# is taken to be full before that; slides.js makes smaller what is too much all the same.
LINES = 12.5  # of a full slide: one goes to its title, and the rest is for miscounting
CODE_LINES = 15.0  # of one with code and what it prints, which are counted exactly
ONE_LINE = 1.4  # a single line with its gap: worth less than a slide of its own
GAP = 0.35  # below a paragraph: 14 pixels
CODE_LINE = 0.68  # a line of code: 31 pixels
LOW_ROW = 1.4  # a row of a displayed formula without fractions and sums
AROUND_ROWS = 0.3  # above and below such rows
TALL_ROW = 1.9  # a row with a fraction or a sum, which keeps its distance by itself
PICTURE = 9.0  # of a picture, which takes what others leave: three lines stay for words
STILL = 7.0  # of a picture in an answer, which stands below its question and a sentence

# Letters in a line: 1280 pixels hold about 72, and a line ends with a whole word.
COLUMNS = 68

# Words. These are rules of thumb: nothing was measured.
SPOKEN = 40  # of a paragraph that is shown whole: hardly four lines
SHORT = 26  # of an item that is shown whole, and of what leads to a formula: two lines
BRIEF = 8  # of a question that needs the sentence before ("Why is this so?")
FEW = 4  # an answer with fewer needs the next sentence ("No.")

WHOLE = ("Summary", "Exercises")  # sections of which every sentence is shown
# what keeps a reader's own score
OF_THE_READER = ("wager(", "were_you_too_sure(", "earlier = ")
QUESTION = "**The question of this lecture:**"
BLOCK = re.compile(
    r"<details>.*?</details>|\$\$.*?\$\$[^\n]*|\S(?:(?!\n\s*\n|\$\$).)*", re.S
)
FOLD = re.compile(r"<details><summary>(.*?)</summary>(.*)</details>", re.S)
IMAGE = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^()\s]+\)")
MATH = re.compile(r"\$[^$]+\$")
HIDDEN = "\0"  # stands for a formula while sentences are looked for
# an end of a sentence, but not the point behind an initial
END = re.compile(r"(?<!\b[A-Z])[.!?:][*_)\"]*\s+(?=[A-Z*(\[\"\0])")
# only words in front, such as "**Learn.**" or "*By hand.*"
HEAD = re.compile(r"\*+[^*]*[.:?]\*+")
TASK = re.compile(r"\*\*\d\. \w+\.\*\*")  # how an exercise begins
LIST = re.compile(r"(\* |- |1\. )")
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
        if not self.cells:
            return True
        is_text = all(
            cell.cell_type == "markdown" and cell.metadata["style"] != "still"
            for cell in self.cells
        )
        most = LINES
        if is_text and lines <= ONE_LINE:
            most += ONE_LINE
        return self.lines + lines <= most


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
        self.put(_text_cell(text, style), height(text), later=later)

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
        style = "first" if slide.kind == "slide" else "again"
        if slide is deck.slides[0]:
            style = "title"
        heading = _text_cell(f"## {slide.title}", style)
        heading.metadata["slideshow"] = {"slide_type": slide.kind}
        notes = _text_cell("\n\n".join(said))
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
    cell = _text_cell(text)
    cell.metadata["slideshow"] = {"slide_type": "-"}
    return [cell]


def _text_cell(text: str, style: str = "") -> NotebookNode:
    """A cell of Markdown; style: a class for the style sheet."""
    cell = new_markdown_cell(text)
    cell.metadata["style"] = style
    return cell


def blocks(text: str) -> list[str]:
    """Paragraphs, headings, lists, tables, displayed formulas and folds, in order."""
    return [block.strip() for block in BLOCK.findall(text) if block.strip()]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph; words in front stay with the first one."""
    # what ends a formula, such as a full stop in it, ends no sentence
    *pieces, last = _pieces(MATH.sub(HIDDEN, paragraph))
    parts = []
    part = ""
    for piece in pieces:
        part += piece
        if not _is_unfinished(part):
            parts.append(part)
            part = ""
    parts.append(part + last)
    formulas = iter(MATH.findall(paragraph))
    return [
        re.sub(HIDDEN, lambda _: next(formulas), " ".join(part.split()))
        for part in parts
    ]


def _pieces(text: str) -> list[str]:
    """A text, cut wherever a sentence may end."""
    ends = [end.end() for end in END.finditer(text)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def _is_unfinished(text: str) -> bool:
    """Whether what looks like the end of a sentence is none: something is still open, or
    more is announced."""
    is_emphasised = text.count("**") % 2 or text.count("*") % 2
    is_in_brackets = text.count("(") > text.count(")")
    is_head = HEAD.fullmatch(text.strip())
    announces = text.rstrip("* ").endswith(":")
    return bool(is_emphasised or is_in_brackets or is_head or announces)


def height(text: str) -> float:
    """About how many lines a Markdown text takes on a slide."""
    if text.startswith("$$"):
        rows = text.count(r"\\") - text.count(r"\\[") + 1
        tall = r"\frac" in text or r"\sum" in text or r"\int" in text
        return TALL_ROW * rows if tall else LOW_ROW * rows + AROUND_ROWS
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
    neighbours = zip(["", *parts[:-1]], parts, [*parts[1:], ""], strict=True)
    for before, block, after in neighbours:
        fold = FOLD.fullmatch(block)
        if fold:
            _show_fold(deck, fold[1], blocks(fold[2]), attached)
        else:
            _show_block(deck, block, before, after)


def _show_block(deck: Deck, block: str, before: str, after: str) -> None:
    """Show a block of Markdown, by its kind; before, after: the blocks beside it."""
    if block.startswith("## "):
        deck.turn(block.removeprefix("## "), "slide")
    elif block.startswith("### "):
        deck.turn(block.removeprefix("### "))
    elif block.startswith("> "):
        _ask(deck, re.sub(r"^> ?", "", block, flags=re.M))
    elif block.startswith("$$"):
        deck.write(block)
    elif block.startswith("|"):
        deck.write(block, style="table")
    elif TASK.match(block):
        if deck.here.cells:
            deck.turn()
        deck.write(block, style="task")
    elif LIST.match(block):
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
    elif name in ("Answer", "What to look for"):
        _show_answer(deck, parts, attached)
    else:
        for block in parts:
            deck.say(block)
            if IMAGE.fullmatch(block):
                _show_still(deck, block, attached)


def _show_answer(deck: Deck, parts: list[str], attached: dict) -> None:
    """Show an answer on slides of its own, below the question that was asked last."""
    deck.turn()
    if deck.question:
        _repeat_question(deck)
    for place, (block, after) in enumerate(zip(parts, [*parts[1:], ""], strict=True)):
        if IMAGE.fullmatch(block):
            _show_still(deck, block, attached)
        elif block.startswith(("$$", "|")):
            deck.write(block, later=True)
        else:
            leads = place > 0 and IMAGE.fullmatch(after) is not None
            _answer(deck, block, leads)
    deck.turn()


def _repeat_question(deck: Deck) -> None:
    """Show what is asked in the question that waits for its answer."""
    asked = [each for each in sentences(deck.question) if each.endswith("?")]
    question = asked[0] if asked else deck.question
    deck.write(re.sub(rf"^{HEAD.pattern}\s*", "", question), style="asked")
    deck.question = ""


def _show_still(deck: Deck, link: str, attached: dict) -> None:
    """Show an attached picture, when the speaker asks for it."""
    picture = _text_cell(_with_picture(link, attached), "still")
    deck.put(picture, STILL, later=True)


def _answer(deck: Deck, block: str, leads: bool) -> None:
    """Say a paragraph of an answer, and show its key sentences, how it begins and ends.

    leads: whether it has to be seen together with the picture that follows.
    """
    every = sentences(block)
    keep = key_places(every) | {len(every) - 1}
    if leads or deck.here.has_room(height(every[0])):
        keep.add(0)
        if len(every[0].split()) < FEW:
            keep.add(1)
    shown = _kept(every, keep)
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
            every = sentences(text)
            text = " ".join(_kept(every, key_places(every) or {0}))
        deck.write(mark + text, style="item")


def _show_paragraph(deck: Deck, block: str, before: str, after: str) -> None:
    """Say a paragraph, and show what a slide holds of it."""
    every = sentences(block)
    last = len(every) - 1
    by_hand = block.startswith(("*By hand.*", "**By hand.**"))
    is_part_of_formulas = before.startswith("$$") or after.startswith("$$")
    is_short = len(block.split()) <= SPOKEN
    is_whole = any(word in deck.here.title for word in WHOLE)
    if by_hand or is_short or is_part_of_formulas or is_whole:
        keep = set(range(len(every)))
    else:  # and what it speaks of, and where it arrives
        keep = key_places(every) | {0, last}
    leads = after.startswith("$$") and len(every[last].split()) <= SHORT
    if leads:
        keep.remove(last)
    shown = _kept(every, keep)
    _write_sentences(deck, shown[:1], by_hand)
    deck.say(block)
    _write_sentences(deck, shown[1:], by_hand)
    if leads:  # to be seen together with its formula
        if not deck.here.has_room(height(every[last]) + height(after)):
            deck.turn()
        deck.write(every[last])


def _write_sentences(deck: Deck, shown: Iterable[str], later: bool = False) -> None:
    """Show sentences, one below the other; a calculation when the speaker asks."""
    for sentence in shown:
        calculates = is_calculation(sentence)
        style = "step" if calculates else ""
        deck.write(sentence, later=later or calculates, style=style)


def key_places(every: list[str]) -> set[int]:
    """The places of the sentences that stand on a slide, each with what it needs."""
    places = set()
    for place, sentence in enumerate(every):
        if is_key(sentence):
            places.add(place)
            is_brief = sentence.endswith("?") and len(sentence.split()) <= BRIEF
            if place and (is_brief or GOES_ON.match(sentence)):
                places.add(place - 1)
    return places


def _kept(every: list[str], places: set[int]) -> list[str]:
    """The sentences at these places, in order."""
    return [sentence for place, sentence in enumerate(every) if place in places]


def _show_code(deck: Deck, cell: NotebookNode) -> None:
    """Put a cell of code, or what it shows, on slides."""
    tags = cell.metadata.get("tags", ())
    if "exercise" in tags or cell.source.startswith(OF_THE_READER):
        return
    if not cell.metadata.get("jupyter", {}).get("source_hidden"):
        _show_source(deck, cell)
    if pictures.pngs(cell.outputs):
        _show_picture(deck, cell)


def _show_source(deck: Deck, cell: NotebookNode) -> None:
    """Show the code of a cell, and then what it prints."""
    lines = CODE_LINE * (len(cell.source.splitlines()) + 1)
    text = "".join(canonical.words(output) for output in cell.outputs)
    printed = CODE_LINE * (len(text.splitlines()) + 1)
    if not deck.here.has_room(lines + printed):
        deck.turn()
    if lines + printed <= CODE_LINES:  # then both stay on one slide
        printed = min(printed, LINES - lines)
    deck.put(new_code_cell(cell.source), lines)
    if text:
        shown = new_code_cell(outputs=copy.deepcopy(cell.outputs))
        deck.put(shown, printed, later=True)


def _show_picture(deck: Deck, cell: NotebookNode) -> None:
    """Show the pictures of a cell; an explorer has a slide of its own."""
    drawn = [each for each in cell.outputs if "image/png" in each.get("data", {})]
    picture = new_code_cell(outputs=copy.deepcopy(drawn))
    if "recording" not in cell.metadata:
        deck.put(picture, PICTURE)
        return
    picture.metadata["recording"] = cell.metadata["recording"]
    deck.turn()
    deck.put(picture, LINES)
    deck.turn()
