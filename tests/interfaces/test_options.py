"""The command line asks for every registered release, and a mechanism is written as the options that give it back."""

from __future__ import annotations

import argparse

import pytest

import dpcore as dp
from dpcore.interfaces import options
from dpcore.mechanisms import RELEASES, GlmRelease
from tests.refusals import refuses

WORDS = ("--mechanism=posterior_sampling",)
SETTINGS = [
    entry.build(lam=0.3, **{entry.noise.name: 2.5}, **dict(zip(names, words, strict=True)))
    for entry in RELEASES.values()
    for names in [[one.name for one in entry.alternatives]]
    for words in (zip(*(one.options for one in entry.alternatives), strict=True) if names else [()])
]


def parsed(*words: str) -> argparse.Namespace:
    return options.parser(lambda chosen: 0).parse_args(["report", "data.csv", "--target=y", "--out=r.html", *words])


def read_back(data: dp.Dataset, mechanism: GlmRelease) -> argparse.Namespace:
    """The options that a release is written as, read."""
    _, _, _, *words = options.report_arguments(data, mechanism, 1e-6)
    return parsed(*[word for word in words if not word.startswith(("--target", "--out"))])


@pytest.fixture
def dataset(tmp_path):
    return read(tmp_path, range(5), domain=dp.Domain())


MODELS = [dp.PosteriorSampling(2.0, 0.5, loss=loss, clip=1.5) for loss in dp.LOSSES]


@pytest.mark.parametrize("mechanism", [*SETTINGS, *MODELS], ids=repr)
def test_a_mechanism_is_written_as_the_options_that_give_it_back(mechanism, dataset):
    assert isinstance(mechanism, GlmRelease)
    assert options.mechanism(read_back(dataset, mechanism)) == mechanism


@pytest.mark.parametrize("counts", [False, True])
def test_how_a_target_is_read_is_written_as_the_option_that_reads_it_again(counts, tmp_path):
    data = read(tmp_path, [0, 3, 20], domain=dp.Domain(ranges={"y": (0, 25)}), counts=counts)
    assert read_back(data, SETTINGS[0]).counts is counts


def test_a_matrix_has_no_option(dataset):
    with pytest.raises(dp.UnsupportedError, match="no option"):
        options.report_arguments(dataset, dp.OutputPerturbation(1.0, 1.0, [[2.0]]), 1e-6)


@pytest.mark.parametrize("entry", RELEASES.values(), ids=lambda entry: entry.option)
def test_options_of_another_mechanism_are_refused(entry):
    own = f"--{entry.noise.name}=1.5"
    foreign = {"gamma": "--gamma=2", "sigma": "--sigma=2", "shape": "--shape=gram"}
    bare = options.mechanism(parsed(f"--mechanism={entry.option}", own))
    assert bare == entry.build(lam=1.0, **{entry.noise.name: 1.5})
    for name, word in foreign.items():
        if name not in entry.asked:
            with pytest.raises(dp.ParameterError, match=f"--{name} does not belong to --mechanism {entry.option}"):
                options.mechanism(parsed(f"--mechanism={entry.option}", own, word))


def test_noise_without_a_default_must_be_stated():
    for entry in RELEASES.values():
        bare = parsed(f"--mechanism={entry.option}")
        if entry.asked[entry.noise.name] is None:
            refuses(dp.ParameterError, f"needs --{entry.noise.name}", options.mechanism, bare)
        else:
            assert getattr(options.mechanism(bare), entry.noise.name) == entry.asked[entry.noise.name]


def read(tmp_path, cells, **how):
    path = tmp_path / "data.csv"
    path.write_text("x,y\n" + "\n".join(f"{k % 7},{cells[k % len(cells)]}" for k in range(30)))
    return dp.load_csv(path, "y", **how)


def test_the_model_is_found_from_the_target(tmp_path):
    sample = parsed("--mechanism=posterior_sampling")
    labels = read(tmp_path, ["no", "yes"], domain=dp.Domain())
    assert options.mechanism(sample, labels) == dp.PosteriorSampling(1.0, 1.0, loss="logistic")
    amounts = read(tmp_path, [0.5, -0.25, 0.75], domain=dp.Domain())
    assert options.mechanism(sample, amounts) == dp.PosteriorSampling(1.0, 1.0)
    counts = read(tmp_path, [0, 3, 20], domain=dp.Domain(row_norm=2.0, ranges={"y": (0, 25)}), counts=True)
    assert options.mechanism(sample, counts) == dp.PosteriorSampling(1.0, 1.0, loss="poisson", clip=10.0)
    free = parsed("--mechanism=posterior_sampling", "--clip=none")
    assert options.mechanism(free, counts) == dp.PosteriorSampling(1.0, 1.0, loss="poisson")
    said = options.model_line(options.mechanism(sample, counts), sample, "the target is a count")
    assert said == "Model: Poisson regression, gradients clipped at 10, as the target is a count."
    named = parsed(*WORDS, "--model=poisson", "--clip=none")
    assert options.model_line(options.mechanism(named, counts), named, "") == "Model: Poisson regression."


def test_a_model_that_does_not_suit_the_target_is_refused_with_those_that_do(tmp_path):
    amounts = read(tmp_path, [0.5, -0.25, 0.75], domain=dp.Domain())
    with pytest.raises(dp.DataError, match=r"Logistic regression does not suit.*two levels.*Models that do: .*linear"):
        options.mechanism(parsed(*WORDS, "--model=logistic"), amounts)
    for clip in ("x", "-1", "0"):
        refuses(dp.ParameterError, "--clip must be", options.mechanism, parsed(*WORDS, f"--clip={clip}"))
