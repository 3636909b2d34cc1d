"""The names under which files of ratings have their users, items and ratings."""

import re

NAMES = {
    "user": {
        *("user", "reviewer", "customer", "client", "member", "critic", "rater"),
        *("judge", "person", "reader", "viewer", "listener", "player", "participant"),
        *("subject", "respondent", "student", "consumer", "visitor", "author", "u"),
    },
    "item": {
        *("item", "movie", "film", "book", "isbn", "asin", "product", "business"),
        *("restaurant", "song", "track", "artist", "album", "game", "anime", "joke"),
        *("beer", "wine", "recipe", "show", "series", "course", "hotel", "place"),
        *("article", "i"),
    },
    "rating": {
        *("rating", "ratings", "score", "scores", "star", "stars", "grade", "vote"),
        *("value", "overall", "points", "weight", "plays", "playcount", "r"),
    },
}
ROLES = tuple(NAMES)
OTHER_LETTERS = re.compile(r"[\W_]")
ENDINGS = re.compile(r"(?:id|ids|no|nr|number|name|index|idx|key|code)$")


def roles_of(names: list[str]) -> dict[str, list[str]]:
    """Which of some columns are users, items and ratings by their names. Names that end in
    "id" go before those that do not."""
    found: dict[str, list[str]] = {}
    for name in names:
        role = _role(name)
        if role is not None:
            found.setdefault(role, []).append(name)
    for role, known in found.items():
        ids = [name for name in known if name.lower().endswith("id")]
        if len(ids) == 1:
            found[role] = ids
    return found


def _role(name: str) -> str | None:
    """What a column holds, by its name; None for an unknown name."""
    letters = OTHER_LETTERS.sub("", name.lower())
    for known in (letters, ENDINGS.sub("", letters)):
        for role, names in NAMES.items():
            if known in names:
                return role
        if known.endswith(("rating", "score")):
            return "rating"
    return None
