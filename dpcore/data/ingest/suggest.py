"""Round public ranges that the name and the type of a column suggest; no value is ever looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dpcore.data.encoding.name_words import COUNT_WORDS, words
from dpcore.data.ingest.kinds import Column


@dataclass(frozen=True)
class SuggestedRange:
    """What a quantity of that name can usually be, and why it is thought so."""

    low: float
    high: float
    why: str


def _known(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(part.split("+")) for part in text.split())


_QUANTITIES = (  # the first that fits counts; words joined by + must all occur
    (_known("hours+week stunden+woche heures+semaine horas+semana"), 0, 168, "hours of a week"),
    (_known("day+week weekday wochentag dayofweek dow"), 0, 7, "a day of the week"),
    (_known("day+year dayofyear doy"), 1, 366, "a day of the year"),
    (_known("% percent percentage pct prozent pourcentage porcentaje percentuale humidity"), 0, 100, "a percentage"),
    (
        _known("probability prob wahrscheinlichkeit probabilite probabilidad fraction proportion"),
        0,
        1,
        "a share of one",
    ),
    (_known("latitude lat"), -90, 90, "a latitude in degrees"),
    (_known("longitude lon lng"), -180, 180, "a longitude in degrees"),
    (_known("age alter edad eta ages"), 0, 100, "an age in years"),
    (_known("years jahre annees anos"), 0, 100, "a number of years"),
    (_known("stars sterne likert"), 1, 5, "a rating from 1 to 5"),
    (_known("rating quality qualitat satisfaction zufriedenheit"), 0, 10, "a rating up to 10"),
    (_known("bmi"), 10, 80, "a body mass index"),
    (_known("height+cm groesse+cm grosse+cm"), 0, 250, "a height in centimetres"),
    (_known("weight+kg gewicht+kg"), 0, 300, "a weight in kilograms"),
    (_known("systolic diastolic"), 0, 300, "a blood pressure in mmHg"),
    (_known("ph"), 0, 14, "a pH"),
)
_MOMENTS = (  # unless the name is of something that is counted per such a stretch of time
    (_known("year yr jahr annee ano"), 1900, 2100, "a calendar year"),
    (_known("month monat mois mes"), 1, 12, "a month"),
    (_known("week woche semaine semana kw"), 1, 53, "a week of the year"),
    (_known("day tag jour dia"), 1, 31, "a day of the month"),
    (_known("hour hr stunde heure hora"), 0, 24, "an hour of the day"),
    (_known("minute"), 0, 60, "a minute of the hour"),
)
_RATES = COUNT_WORDS | {"per", "pro", "par", "por", "je", "each", "every", "last", "past", "previous", "prior", "next"}


def suggested_range(name: str, unit: str = "") -> SuggestedRange | None:
    """What a column of numbers with that name can usually be; None where the name says nothing.

    Parameters
    ----------
    name : of the column
    unit : the sign its numbers carry, such as "%"
    """
    said = {*words(name), *words(unit), "".join(words(name))}
    for known, low, high, what in _QUANTITIES if said & _RATES else _QUANTITIES + _MOMENTS:
        if any(together <= said for together in known):
            return SuggestedRange(float(low), float(high), f"by its {'sign' if '%' in unit else 'name'} {what}")
    return None


def suggest_ranges(columns: Iterable[Column]) -> dict[str, SuggestedRange]:
    """Suggestions for the columns of numbers, from names, signs and kinds only: values cannot change them.

    Parameters
    ----------
    columns : of a table
    """
    found = {column.name: suggested_range(column.name, column.unit) for column in columns if column.kind == "numeric"}
    return {name: suggestion for name, suggestion in found.items() if suggestion is not None}
