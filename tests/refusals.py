"""What a refusal says: the error, the words that must be in its sentence, and the call that is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from dpcore.errors import DataError


def refuses(error: type[Exception], words: str, call: Callable[..., Any], *given: Any, **options: Any) -> str:
    """What the error says that this call raises, this regular expression among it; of data always a sentence on one line."""
    with pytest.raises(error, match=words) as caught:
        call(*given, **options)
    said = str(caught.value)
    assert not isinstance(caught.value, DataError) or (said.endswith(".") and "\n" not in said), said
    return said
