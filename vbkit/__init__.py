"""vbkit: a workbook on variational Bayes, and the small engine behind it.

Import what you need from its rooms: `vbkit.families`, `vbkit.mixture`, `vbkit.learning`, `vbkit.theory`, ...
"""

import sys

if sys.version_info < (3, 11):
    raise ImportError(f"vbkit needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")

__version__ = "0.1.0"
