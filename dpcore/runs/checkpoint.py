"""Numbers out of a PyTorch checkpoint or a pickle, without PyTorch and without running anything that it asks for."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from dpcore.errors import DataError

_MOST = 2**26  # bytes of the part that holds names and numbers; doubled, a hostile file takes twice the memory
_PICKLES = 5  # that an old checkpoint has one after the other: magic number, protocol, system, content, keys
_CONTENT = "data.pkl"


class _Left:
    """Stands for a tensor, a device, a type: it takes whatever is given and keeps none of it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, _: Any) -> None:
        pass


class _Numbers(pickle.Unpickler):
    """Numbers, text, lists, dicts and `OrderedDict`; what PyTorch would rebuild is left out, any other name refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module.partition(".")[0] == "torch":
            return _Left
        raise DataError(
            f"the checkpoint asks for {f'{module}.{name}'!r:.80}, which is neither a number nor a tensor, so nothing of it is used: "
            "save accountant.state_dict() alone, with float() around its numbers, or paste it as JSON"
        )

    def persistent_load(self, pid: Any) -> Any:
        return _Left()


def is_checkpoint(data: bytes) -> bool:
    """Whether bytes are a zip file or a pickle of protocol 2 or later."""
    return data[:4] == b"PK\x03\x04" or data[:1] == b"\x80"


def read_checkpoint(data: bytes) -> Any:
    """The first dict of a checkpoint, with numbers in it and marks in place of tensors.

    Raises
    ------
    DataError
        If it is damaged, too large, has no dict, or asks for anything but numbers and tensors.
    """
    try:
        stream = io.BytesIO(_pickled(data) if data[:2] == b"PK" else data[:_MOST])
        for _ in range(_PICKLES):
            found = _Numbers(stream).load()
            if isinstance(found, Mapping) and "little_endian" not in found:  # the system, in old checkpoints
                return found
    except DataError:
        raise
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise DataError(
            f"the checkpoint cannot be read ({type(error).__name__}): save it again, or paste it as JSON"
        ) from error
    raise DataError("the checkpoint holds no dict: save accountant.state_dict() or the whole checkpoint as a dict")


def _pickled(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        parts = [one for one in whole.infolist() if one.filename.rpartition("/")[2] == _CONTENT]
        if not parts:
            raise DataError(f"the zip file has no {_CONTENT}, so torch.save did not write it: save the state as JSON")
        with whole.open(parts[0]) as part:
            content = part.read(_MOST + 1)
    if len(content) > _MOST:
        raise DataError(
            f"the checkpoint's {_CONTENT} is larger than {_MOST >> 20} MB: save accountant.state_dict() alone"
        )
    return content
