"""Chapter 10: one phase transition in three models."""

from vbkit.chapters.side_by_side import answers, pictures
from vbkit.chapters.side_by_side.balance import tax_and_grant
from vbkit.chapters.side_by_side.copies import second_component
from vbkit.chapters.side_by_side.pair import singular_pair
