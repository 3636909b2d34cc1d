"""Is a file text at all? Asked before a reader sees it, a block at a time."""

from pathlib import Path

LONGEST = 10_000_000  # characters of one line
BLOCK = 1 << 20


def refuse_pipe(path: Path) -> None:
    """ValueError for a folder, and for what can be read only once, or would never begin."""
    if path.is_dir():
        raise ValueError(f"cannot read {path}: it is a folder; name a file")
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path} is a pipe or device; save its content in a file first"
        )


def scan(path: Path) -> str:
    """The first block of a text. ValueError unless the file is UTF-8 with lines of fair length."""
    refuse_pipe(path)
    head, length = "", 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            while block := file.read(BLOCK):
                if "\0" in block:
                    raise ValueError(f"{path.name} is not text (it holds zero bytes)")
                head = head or block
                _, ended, rest = block.rpartition("\n")
                length = len(rest) if ended else length + len(rest)
                if length > LONGEST:
                    raise ValueError(
                        f"{path.name} has a line of more than {LONGEST // 10**6} MB"
                    )
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not text in UTF-8; save it in UTF-8"
        ) from None
    if not head.strip():
        raise ValueError(f"{path.name} is empty")
    return head
