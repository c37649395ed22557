"""A colour for each family of thing, Okabe–Ito's: safe for colour-blind readers."""

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY, GREY = "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY)
