"""A staff file as people keep them: ids, gaps, currency, departments, and one executive whose salary is far out."""

from __future__ import annotations

import numpy as np

EXECUTIVE = "K-0147"
_DEPARTMENTS = ("sales", "production", "IT", "Legal")


def staff_csv(rows: int = 300, seed: int = 11, gaps: int = 40) -> bytes:
    """The file as bytes; `gaps` rows have a missing cell, none of them the executive's, who is the row 147."""
    rng = np.random.default_rng(seed)
    lines = ["staff_id;department;salary;years;part_time;desk;satisfaction"]
    without = set(rng.choice([k for k in range(rows) if k != 146], gaps, replace=False).tolist())
    for k in range(rows):
        department = _DEPARTMENTS[rng.choice(4, p=[0.42, 0.3, 0.22, 0.06])]
        years, part_time = int(rng.integers(0, 35)), bool(rng.random() < 0.2)
        salary = 30_000 + 900 * years + 6_000 * (department == "IT") + 2_500 * rng.normal()
        score = 5.0 + 0.06 * years - 0.8 * part_time + 0.4 * (department == "IT") + 0.7 * rng.normal()
        if k == 146:
            department, years, part_time, salary, score = "sales", 9, False, 486_000.0, 1.3
        paid, told = f"{salary:,.0f} €".replace(",", "."), f"{np.clip(score, 0, 10):.1f}".replace(".", ",")
        part, desk = "yes" if part_time else "no", ("north", "south")[k % 2]
        cells = [f"K-{k + 1:04}", department, paid, f"{years}", part, desk, told]
        if k in without:
            cells[int(rng.integers(1, 5))] = ""
        lines.append(";".join(cells))
    return "\n".join(lines).encode()
