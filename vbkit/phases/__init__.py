"""What runs VB to measure its phases: a solver for all answer patterns at once, and scans."""

from vbkit.phases.scan import (
    Diagram,
    Growth,
    diagram,
    first_of_the_lowest,
    growth,
    structured_starts,
)
from vbkit.phases.solver import Solutions, solve
