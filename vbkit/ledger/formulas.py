"""Plain text with formulas ("alpha_k = a + N_k is right") as Markdown that shows them as code."""

from __future__ import annotations

import re

PUNCTUATION = re.compile(r"([\\`*_<~$|])")
OPERATORS = re.compile(r"[-+=<>/*|]+")
SURE = re.compile(  # what only a formula holds
    r"[=^<>|~*+]|\w'?_\w|_\{|\b[A-Z]\[|\b[A-Z]'(?!s)|[a-z]'[A-Z]|\b(?!or\b|eqs?\b)[A-Za-z]\w{0,5}\(|\d/\w|\w/\d|\)/|/\("
    r"|\b\w/|/\w\b|\bd\w+/d|\w-bar|^[-/]$|^\(?-\w"
)
NAME = re.compile(  # what may be part of one
    r"-?[\d.,]*|\d?d?[A-Za-z]\d?'?|\d?(alpha|beta|gamma|delta|eps|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi"
    r"|psi|omega|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi)\d?(-hat)?|d?log|exp|tr|sum|min|max|sqrt|det|const|infinity"
)


def readable(text: str) -> str:
    """The same words; a formula among them becomes code, everything else is safe from Markdown."""
    pieces, run = [], []
    for word in text.split(" "):
        core = word.strip("()[]{}.,;:")
        if '"' not in word and (SURE.search(word) or NAME.fullmatch(core)):
            run.append(word)
            if word[-1:] not in ".;:":
                continue
            word = None
        pieces += _formula(run) + ([] if word is None else [_plain(word)])
        run = []
    return " ".join(pieces + _formula(run))


def _formula(run: list[str]) -> list[str]:
    """Words in a row that may be a formula: as code, if one of them is surely part of it and its brackets match."""
    if run[1:] and run[0] in ("a", "A", "I") and not OPERATORS.match(run[1]):  # an article
        return [run[0], *_formula(run[1:])]
    if run[1:] and re.fullmatch(r"[\d.]+,", run[0]):  # the number of a section
        return [run[0], *_formula(run[1:])]
    if run[1:] and run[-1] in ("a", "A") and not OPERATORS.fullmatch(run[-2]):
        return [*_formula(run[:-1]), run[-1]]
    text = " ".join(run)
    code = text.rstrip(".,;:")
    before, after = code.count("(") > code.count(")"), code.count(")") > code.count("(")
    code = (
        code[1:]
        if before and code.startswith("(")
        else code[:-1]
        if after and code.endswith(")")
        else code
    )
    matched = all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))
    if (
        not matched
        or OPERATORS.fullmatch(code.split(" ")[-1])
        or "`" in code
        or not any(map(SURE.search, run))
    ):
        return list(map(_plain, run))
    start = text.index(code)
    return [f"{text[:start]}`{code}`{text[start + len(code) :]}"]


def _plain(word: str) -> str:
    return word if re.fullmatch(r"`\w+`[.,;:]?", word) else PUNCTUATION.sub(r"\\\1", word)
