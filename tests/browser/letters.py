"""A page of random texts made of what Markdown gives a meaning to, as say.py shows plain text."""

import random

from pages.components import say
from pages.components.say import md

PIECES = [
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ab1", "  ", "\n", "\t", "\u202e", "\u200b",
    "www.", "http://", "https://", "x.org", "a@b.org", "mailto:", ":red[", ":smile:", ":material/home:", ":material_home:",
    ":streamlit:", ":::", "1. ", "12) ", "- ", "+ ", "# ", "> ", "---", "===", "| - |", "```", "$$", "\\(", "<b>", "</b>", "<!--",
    "&amp;", "&#36;", "(c)", " -> ", " <- ", " -- ", " >= ", " ~= ", " <-> ", "~~", "[^1]", "[x]", "](u)",
]  # fmt: skip


def texts() -> list[str]:
    """The same few hundred texts each time; each begins and ends with what may be interpreted."""
    dice = random.Random(7)
    return ["".join(dice.choices(PIECES, k=dice.randint(1, 9))) for _ in range(300)]


if __name__ == "__main__":
    for text in texts():
        say.markdown(md("{}", text))
    for text in texts()[:60]:
        say.metric("x", text)
    say.title("done")
