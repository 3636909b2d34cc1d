"""Measure the sections named on the command line (all, if none is) and print a table; exit with 0
if every bar is met."""

import sys

import numpy as np
from threadpoolctl import threadpool_limits

from . import (
    batch,
    bernoulli,
    chunks,
    estimators,
    factorization,
    factors,
    machine,
    markov,
    online,
    selection,
)

SECTIONS = {
    **batch.SECTIONS,
    **online.SECTIONS,
    **bernoulli.SECTIONS,
    **markov.SECTIONS,
    **factors.SECTIONS,
    **factorization.SECTIONS,
    **selection.SECTIONS,
    **estimators.SECTIONS,
    **machine.SECTIONS,
    **chunks.SECTIONS,
}


def main(wanted: list[str], sections=SECTIONS) -> int:
    unknown = [name for name in wanted if name not in sections]
    if unknown:
        print(
            f"there is no section {unknown[0]}; there are: {', '.join(sections)}",
            file=sys.stderr,
        )
        return 2
    features = [
        name for name, on in np._core._multiarray_umath.__cpu_features__.items() if on
    ]
    print("processor features:", " ".join(features))
    print(f"{'':54s} {'ratio':>9s} {'paired':>9s}   bar")
    missed = 0
    with threadpool_limits(1):
        for section in wanted or sections:
            for row in sections[section]():
                print(row, flush=True)
                missed += row.met is False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
