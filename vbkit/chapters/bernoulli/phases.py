"""What VB makes of a redundant component, and the explorer of the phase plane (08b and 08c)."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.bernoulli import pictures
from vbkit.chapters.bernoulli.structures import REDUNDANT, K, extra_costs
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import slider
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.phases import solve, structured_starts
from vbkit.theory import predict

PINNED = 0.1  # a coordinate whose rarer value has a smaller share of its component is called pinned
PURE = 0.02  # the same, for the words of an explorer
STATES = ("empty", "interior", "deterministic", "partly pinned", "small vertex")
FATES = {  # how the status line names a redundant component
    "empty": "empty",
    "interior": "a mixed duplicate",
    "deterministic": "a black-and-white duplicate",
    "cut": "a part of a mixed kind",
    "small vertex": "a small vertex",
}
A_GRID = np.linspace(0.01, pictures.A_MAX, 160)
B_GRID = (np.arange(120) + 0.5) * pictures.B_MAX / 120


def component_states(S, total: float, pinned_below: float = PINNED) -> list[str]:
    """Name what each component of a state S (K, 1 + 2M) of `total` data is: one of STATES.

    A component with less than total^(1/4) data counts as empty, a deterministic one with less than
    total^(3/4) as a small vertex.
    """
    M, n = S.shape[1] // 2, S[:, 0]
    rarer = np.minimum(S[:, 1 : M + 1], S[:, M + 1 :])
    pinned = (rarer < pinned_below * n[:, None]).sum(axis=1)
    where = [
        n < total**0.25,
        (pinned == M) & (n < total**0.75),
        pinned == M,
        pinned > 0,
    ]
    names = ["empty", "small vertex", "deterministic", "partly pinned"]
    return np.select(where, names, "interior").tolist()


def fate(truth: str, S, total: float) -> str:
    """What the redundant one of three components in the state S is, a key of FATES."""
    states = component_states(S, total, PURE)
    rare = {"empty": "empty", "small vertex": "small vertex", "partly pinned": "cut"}
    for state, name in rare.items():
        if state in states:
            return name
    more = states.count("interior") > pictures.KINDS[truth][0]
    return "interior" if more else "deterministic"


@lru_cache(64)
def _problem(truth: str, n_components: int, total: float):
    starts = structured_starts(TRUTHS[truth], n_components, total)[1]
    return starts, total * TRUTHS[truth].probabilities()


def lowest_minimum(truth: str, n_components: int, total: float, a, b):
    """Return the state S (K, P) of lowest F from the structured starts, its F, and all counts.

    Of mirror images, which have the same F, the first: rounding must not choose."""
    starts, counts = _problem(truth, n_components, total)
    ends = solve(counts, starts, a, b, max_iterations=400)
    lowest = ends.free_energy.min()
    S = ends.S[np.isclose(ends.free_energy, lowest, rtol=1e-12, atol=1e-9).argmax()]
    return S[np.argsort(-S[:, 0])], float(lowest), counts


def short(n: float) -> str:
    """A count as a reader sees it."""
    if n >= 1e4:
        return f"{n / 1e6:,.0f} M" if n >= 1e7 else f"{n / 1e3:,.0f} k"
    return f"{n:.1f}" if n < 9.95 else f"{n:,.0f}"


def mean_answers(S, b):
    """The mean probabilities (K, 4) of a yes in the state S (K, 9)."""
    return (S[:, 1:5] + b) / (S[:, :1] + 2 * b)


def setup_components(ax):
    """Make rows of squares for the three components; returns the artists of `draw_components`."""
    image = pictures.setup_tiles(ax, K, 4, "The three components", gap=8, aspect="auto")
    labels = [ax.text(-0.6, row, "", ha="right", va="center") for row in range(K)]
    return {"image": image, "covers": pictures.setup_covers(ax, K, 4), "labels": labels}


def draw_components(artists, S, b, total: float, form="{}"):
    """Show the mean answers of each component in the state S, and its number of data."""
    artists["image"].set_data(mean_answers(S, b))
    for k, state in enumerate(component_states(S, total)):
        artists["covers"][k].set_visible(state == "empty")
        artists["labels"][k].set_text(form.format(short(S[k, 0])))


# ---- the plane of (a, b) -------------------------------------------------------------------------


@lru_cache(64)
def regions(truth: str, total: float) -> dict[str, np.ndarray]:
    """Outlines (n, 2) in the plane of where each kind of redundant component is the cheapest."""
    costs = extra_costs(truth, total, A_GRID, B_GRID)
    cheapest = np.stack([0 * costs["interior"], *costs.values()]).argmin(axis=0)
    found = {}
    for k, kind in enumerate(costs, 1):
        here = cheapest == k  # for each a one interval of b
        a, step = A_GRID[here.any(axis=1)], B_GRID[1] - B_GRID[0]
        low, high = here.argmax(axis=1), len(B_GRID) - here[:, ::-1].argmax(axis=1)
        low, high = (step * ends[here.any(axis=1)] for ends in (low, high))
        ends = [np.column_stack([a, low]), np.column_stack([a, high])[::-1]]
        found[kind] = np.concatenate(ends) if len(a) else np.zeros((3, 2))
    return found


def plane(truth: str, title: str) -> OldExplorer:
    """The phases of a redundant component at (a, b) and N, and the components that VB finds."""
    controls = {
        "a": slider(
            "Prior a of the weights", 0.1, pictures.A_MAX, 1.0, 0.1, form="{:.1f}"
        ),
        "b": slider(
            "Prior b of the answers", 0.02, pictures.B_MAX, 0.6, 0.02, form="{:.2f}"
        ),
        "power": slider("Number of data N", 2, 9, 3.0, 0.5, form="10^{:g}"),
    }

    def compute(a, b, power):
        total = 10.0**power
        S, _, _ = lowest_minimum(truth, K, total, a, b)
        return {"S": S, "total": total, "regions": regions(truth, total)}

    def setup(figure):
        """Left: the plane of a and b. Colours are the phases at the chosen N, hatched where empty;
        black lines are their borders for ever more data, a ring the chosen place. Right: a row of
        squares per component, white where a one is certain, with the number of its data; an empty
        one is hatched.
        """
        left, gap, right = figure.subplots(1, 3, width_ratios=[1.4, 0.12, 1])
        gap.axis("off")  # room for the numbers
        artists = {"grounds": pictures.setup_grounds(left, REDUNDANT[truth])}
        pictures.draw_lines(left, truth)
        left.set_title("Colours: phases at $N$. Lines: ever more data")
        if truth == "B":
            artists["strip"] = pictures.setup_strip_name(left)
        ring = pictures.setup_place(left)
        return artists | {"components": setup_components(right), "ring": ring}

    def draw(artists, arrays, values):
        for kind, outline in arrays["regions"].items():
            artists["grounds"][kind].set_xy(outline)
        if truth == "B":
            pictures.lead_to_strip(artists["strip"], arrays["regions"]["cut"])
        artists["ring"].set_data([values["a"]], [values["b"]])
        draw_components(
            artists["components"], arrays["S"], values["b"], arrays["total"]
        )

    def status(arrays, values) -> str:
        found = FATES[fate(truth, arrays["S"], arrays["total"])]
        limit = FATES[
            predict(4, K, *pictures.KINDS[truth], values["a"], values["b"]).redundant[0]
        ]
        smallest = short(arrays["S"][-1, 0])
        return (
            f"At N = {arrays['total']:,.0f} VB makes the redundant component {found}; the smallest "
            f"component holds {smallest} data. With ever more data: {limit}."
        )

    alt = setup.__doc__
    parts = compute, setup, draw
    return OldExplorer(
        controls, *parts, title=title, status=status, alt=alt, size=(8.6, 3.4)
    )
