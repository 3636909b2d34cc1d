"""What is compiled with numba, each file's loops beside their twins in plain NumPy.

`COMPILED` is the one switch. It is off without numba (as in a browser), or if the environment
variable VBKIT_COMPILED is 0. The twins then run: slower, with the same results but for last
digits.

Compiled functions are kept on disk. numba makes one anew when the file that it stands in has
changed, but does not look at other files. So what is called from another file (`special.py`
alone) can be changed safely only together with `python -m vbkit clean`.
"""

import os
from importlib.util import find_spec


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it was put out of reach
        return False


COMPILED = os.environ.get("VBKIT_COMPILED") != "0" and _is_installed("numba")


def jit(function):
    """Decorator: compile a function where `COMPILED`, and keep the result on disk.

    It runs without the interpreter's lock. A division by zero gives inf or nan, as in NumPy.
    """
    if not COMPILED:
        return function
    from numba import njit

    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # there is no folder that can be written to
        return njit(nogil=True, error_model="numpy")(function)


def jit_inline(function):
    """Decorator: compile a function, where `COMPILED`, into each function that calls it.

    For a loop that is given one of several compiled functions to call: each of its callers has
    then a loop of its own around that function alone, and can be kept on disk. And for a part of
    what is done at each data point, because numba counts references to the arrays of every call.
    """
    if not COMPILED:
        return function
    from numba import njit

    return njit(inline="always", nogil=True, error_model="numpy")(function)
