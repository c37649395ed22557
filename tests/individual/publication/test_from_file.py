"""A publication of a file read in pieces: with the same noise that of the rows in memory, and as careful."""

import pytest

import dpcore as dp
from dpcore.individual.publication.from_file import stream_publication
from dpcore.individual.publication.plan import Terms
from tests.individual.passes.test_file import saved, small_pieces, table

DOMAIN = dp.Domain(row_norm=1.0, target_bound=1.0, rows="clip")


@pytest.mark.parametrize(
    "mechanism",
    [dp.PosteriorSampling(1.0, 3.0), dp.OutputPerturbation(0.5, 3.0, loss="huber")],
    ids=["linear", "huber"],
)
def test_the_same_noise_says_the_same(mechanism, tmp_path, monkeypatch):
    path = saved(table(), tmp_path, ".csv")
    small_pieces(monkeypatch)
    seen = []
    found = stream_publication(
        path, "y", mechanism, 1e-6, Terms(2.0, bins=9), rng=4, domain=DOMAIN, progress=lambda *done: seen.append(done)
    )
    data = dp.load_csv(path, "y", domain=DOMAIN)
    expected = dp.publish_exposure(data, mechanism, epsilon=2.0, bins=9, rng=4)
    assert found.counts == expected.counts
    assert found.edges == pytest.approx(expected.edges, rel=1e-9)
    assert found.statement == expected.statement
    assert len([share for stage, share in seen if stage == "publishing"]) > 4, "read in one piece"


def test_what_is_refused_in_memory_is_refused_in_pieces(tmp_path):
    path = saved(table(), tmp_path, ".csv")
    for mechanism, domain, terms, kind, words in (
        (dp.PosteriorSampling(1.0, 1.0, loss="poisson"), DOMAIN, Terms(1.0), dp.DPError, "clip"),
        (dp.PosteriorSampling(1.0, 1.0, loss="poisson", clip=1.0), DOMAIN, Terms(1.0), dp.DataError, "counts >= 0"),
        (dp.PosteriorSampling(1.0, 1.0), None, Terms(1.0), dp.ParameterError, "needs a public domain"),
        (dp.PosteriorSampling(1.0, 1.0), DOMAIN, Terms(1.0, public_rows=3), dp.ParameterError, "public_rows"),
    ):
        with pytest.raises(kind, match=words):
            stream_publication(path, "y", mechanism, 1e-6, terms, domain=domain)
