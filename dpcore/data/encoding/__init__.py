"""How a record becomes a row of X and an entry of y: targets, columns, clipping; nothing here knows of tables or files."""
