"""What the evidence of notebook 03 draws, and what waits there for lecture 06b.

`pictures`: streams on the line and in the plane; `orders`: other orders, a world that moves,
and shares in a memory.
"""

from vbkit.chapters.online_mixture import orders, pictures
