"""How a record becomes a row of X and an entry of y: targets, columns, clipping. Nothing here uses tables or files."""
