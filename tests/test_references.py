"""The bibliography."""

import re

import pytest

from dpcore.errors import DataError
from dpcore.exhibits.learning_limits import packing
from dpcore.references import REFERENCES, formula_card


def test_keys_are_slugs_and_unique():
    assert all(key == reference.key for key, reference in REFERENCES.items())
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", key) for key in REFERENCES)


def test_links_are_secure_and_unique():
    links = [reference.url for reference in REFERENCES.values() if reference.url]
    assert all(link.startswith(("https://doi.org/", "https://arxiv.org/abs/")) for link in links)
    assert len(set(links)) == len(links)
    assert len({reference.text for reference in REFERENCES.values()}) == len(REFERENCES)


def test_a_card_is_read_beside_its_module():
    assert formula_card(packing.__file__, "packing") == packing.PACKING_CARD
    assert isinstance(packing.PACKING_CARD.latex, tuple), "frozen, whatever the file has"
    with pytest.raises(
        DataError, match=r"^cards\.toml beside packing\.py: pakcing is not known; known are convexity, "
    ):
        formula_card(packing.__file__, "pakcing")
