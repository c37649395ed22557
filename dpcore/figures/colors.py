"""The colours of all figures, from the palette of Okabe and Ito, which colour-blind readers can tell apart."""

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY, GREY = "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY)

# The same hues as words on a light background, where the paler colours of lines are hard to read from afar.
INK = {VERMILLION: "#B84F00", GREEN: "#00795A", PURPLE: "#A64D82", ORANGE: "#8F6200", SKY: "#1F78B4"}
# Colour on a light background → the one that takes its place on a dark background.
ON_DARK = {
    BLUE: "#4A9CD9",
    INK[VERMILLION]: "#E27A2E",
    INK[GREEN]: "#22B48C",
    INK[PURPLE]: "#D893BA",
    INK[ORANGE]: "#EBB030",
    INK[SKY]: "#74C2EE",
}
