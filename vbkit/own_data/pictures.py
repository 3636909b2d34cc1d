"""The pictures of a report on a table, each with its alternative text."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from vbkit import plots
from vbkit.own_data.groups import Groups, Profiles, clocks, most_different, profiles
from vbkit.own_data.preparation import Data
from vbkit.own_data.sequences import Sequences, Stay
from vbkit.own_data.table import Table
from vbkit.own_data.text import many
from vbkit.plots import COLOURS, LINES, MARKERS

SHOWN = 30  # features in the picture of profiles
POINTS = 3000  # rows in the picture of points
LONGEST_NAME = 24  # characters of a name as it is drawn
COURSES = 5  # columns in the picture of a course
ROWS = 700  # rows in it, unless a sequence is longer: then its first ones
LETTERS = 100  # of the names of sequences, that stand side by side in it
TICKS = 5  # of its moments, or rows, that it names
NARROW = 0.02  # of its width, up to which a band is too narrow for a number
MOST_WRITTEN = 12  # groups up to which the picture of profiles writes its numbers


def _short(name: str) -> str:
    """A name as it is drawn: cut if it is long, a dollar no beginning of a formula."""
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1] + "…"
    return name.replace("$", r"\$")


def _colour(place: int) -> str:
    """The colour of the group at a place among the kept ones."""
    return COLOURS[place % len(COLOURS)]


def profile(data: Data, groups: Groups) -> plots.Picture:
    """What is typical of each group, as a map of rows (features) and columns (groups)."""
    found = profiles(data, groups)
    apart = found.apart
    names = found.names
    shown = found.most_apart(SHOWN)
    values = (found.typical if data.shares else apart)[:, shown].T
    P, K = values.shape
    fig, (ax,) = plots.figure(min(3.2 + 0.75 * K, 12), 1.3 + 0.27 * P)
    if data.shares:
        low = 0.0
        high = 1.0
        colours = "cividis"
        is_dark = values < 0.5
    else:
        high = max(1.0, np.abs(values).max())
        low = -high
        colours = "RdBu_r"
        is_dark = np.abs(values) > 0.6 * high
    image = ax.imshow(
        values, aspect="auto", rasterized=True, cmap=colours, vmin=low, vmax=high
    )
    if K <= MOST_WRITTEN:
        for (i, j), value in np.ndenumerate(values):
            colour = "white" if is_dark[i, j] else "black"
            text = f"{value:.2f}"
            ax.text(j, i, text, ha="center", va="center", size=9, color=colour)
    ax.set_xticks(range(K), [f"group {k}" if K <= 8 else str(k) for k in groups.kept])
    ax.set_yticks(range(P), [_short(names[i]) for i in shown])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    fig.colorbar(image, ax=ax, label=_unit(data, P))
    return plots.Picture(fig, _profile_in_words(groups, apart, names))


def _unit(data: Data, features: int) -> str:
    """What the colours of the picture of profiles mean, shorter beside few features."""
    if data.shares:
        return "probability"
    if features > 9:
        return "mean, in standard deviations from the table's mean"
    return "standard deviations\nfrom the table's mean"


def _profile_in_words(groups: Groups, apart: np.ndarray, names: list[str]) -> str:
    """The alternative text of the picture of profiles."""
    sentences = []
    for k, differences in zip(groups.kept, apart, strict=True):
        sides = []
        for i in most_different(differences, 2):
            side = "above" if differences[i] > 0 else "below"
            sides.append(f"{names[i]} {side} the table's")
        sentences.append(f"group {k}: {' and '.join(sides)}")
    return f"What is typical of each group. {'; '.join(sentences)}."


def points(data: Data, groups: Groups, seed: int = 0) -> plots.Picture:
    """The rows in the plane in which they spread most, in the colours of their groups;
    of two columns, in the plane of these."""
    if len(data.names) == 2:
        flat = data.X
        across, up = map(_short, data.names)
        plane = "the plane of the two columns"
    else:
        analysis = PCA(2, svd_solver="full")
        flat = analysis.fit_transform(StandardScaler().fit_transform(data.X))
        share = 100 * analysis.explained_variance_ratio_
        across = f"direction of largest spread ({share[0]:.0f} % of the variance)"
        up = f"second direction ({share[1]:.0f} %)"
        plane = "the two directions in which the scaled columns spread most"
    rows = np.arange(len(flat))
    if len(rows) > POINTS:
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(rows, POINTS, replace=False))
    labels = groups.labels[rows]
    fig, (ax,) = plots.figure(6.5, 4.4)
    for place, k in enumerate(groups.kept):
        mine = rows[labels == k]
        ax.plot(
            *flat[mine].T,
            ls="none",
            marker=MARKERS[(place + place // len(COLOURS)) % len(MARKERS)],
            color=_colour(place),
            ms=5,
            mew=0,
            alpha=0.7,
            label=f"group {k}",
        )
    ax.set(xlabel=across, ylabel=up)
    columns = 1 + len(groups.kept) // 16
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), ncols=columns)
    alt = (
        f"{len(rows)} rows in {plane}, with a colour and a mark for each of "
        f"{len(groups.kept)} groups."
    )
    return plots.Picture(fig, alt)


def course(table: Table, data: Data, groups: Groups) -> plots.Picture:
    """The columns in which groups differ most, over the rows of the first sequences, on bands
    in the colours of the states."""
    found = profiles(data, groups)
    chosen = found.most_apart(COURSES)
    ends = data.sequences.ends
    count = rows_of_course(data.sequences)
    bands = [stay for stay in groups.stays if stay.first < count]
    fig, axes = plots.figure(9, 0.9 + 1.4 * len(chosen), nrows=len(chosen), sharex=True)
    for ax, i in zip(axes, chosen, strict=True):
        ax.plot(found.values[:count, i], color="black", lw=0.8, ls="-")
        _draw_bands(ax, bands, groups)
        for end in ends[ends < count]:
            ax.axvline(end - 0.5, color="black", lw=1.2, ls=":")
        names_above = ax is axes[0] and data.sequences.have_names
        ax.set_title(_short(found.names[i]), size=10, pad=18 if names_above else None)
        ax.margins(y=0.2 if ax is axes[0] else 0.05)  # above, for the numbers
        ax.set_xlim(-0.5, count - 0.5)
    _write_numbers(axes[0], bands, count)
    if data.sequences.have_names:
        _write_names(axes[0], data.sequences, count)
    called, names = next(iter(clocks(table).items()), ("row", table.rows))
    ticks = np.linspace(0, count - 1, min(count, TICKS)).astype(int)
    axes[-1].set_xticks(ticks, [_short(names[row] or "") for row in ticks])
    axes[-1].set_xlabel(_short(called))
    return plots.Picture(
        fig, _course_in_words(found, chosen, bands, shown_of_course(data), called)
    )


def rows_of_course(sequences: Sequences) -> int:
    """How many rows the picture of a course shows: those of the first whole sequences, or
    the first rows of a long one."""
    ends = sequences.ends
    return int(max(ends[ends <= ROWS], default=min(ends[0], ROWS)))


def shown_of_course(data: Data) -> str:
    """What the picture of a course shows, of how much, in words."""
    ends = data.sequences.ends
    count = rows_of_course(data.sequences)
    whole = int((ends <= count).sum())
    rows = f"{count} of {len(data.X)} rows"
    if count == len(data.X):
        return f"all {many(count, 'row')}"
    if whole == 0:
        of_which = "" if len(ends) == 1 else f" of the first of {len(ends)} sequences"
        return f"the first {count} of {ends[0]} rows{of_which}"
    if whole == 1:
        return f"the first sequence of {len(ends)} ({rows})"
    return f"the first {whole} of {len(ends)} sequences ({rows})"


def caption_of_course(data: Data) -> str:
    """Sentences below the picture of a course: what is shown, and what its marks mean."""
    told = f"The picture shows {shown_of_course(data)}. Its colours are the groups"
    if data.sequences.ends[0] < rows_of_course(data.sequences):
        told += ", and where a new sequence begins, there is a dotted line"
    return f"{told}."


def _draw_bands(ax, bands: list[Stay], groups: Groups) -> None:
    """Draw stays as bands in the colours of their states."""
    places = {k: place for place, k in enumerate(groups.kept.tolist())}
    for stay in bands:
        colour = plots.GREY
        if stay.state in places:
            colour = _colour(places[stay.state])
        ax.axvspan(stay.first - 0.5, stay.last + 0.5, color=colour, alpha=0.35, lw=0)


def _write_numbers(ax, bands: list[Stay], count: int) -> None:
    """Write the number of its state into each band that is wide enough."""
    for stay in bands:
        last = min(stay.last, count - 1)
        if last - stay.first >= NARROW * count:
            middle = (stay.first + last) / 2
            place = ax.get_xaxis_transform()
            ax.text(middle, 0.97, stay.state, transform=place, ha="center", va="top")


def _write_names(ax, sequences: Sequences, count: int) -> None:
    """Write the names of sequences above their beginnings, where there is room."""
    for begin, end in zip(sequences.begins, sequences.ends, strict=True):
        name = _short(sequences.cells[begin])
        if end <= count and len(name) <= LETTERS * (end - begin) / count:
            place = ax.get_xaxis_transform()
            ax.text(begin - 0.5, 1.03, name, transform=place, ha="left", size=9)


def _course_in_words(
    found: Profiles, chosen, bands: list[Stay], which: str, called: str
) -> str:
    """The alternative text of the picture of a course."""
    longest = max(bands, key=lambda stay: stay.rows)
    return (
        f"{', '.join(found.names[i] for i in chosen)} over {called!r} for {which}, on "
        f"coloured bands that show the group, with {many(len(bands), 'stay')}; the longest "
        f"has {many(longest.rows, 'row')}, in group {longest.state}."
    )


def elbo_over_components(groups: Groups) -> plots.Picture:
    """The ELBO against the number of components offered, and how many were used."""
    fig, axes = plots.figure(7, 4.2, nrows=2, sharex=True, height_ratios=[2, 1])
    upper, lower = axes
    K = groups.offered
    best = int(np.argmax(groups.elbos))
    highest = groups.elbos[best]
    upper.plot(K, groups.elbos, marker="o", color=COLOURS[0], ls=LINES[0])
    upper.plot(K[best], highest, marker="D", color=COLOURS[1], ms=9, ls="none")
    upper.annotate(
        "highest",
        (K[best], highest),
        xytext=(0, 9),
        textcoords="offset points",
        ha="center",
        color=COLOURS[1],
    )
    upper.margins(y=0.15)
    upper.set_ylabel("ELBO (nats)")
    lower.plot(K, K, color=plots.GREY, ls=":", label="as many as offered")
    lower.plot(
        K, groups.used, marker="s", color=COLOURS[2], ls="-", label="that hold rows"
    )
    lower.set(xlabel="components offered", ylabel="components", ylim=(0, max(K) + 1))
    lower.legend(loc="upper left")
    lower.set_xticks(K)
    alt = (
        f"The ELBO for {K[0]} to {K[-1]} components; it is highest, "
        f"{groups.elbos[best]:.1f} nats, at {K[best]}. Below: how many of them hold rows."
    )
    return plots.Picture(fig, alt)


def doubtful(groups: Groups, rows: list[str]) -> plots.Picture:
    """The probabilities of the groups for the most doubtful rows, as stacked bars.

    rows: the names of all rows (N,).
    """
    chosen = groups.doubtful
    fig, (ax,) = plots.figure(7, 1.1 + 0.27 * len(chosen))
    left = np.zeros(len(chosen))
    places = np.arange(len(chosen))
    for place, k in enumerate(groups.kept):
        width = groups.proba[chosen, k]
        bars = ax.barh(
            places,
            width,
            left=left,
            color=_colour(place),
            height=0.8,
            edgecolor="white",
            label=f"group {k}",
        )
        numbers = [str(k) if w > 0.06 else "" for w in width]
        ax.bar_label(bars, numbers, label_type="center", color="white", size=9)
        left += width
    ax.set_yticks(places, [_short(rows[i]) for i in chosen])
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="probability of each group (its number is in the bar)")
    first = chosen[0]
    alt = (
        f"The {len(chosen)} rows whose group is least certain. The most doubtful is "
        f"{rows[first]}: its group has {groups.sure[first]:.0%}."
    )
    return plots.Picture(fig, alt)
