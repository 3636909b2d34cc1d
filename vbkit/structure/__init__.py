"""How many components: split, merge and delete them, search over such moves, follow a changing
stream."""

from vbkit.structure.moves import (
    delete,
    first_splits,
    merge,
    split,
    split_along_axis,
    split_halves,
)
from vbkit.structure.search import (
    Record,
    Search,
    iterate_search,
    learn_batch,
    learn_online,
    run_search,
    start_search,
    step_search,
)
from vbkit.structure.starts import init_by_splits
from vbkit.structure.statistics import (
    ResponsibilityStatistics,
    responsibility_statistics,
)
from vbkit.structure.tracking import Tracker, track
