"""Whether sequential loops are compiled, and with what: this is the only place that decides.

With numba, `vbkit.compiled.with_numba`. Without it (as in a browser), or if the environment
variable VBKIT_COMPILED is 0, `vbkit.compiled.plain`: the loops then run in NumPy, slower, with the
same results but for last digits.
"""

import os
from importlib.util import find_spec


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it was put out of reach
        return False


COMPILED = os.environ.get("VBKIT_COMPILED") != "0" and _there("numba")

if COMPILED:
    from numba import uint64

    from vbkit.compiled import with_numba as chosen
    from vbkit.compiled.softmax import FUSED, softmax_columns
else:
    from vbkit.compiled import plain as chosen
    from vbkit.compiled.plain import FUSED, softmax_columns, uint64

LN2 = chosen.LN2
jit, inline, scratch = chosen.jit, chosen.inline, chosen.scratch
exp, log, larger = chosen.exp, chosen.log, chosen.larger
split, log_split = chosen.split, chosen.log_split
digamma, digammas = chosen.digamma, chosen.digammas
