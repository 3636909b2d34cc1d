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
    from vbkit.compiled import with_numba as chosen
else:
    from vbkit.compiled import plain as chosen

FUSED, LN2 = chosen.FUSED, chosen.LN2
jit, inline, scratch, uint64 = chosen.jit, chosen.inline, chosen.scratch, chosen.uint64
exp, log, larger = chosen.exp, chosen.log, chosen.larger
split, log_split = chosen.split, chosen.log_split
digamma, digammas, softmax_columns = chosen.digamma, chosen.digammas, chosen.softmax_columns
