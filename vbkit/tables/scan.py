"""Is a file text at all? Asked before a reader sees it, a block at a time."""

import codecs
from pathlib import Path

LONGEST = 10_000_000  # bytes of one line
BLOCK = 1 << 20


def refuse_pipe(path: Path) -> None:
    """ValueError for what can be read only once, or would never begin."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError(f"{path} is a pipe or device; save its content in a file first")


def scan(path: Path) -> str:
    """The first block of a text. ValueError unless the file is UTF-8 with lines of fair length."""
    refuse_pipe(path)
    decoder, length, head = codecs.getincrementaldecoder("utf-8-sig")(), 0, None
    wrong = f"{path.name} is not text in UTF-8; save it in UTF-8"
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if b"\0" in block:
                raise ValueError(f"{path.name} is not text (it holds zero bytes)")
            try:
                text = decoder.decode(block)
            except UnicodeDecodeError:
                raise ValueError(wrong) from None
            head = text if head is None else head
            last = block.rfind(b"\n")
            length = length + len(block) if last < 0 else len(block) - last - 1
            if length > LONGEST:
                raise ValueError(f"{path.name} has a line of more than {LONGEST // 10**6} MB")
    if decoder.getstate()[0]:  # the file ends within a letter
        raise ValueError(wrong)
    if head is None or not head.strip():
        raise ValueError(f"{path.name} is empty")
    return head
