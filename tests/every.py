"""One test for all files, modules or names: thousands of tests of a millisecond would take longer to start than to run."""

from collections.abc import Callable, Iterable
from typing import Any


def each(things: Iterable[Any], told: Callable[[Any], str] = str):
    """Make a check of one thing a test of all of them, which tells all that fail."""
    things = list(things)

    def over(check: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            assert things, "nothing to look at"
            wrong = []
            for thing in things:
                try:
                    check(thing)
                except Exception as error:
                    error.add_note(told(thing))
                    wrong.append(error)
            if wrong:
                raise ExceptionGroup(f"{len(wrong)} of {len(things)}", wrong)

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return over
