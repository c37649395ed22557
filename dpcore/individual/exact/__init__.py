"""What the exact analyses of a row share: the line its loss lives on, and hockey sticks along that line."""
