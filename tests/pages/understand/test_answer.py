"""Work beside the page: one thing at a time, the newest next, what nobody waits for is not begun."""

import threading

from pages.understand.composition.answer import Workshop
from tests.refusals import refuses


def test_the_newest_question_is_answered_next_and_those_between_are_not_begun():
    shop, gate, begun = Workshop(), threading.Event(), []

    def slow(name):
        begun.append(name)
        gate.wait(20)
        return name

    first = shop.ask("first", lambda: slow("first"))
    while not begun:
        pass
    dropped = shop.ask("second", lambda: slow("second"))
    last = shop.ask("third", lambda: slow("third"))
    gate.set()
    assert (first.result(20), last.result(20)) == ("first", "third")
    assert begun == ["first", "third"]
    assert dropped.cancelled()
    assert shop.ask("second", lambda: "again").result(20) == "again"
    assert shop.ask("third", lambda: "not asked").result(20) == "third"


def test_an_error_reaches_whoever_waits():
    def fail():
        raise ValueError("no")

    refuses(ValueError, "no", Workshop().ask("a", fail).result, 20)
