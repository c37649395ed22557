"""One test for all files, modules or names: thousands of tests of a millisecond would take longer to start than to run."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any


def hold(check: Callable[[Any], None], things: Mapping[str, Any]) -> None:
    """Check all things, by their names, and tell all that fail."""
    assert things, "nothing to look at"
    wrong = []
    for name, thing in things.items():
        try:
            check(thing)
        except Exception as error:
            error.add_note(name)
            wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(things)}", wrong)


def each(things: Iterable[Any], told: Callable[[Any], str] = str):
    """Make a check of one thing a test of all of them."""
    named = {told(thing): thing for thing in things}

    def over(check: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            hold(check, named)

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return over
