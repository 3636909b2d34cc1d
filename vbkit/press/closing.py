"""The table that closes a chapter: what became of the claims, in words."""

from collections.abc import Iterable
from pathlib import Path

from vbkit.press import ledger
from vbkit.press.ledger.text import VERDICTS
from vbkit.press.manifest import LEDGER
from vbkit.press.publish import Page, on_file

HEAD = "| The claim | What we found | Verdict |\n|---|---|---|"


def what_became(rows: Iterable[tuple]) -> Page:
    """A table of claims; each verdict comes from the ledger and links to its evidence.

    rows: (the claim in words, one sentence that says why, id of an entry, ...); several
    entries of a row share the words. Raises ValueError for an id that is not in the
    ledger.
    """
    entries = {entry["id"]: entry for entry in ledger.table(on_file(LEDGER))}
    lines = [HEAD]
    for claim, reason, *ids in rows:
        if not ids or not entries.keys() >= set(ids):
            raise ValueError(
                f"{claim!r}: ids were {ids}; each must be an entry of the ledger"
            )
        notebooks = {entries[id]["verdict"]: entries[id]["notebook"] for id in ids}
        links = [_link(verdict, notebook) for verdict, notebook in notebooks.items()]
        lines.append(f"| {claim} | {reason} | {', '.join(links)} |")
    return Page("\n".join(lines))


def _link(verdict: str, notebook: str | None) -> str:
    """A verdict; a link where its evidence lies beside the chapter."""
    text = f"{VERDICTS[verdict]}\N{NO-BREAK SPACE}{verdict}"
    path = f"{notebook}.ipynb"
    return f"[{text}]({path})" if Path(path).exists() else text
