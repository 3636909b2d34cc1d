"""python -m tests.mutation: break the engine, or the notebooks, in `n` places, and run the tests.

One mutant at a time, drawn evenly from all places of the chosen rooms. A mutant of the engine meets
the quick tests that run its line; one of a notebook's cells meets nbval and `check`: the stored
outputs, arrays, pictures and verdicts. Mutants that change nothing that matters are in
equivalent.toml, with the reason. The coverage map is made at the first run (some minutes) and kept
in the folder. `python -m tests.mutation prune` drops from equivalent.toml what no longer is a
change of a line that there is.
"""

import argparse
import os
import random
import sys
import tomllib
from pathlib import Path

from tests.mutation.scratch import caught, choose, coverage_map, prepare, pytest, run
from tests.mutation.sites import Site, functions, owner, sites
from vbkit.press import ROOT, canonical
from vbkit.press.ledger.rules import Rate

ENGINE = "families mixture.py observations.py models learning structure factorization theory phases"
ENGINE = [*ENGINE.split(), "data.py", "press/ledger/rules.py"]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
CELLS = "not (broken or quick or processor or browser or fuzz)"


def files(rooms: list[str]) -> list[str]:
    """The files of the rooms, by their names in the workbook."""
    if rooms == ["notebooks"]:
        folder = ROOT / "notebooks"
        paths = [*folder.glob("[0-8]*.ipynb"), *folder.glob("evidence/*.ipynb")]
    else:
        found = [ROOT / "vbkit" / room for room in rooms]
        paths = [
            p
            for path in found
            for p in ([path] if path.is_file() else path.rglob("*.py"))
        ]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def candidates(name: str) -> list[tuple[str, str | None, Site]]:
    """(file, cell, change) of all places in a file."""
    if name.endswith(".py"):
        return [(name, None, site) for site in sites((ROOT / name).read_text())]
    found = []
    for cell in canonical.read(ROOT / name).cells:
        tags = cell.metadata.get("tags", [])
        if (
            cell.cell_type == "code"
            and "parameters" not in tags
            and "%" not in cell.source[:1]
        ):
            found += [(name, cell.id, site) for site in sites(cell.source)]
    return found


def try_one(
    folder: Path, name: str, cell: str | None, site: Site, known: dict
) -> tuple:
    """Whether the mutant is caught, and its line before and after."""
    path, original = folder / name, (folder / name).read_bytes()
    stamp = path.stat()
    try:
        if cell is None:
            source = original.decode()
            path.write_text(changed := site.apply(source))
            function = owner(functions(source), site.line)
            result = caught(folder, choose(name, function, known), known)
        else:
            notebook = canonical.read(path)
            broken = next(each for each in notebook.cells if each.id == cell)
            source = broken.source
            broken.source = changed = site.apply(source)
            path.write_text(canonical.dumps(notebook))
            stored = (
                pytest("-m", CELLS, name),
                ["vbkit", "check", name.removeprefix("notebooks/")],
            )
            result = any(run(folder, command, 900) != 0 for command in stored)
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    before, after = (text.splitlines() for text in (source, changed))
    return result, before[site.line - 1].strip(), after[site.line - 1].strip()


def changes(name: str, texts: set[str]) -> set[tuple[str, str]]:
    """Each change of the lines of a file that read so, as the line before and after; none where
    the file is gone."""
    path = ROOT / name
    if not path.is_file():
        return set()
    if name.endswith(".py"):
        sources = [path.read_text()]
    else:
        cells = canonical.read(path).cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        sources = [source for source in code if "%" not in source[:1]]
    pairs = set()
    for source in sources:
        for site in sites(source, texts):
            both = source, site.apply(source)
            pairs.add(tuple(text.splitlines()[site.line - 1].strip() for text in both))
    return pairs


def stale(listed: list[dict]) -> list[dict]:
    """The entries of equivalent.toml that no longer are a change of a line that there is."""
    texts = {}  # a file has thousands of changes, and each is parsed: these lines alone
    for entry in listed:
        texts.setdefault(entry["file"], set()).add(entry["before"])
    possible = {name: changes(name, before) for name, before in texts.items()}
    return [
        entry
        for entry in listed
        if (entry["before"], entry["after"]) not in possible[entry["file"]]
    ]


def prune(path: Path = EQUIVALENT) -> int:
    """Drop the stale entries from the file, leave the rest as it is; how many were dropped."""
    head, *entries = path.read_text().split("[[mutant]]\n")
    listed = tomllib.loads(path.read_text())["mutant"]
    dropped = stale(listed)
    kept = [
        text
        for text, entry in zip(entries, listed, strict=True)
        if entry not in dropped
    ]
    path.write_text("[[mutant]]\n".join([head, *kept]))
    return len(dropped)


def main() -> None:
    if sys.argv[1:] == ["prune"]:
        print(f"{prune()} entries dropped")
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--rooms", nargs="+", default=ENGINE, help="of vbkit; or: notebooks"
    )
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "my-mutation", help="of the copy"
    )
    arguments = parser.parse_args()
    folder = prepare(arguments.folder.resolve())
    notebooks = arguments.rooms == ["notebooks"]
    known = {} if notebooks else coverage_map(folder)
    places = [place for name in files(arguments.rooms) for place in candidates(name)]
    drawn = random.Random(arguments.seed).sample(places, min(arguments.n, len(places)))
    print(f"{len(drawn)} of {len(places)} places, seed {arguments.seed}", flush=True)
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    reasons = {
        (each["file"], each["before"], each["after"]): each["reason"] for each in listed
    }
    killed = equivalent = survived = 0
    for count, (name, cell, site) in enumerate(drawn):
        print(
            f"{count} done, {survived} survived", end="\r", file=sys.stderr, flush=True
        )
        result, before, after = try_one(folder, name, cell, site, known)
        reason = None if result else reasons.get((name, before, after))
        killed, equivalent = killed + result, equivalent + (reason is not None)
        if result or reason:
            continue
        survived += 1
        spot = f"{name}:{site.line}" if cell is None else f"{name} [{cell}]:{site.line}"
        print(f"survived: {spot} ({site.kind})\n    {before}\n    {after}", flush=True)
    print(f"{killed} caught, {survived} survived, {equivalent} equivalent")
    print(f"caught: {Rate(killed, killed + survived)!r}, by Wilson's interval at 95 %")


if __name__ == "__main__":
    main()
