"""The command line asks for every registered release, and a mechanism is written as the options that give it back."""

from __future__ import annotations

import argparse

import pytest

import dpcore as dp
from dpcore.interfaces import options
from dpcore.mechanisms import RELEASES, GlmRelease

SETTINGS = [
    entry.build(lam=0.3, **{entry.noise.name: 2.5}, **dict(zip(names, words, strict=True)))
    for entry in RELEASES.values()
    for names in [[one.name for one in entry.alternatives]]
    for words in (zip(*(one.options for one in entry.alternatives), strict=True) if names else [()])
]


def parsed(*words: str) -> argparse.Namespace:
    return options.parser(lambda chosen: 0).parse_args(["report", "data.csv", "--target=y", "--out=r.html", *words])


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,y\n" + "\n".join(f"{k % 7},{k % 5}" for k in range(30)))
    return dp.load_csv(path, "y", domain=dp.Domain())


@pytest.mark.parametrize("mechanism", SETTINGS, ids=repr)
def test_a_mechanism_is_written_as_the_options_that_give_it_back(mechanism, dataset):
    _, _, _, *words = options.report_arguments(dataset, mechanism, 1e-6)
    assert isinstance(mechanism, GlmRelease)
    assert (
        options.mechanism(parsed(*[word for word in words if not word.startswith(("--target", "--out"))])) == mechanism
    )


def test_a_matrix_has_no_option(dataset):
    with pytest.raises(dp.UnsupportedError, match="no option"):
        options.report_arguments(dataset, dp.OutputPerturbation(1.0, 1.0, [[2.0]]), 1e-6)


@pytest.mark.parametrize("entry", RELEASES.values(), ids=lambda entry: entry.option)
def test_options_of_another_mechanism_are_refused(entry):
    own = f"--{entry.noise.name}=1.5"
    foreign = {"gamma": "--gamma=2", "sigma": "--sigma=2", "shape": "--shape=gram"}
    assert options.mechanism(parsed(f"--mechanism={entry.option}", own)) == entry.build(
        lam=1.0, **{entry.noise.name: 1.5}
    )
    for name, word in foreign.items():
        if name not in entry.asked:
            with pytest.raises(dp.ParameterError, match=f"--{name} does not belong to --mechanism {entry.option}"):
                options.mechanism(parsed(f"--mechanism={entry.option}", own, word))


def test_noise_without_a_default_must_be_stated():
    for entry in RELEASES.values():
        bare = parsed(f"--mechanism={entry.option}")
        if entry.asked[entry.noise.name] is None:
            with pytest.raises(dp.ParameterError, match=f"needs --{entry.noise.name}"):
                options.mechanism(bare)
        else:
            assert getattr(options.mechanism(bare), entry.noise.name) == entry.asked[entry.noise.name]
