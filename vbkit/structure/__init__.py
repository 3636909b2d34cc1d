"""How many units: split, merge and delete them, search over such moves, and follow a stream whose units come and go."""

from vbkit.structure.census import Census, take_census
from vbkit.structure.moves import Halves, Move, delete, merge, split, split_along_axis, split_halves
from vbkit.structure.selection import Record, Selection, advance, begin, learn_batch, learn_online, select, steps
from vbkit.structure.stream import Tracker, track
