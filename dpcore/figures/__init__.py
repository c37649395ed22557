"""Figure builders: results in, Plotly figures out; nothing is computed here."""
