"""The pictures of a report on a table, each with its alternative text."""

import numpy as np

from vbkit import plots
from vbkit.own_data.tables.fitting import Groups, profiles
from vbkit.own_data.tables.kinds import Data
from vbkit.plots import COLOURS, LINES, MARKERS, Picture

SHOWN = 30  # features in the picture of profiles
POINTS = 3000  # rows in the picture of points


def _short(name: str, length: int = 24) -> str:
    """A name as it is drawn: cut if it is long, a dollar no beginning of a formula."""
    name = name if len(name) <= length else name[: length - 1] + "…"
    return name.replace("$", r"\$")


def profile(data: Data, groups: Groups) -> Picture:
    """What is typical of each group, as a map of rows (features) and columns (groups)."""
    typical, _, apart, names = profiles(data, groups)
    shown = np.sort(np.argsort(-np.ptp(apart, axis=0), kind="stable")[:SHOWN])
    values = (typical if data.shares else apart)[:, shown].T
    K, P = len(groups.kept), len(shown)
    fig, (ax,) = plots.figure(min(3.2 + 0.75 * K, 12), 1.3 + 0.27 * P)
    top = 1.0 if data.shares else max(1.0, np.abs(values).max())
    style = (
        {"cmap": "cividis", "vmin": 0.0}
        if data.shares
        else {"cmap": "RdBu_r", "vmin": -top}
    )
    image = ax.imshow(values, aspect="auto", vmax=top, rasterized=True, **style)
    if K <= 12:
        for (i, j), value in np.ndenumerate(values):
            dark = value < 0.5 if data.shares else abs(value) > 0.6 * top
            colour = "white" if dark else "black"
            ax.text(
                j, i, f"{value:.2f}", ha="center", va="center", size=9, color=colour
            )
    ax.set_xticks(range(K), [f"group {k}" if K <= 8 else str(k) for k in groups.kept])
    ax.set_yticks(range(P), [_short(names[i]) for i in shown])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    words = (
        "probability"
        if data.shares
        else "mean, in standard deviations from the table's mean"
    )
    fig.colorbar(image, ax=ax, label=words if P > 9 else words.split(",")[0])
    parts = []
    for k, row in zip(groups.kept, apart, strict=True):
        first = np.argsort(-np.abs(row), kind="stable")[:2]
        sides = [
            f"{names[i]} {'above' if row[i] > 0 else 'below'} the table's"
            for i in first
        ]
        parts.append(f"group {k}: {' and '.join(sides)}")
    return plots.Picture(fig, f"What is typical of each group. {'; '.join(parts)}.")


def points(data: Data, groups: Groups, seed: int = 0) -> Picture:
    """The rows in the plane in which they spread most, in the colours of their groups."""
    scale = np.where(np.ptp(data.X, axis=0) > 0, data.X.std(axis=0), 1.0)
    Z = (data.X - data.X.mean(axis=0)) / scale
    _, s, Vt = np.linalg.svd(Z, full_matrices=False)
    flat = Z @ Vt[:2].T
    rows = np.arange(len(Z))
    if len(rows) > POINTS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, POINTS, replace=False))
    labels = groups.proba.argmax(axis=1)
    fig, (ax,) = plots.figure(6.5, 4.4)
    for place, k in enumerate(groups.kept):
        mine = rows[labels[rows] == k]
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        ax.plot(*flat[mine].T, ls="none", marker=marker, color=colour, ms=5, mew=0, alpha=0.7,
                label=f"group {k}")  # fmt: skip
    share = 100 * s[:2] ** 2 / (s**2).sum()
    ax.set_xlabel(f"direction of largest spread ({share[0]:.0f} % of the variance)")
    ax.set_ylabel(f"second direction ({share[1]:.0f} %)")
    ax.legend(
        loc="center left", bbox_to_anchor=(1, 0.5), ncols=1 + len(groups.kept) // 16
    )
    alt = f"{len(rows)} rows in the two directions in which the scaled columns spread most, "
    return plots.Picture(
        fig, f"{alt}with a colour and a mark for each of {len(groups.kept)} groups."
    )


def elbo_over_components(groups: Groups) -> Picture:
    """The ELBO against the number of components offered, and how many were used."""
    fig, axes = plots.figure(7, 4.2, nrows=2, sharex=True, height_ratios=[2, 1])
    K, best = groups.offered, int(np.argmax(groups.elbos))
    axes[0].plot(K, groups.elbos, marker="o", color=COLOURS[0], ls=LINES[0])
    axes[0].plot(
        K[best], groups.elbos[best], marker="D", color=COLOURS[1], ms=9, ls="none"
    )
    axes[0].annotate("highest", (K[best], groups.elbos[best]), xytext=(0, 9),
                     textcoords="offset points", ha="center", color=COLOURS[1])  # fmt: skip
    axes[0].margins(y=0.15)
    axes[0].set_ylabel("ELBO (nats)")
    axes[1].plot(K, K, color=plots.GREY, ls=":", label="as many as offered")
    axes[1].plot(
        K, groups.used, marker="s", color=COLOURS[2], ls="-", label="that hold rows"
    )
    axes[1].set(xlabel="components offered", ylabel="components", ylim=(0, max(K) + 1))
    axes[1].legend(loc="upper left")
    axes[1].set_xticks(K)
    alt = f"The ELBO for {K[0]} to {K[-1]} components; it is highest, {groups.elbos[best]:.1f} "
    return plots.Picture(
        fig, f"{alt}nats, at {K[best]}. Below: how many of them hold rows."
    )


def doubtful(groups: Groups, rows: list[str]) -> Picture:
    """The probabilities of the groups for the most doubtful rows, as stacked bars."""
    chosen = groups.doubtful
    fig, (ax,) = plots.figure(7, 1.1 + 0.27 * len(chosen))
    left, places = np.zeros(len(chosen)), np.arange(len(chosen))
    for place, k in enumerate(groups.kept):
        width = groups.proba[chosen, k]
        bars = ax.barh(places, width, left=left, color=COLOURS[place % len(COLOURS)], height=0.8,
                       edgecolor="white", label=f"group {k}")  # fmt: skip
        ax.bar_label(bars, [str(k) if w > 0.06 else "" for w in width], label_type="center",
                     color="white", size=9)  # fmt: skip
        left += width
    ax.set_yticks(places, [_short(rows[i]) for i in chosen])
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="probability of each group (its number is in the bar)")
    first, largest = chosen[0], groups.proba[chosen[0]].max()
    alt = f"The {len(chosen)} rows whose group is least certain. The most doubtful is "
    return plots.Picture(
        fig, f"{alt}{rows[first]}: its likeliest group has {largest:.0%}."
    )
