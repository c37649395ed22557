"""The membership game of a mechanism on its own hardest pair."""

from dpcore.audit.game import Game
from dpcore.profiles import PrivacyProfile


def mechanism_game(mechanism: PrivacyProfile, claim: PrivacyProfile | None = None, name: str = "") -> Game:
    """The membership game on the hardest pair of a mechanism; `mechanism.with_noise(share)` runs it with less noise.

    Parameters
    ----------
    mechanism : what is run
    claim : what is claimed of it; its own profile if not given
    name : what is attacked, in words

    Raises
    ------
    UnsupportedError
        If no hardest pair is known.
    """
    pair = mechanism.pair()
    return Game(name or type(mechanism).__name__, pair, claim or mechanism, pair.note)
