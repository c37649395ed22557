"""What a refusal says: the error, the words that must be in its sentence, and the call that is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from dpcore.errors import DataError


def check_sentence(error: Exception) -> str:
    """A message for a user: at least 20 characters, one line, ends with a full stop."""
    text = str(error)
    assert 20 <= len(text) < 1500, text
    assert text.endswith("."), text
    assert "\n" not in text, text
    return text


def refuses(error: type[Exception], words: str, call: Callable[..., Any], *given: Any, **options: Any) -> str:
    """What the error says that this call raises, this regular expression among it; of data always a sentence."""
    with pytest.raises(error, match=words) as caught:
        call(*given, **options)
    return check_sentence(caught.value) if isinstance(caught.value, DataError) else str(caught.value)
