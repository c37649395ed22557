"""Nothing that is read is run: checkpoints, printed objects, YAML, and what is wrong with each in a sentence."""

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dpcore as dp
from dpcore.mechanisms import STEPS
from dpcore.runs.check import as_text
from dpcore.runs.checkpoint import read_checkpoint
from dpcore.runs.readers.pipeline import steps_of, written
from dpcore.runs.source import content_of

HERE = Path(__file__).parent / "recorded"


class Hostile:
    """Makes a folder when it is unpickled as any pickle is."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def zipped(data: bytes, name: str = "archive/data.pkl") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as whole:
        whole.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("file", ["checkpoint.pt", "legacy.pt"])
def test_a_checkpoint_that_torch_wrote_is_read_without_torch(file):
    """Of Opacus 1.6, with weights and the state of an optimiser; ε as its `get_epsilon` printed it."""
    found = dp.check_run(HERE / file, 1e-5)
    assert found.tool == "Opacus"
    assert found.pipeline == ((dp.Subsampled(dp.Gaussian(1.2), 1 / 12), 24),)
    assert found.claimed == pytest.approx(2.673170839706348, rel=1e-9)
    assert dp.check_run(as_text((HERE / file).read_bytes()), 1e-5).pipeline == found.pipeline
    assert json.loads(as_text((HERE / file).read_bytes())) == {"history": [[1.2, 1 / 12, 24]], "mechanism": "rdp"}


@pytest.mark.parametrize("wrap", [bytes, zipped])
def test_a_hostile_checkpoint_is_refused_and_does_nothing(wrap, tmp_path):
    target = tmp_path / "made"
    data = wrap(pickle.dumps({"history": [[1.0, 0.1, 5]], "mechanism": "rdp", "more": Hostile(target)}))
    with pytest.raises(dp.DataError, match=r"asks for '(posix|nt)\.mkdir'"):
        dp.check_run(data)
    assert not target.exists()
    pickle.loads(pickle.dumps(Hostile(target)))
    assert target.exists()


@pytest.mark.parametrize("hostile", [
    b"\x80\x02cbuiltins\neval\n(S'1'\ntR.", b"\x80\x02ctorch.nn\nModule\n(S'1'\ntR(S'a'\ntR.", b"\x80\x02ccollections\nabc\n.",
])  # fmt: skip
def test_no_name_but_ordered_dict_and_those_of_torch_is_looked_up(hostile):
    with pytest.raises(dp.DataError, match=r"asks for|cannot be read"):
        read_checkpoint(hostile)


@pytest.mark.parametrize(("data", "said"), [
    (zipped(b"", "other.txt"), "has no data.pkl"),
    (b"\x80\x04broken", "cannot be read"),
    (pickle.dumps({"history": np.float64(1.0)}), "asks for 'numpy"),
    (b"\xff\xfe\xff", "neither a checkpoint nor UTF-8"),
    (b"", "is empty"),
    (b"{broken", "begins like JSON"),
    (b"[" * 100_000, "begins like JSON"),
    (b"[" * 100 + b"]" * 100, "lists in lists"),
    (b"a: &x [1]\nb: *x\n", "alias"),
    (b"GaussianDpEvent(noise_multiplier=open('x'))\nimport os", "neither|names and plain values"),
    (b"GaussianDpEvent(", "is not one"),
    (b"a run with epsilon 3", "no run of a known format"),
    (b"pipeline:\n- mechanism: gaussian\n", "sigma is missing"),
    (b"pipeline:\n- {mechanism: gaussian, sigma: 1.0, noise: 2.0}\n", "noise is not known"),
    (b"pipeline:\n- {mechanism: gaussian, sigma: -1.0}\n", "sigma must be > 0"),
    (b"DP-SGD performed over 10", "paste all"),
])  # fmt: skip
def test_what_cannot_be_read_is_said_in_a_sentence(data, said):
    with pytest.raises(dp.DataError, match=said):
        dp.check_run(data)


def test_a_text_is_a_path_only_where_it_was_given_as_one(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"history": [[1.0, 0.1, 5]], "mechanism": "rdp"}', encoding="utf-8")
    assert dp.check_run(str(path)).epsilon == dp.check_run(path).epsilon == dp.check_run(path.read_bytes()).epsilon
    with pytest.raises(dp.DataError, match="no run of a known format"):
        dp.check_run(str(path).encode())
    with pytest.raises(dp.DataError, match="there is no file"):
        dp.check_run(tmp_path / "none.json")


def test_no_module_that_a_run_names_is_imported():
    import sys

    text = json.dumps(["antigravity", "GaussianDpEvent", 1.0])
    before = set(sys.modules)
    found = dp.check_run({"event": json.loads(text)})
    assert "antigravity" not in set(sys.modules) - before
    assert "not imported" in found.flags[0]


def test_saved_pipelines_are_read_as_they_were_written():
    steps = [(key, {p.name: p.default for p in entry.parameters}, 3) for key, entry in STEPS.items()]
    for step in steps:
        text = written([step, ("gaussian", {"sigma": 1e-7}, 1)])
        assert steps_of(content_of(text)) == [step, ("gaussian", {"sigma": 1e-7}, 1)]
    as_json = json.dumps({"pipeline": [{"mechanism": "gaussian", "sigma": 30.0, "count": 100}]})
    assert dp.check_run(as_json).pipeline == ((dp.Gaussian(30.0), 100),)


def test_what_is_known_from_above_alone_has_nothing_below():
    published = STEPS["objective_published"]
    text = written([("objective_published", {p.name: p.default for p in published.parameters}, 1)])
    low, high = dp.check_run(text).epsilon
    assert low == 0 < high
