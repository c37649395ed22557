"""Single rows and groups of them: found, explained, compared, and what can be done about them."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
