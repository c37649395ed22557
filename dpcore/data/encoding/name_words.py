"""Words of a column name, and what they say about the column."""

import re
import unicodedata

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|%|€|\$|£|¥")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLASS_WORDS = _set(
    """
    class classe classes klasse klass clase label labels etikett etiqueta etiquette species espece especie category
    categorie kategorie categoria cluster segment diagnosis diagnose diagnostic
    """
)
SCORE_WORDS = _set(
    """
    quality qualitat qualite calidad qualita score scores rating ratings stars grade note nota points punkte likert
    satisfaction zufriedenheit severity stage rank
    """
)
COUNT_WORDS = _set(
    """
    count counts cnt num number nb anzahl nombre numero visits visites besuche claims accidents events purchases
    orders children kinder enfants hijos clicks calls rentals deaths cases incidents goals
    """
)
GENERIC_TARGET_WORDS = _set("target ziel zielvariable cible objetivo")
TARGET_WORDS = GENERIC_TARGET_WORDS | _set(
    """
    y label labels outcome outcomes response class klasse classe clase dependent groundtruth truth ergebnis resultat
    resultado reponse antwort respuesta etikett etiqueta
    """
)
LIKELY_TARGET_WORDS = CLASS_WORDS | _set(
    """
    default defaulted churn churned exited attrition left income salary wage earnings price prices preis prix precio cost
    quality score rating grade survived survival died death mortality readmitted readmission fraud spam approved approval
    status diagnosis progression subscribed deposit converted conversion clicked purchased purchase bought revenue sales
    umsatz gehalt lohn einkommen salaire salario ingreso ventas verkauf kuendigung kundigung ausfall value medv charges
    consumption demand yield strength risk result passed success satisfaction satisfied zufriedenheit
    """
)


def words(name: str) -> tuple[str, ...]:
    """Words of a name in lower case without accents: "Loan_Status" and "loanStatus" are loan, status."""
    plain = unicodedata.normalize("NFKD", name[:200].replace("ß", "ss"))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return tuple(part.lower() for part in _PARTS.findall(plain))


def says(name: str, known: frozenset[str]) -> bool:
    """Whether a word of the name is among those known."""
    return not known.isdisjoint(words(name))
