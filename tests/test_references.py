"""The bibliography."""

import re

from dpcore.references import REFERENCES


def test_keys_are_slugs_and_unique():
    assert all(key == reference.key for key, reference in REFERENCES.items())
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", key) for key in REFERENCES)


def test_links_are_secure_and_unique():
    links = [reference.url for reference in REFERENCES.values() if reference.url]
    assert all(link.startswith(("https://doi.org/", "https://arxiv.org/abs/")) for link in links)
    assert len(set(links)) == len(links)
    assert len({reference.text for reference in REFERENCES.values()}) == len(REFERENCES)
