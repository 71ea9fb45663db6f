#!/usr/bin/env python3
"""Summarizes the tables of docs/reports/audit.md for docs/audit.md.

    audit_summary.py [REPORT.md]

Groups the cells of both grids by data and kind of noise. A lead is the average precision of projnce
minus that of the best other method in the same cell.
"""
import re
import sys
from pathlib import Path
from typing import NamedTuple, Optional

REPORT = Path(__file__).resolve().parent.parent.parent / "docs/reports/audit.md"
METHODS = ("projnce", "lr", "cleanlab", "k-NN")
NOISE = ("uniform", "pair", "class")
SLACK = 3.0  # points between estimated and true noise rate


class Cell(NamedTuple):
    source: str
    noise: str  # "clean" if no label was changed
    precision: list[float]  # average precision of each method, percent; empty for clean cells
    wrong: float
    estimated: Optional[float]  # None if the features were not informative
    failed: str

    def lead(self) -> float:
        return self.precision[0] - max(self.precision[1:])

    def rate_error(self) -> Optional[float]:
        return None if self.estimated is None else self.estimated - self.wrong


def read_cells(text: str) -> list[list[Cell]]:
    """Returns the cells of each table."""
    grids: list[list[Cell]] = []
    for line in text.splitlines():
        fields = [field.strip() for field in line.strip().strip("|").split("|")]
        if line.startswith("| data | wrong |"):
            grids.append([])
        found = re.match(r"(\w+) n=.* (clean|(?:uniform|pair|class) \d+ %)$", fields[0])
        if not found:
            continue
        numbers = [None if value == "–" else float(value.strip("*")) for value in fields[1:7]]
        precision = [value for value in numbers[1:5] if value is not None]
        grids[-1].append(Cell(found[1], found[2].split()[0], precision, numbers[0] or 0.0, numbers[5],
                              line.strip().strip("|").rsplit("|", 1)[-1].strip()))
    return grids


def row(name: str, cells: list[Cell]) -> str:
    means = [sum(cell.precision[m] for cell in cells) / len(cells) for m in range(len(METHODS))]
    leads = [cell.lead() for cell in cells]
    errors = [error for cell in cells if (error := cell.rate_error()) is not None]
    off = sum(abs(error) > SLACK for error in errors)
    worst = max(errors, key=abs)
    return (f"| {name} | {len(cells)} | " + " | ".join(f"{mean:.1f}" for mean in means) +
            f" | {min(leads):+.1f} to {max(leads):+.1f} | {worst:+.1f} | {off} | "
            f"{sum(bool(cell.failed) for cell in cells)} |").replace("-", "−")


def summary(text: str) -> str:
    grids = read_cells(text)
    noisy = [[cell for cell in grid if cell.noise != "clean"] for grid in grids]
    every = sum(noisy, [])
    lines = ["| data, noise | cells | projnce | lr | cleanlab | k-NN | lead | largest rate error | rate off | failed |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for source in dict.fromkeys(cell.source for cell in every):
        for noise in NOISE:
            cells = [cell for cell in every if (cell.source, cell.noise) == (source, noise)]
            if cells:
                lines.append(row(f"{source}, {noise}", cells))
    lines += [row("all cells of the main grid", noisy[0]), row("all cells that nothing was tuned on", noisy[1])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(summary(Path(sys.argv[1] if len(sys.argv) > 1 else REPORT).read_text(encoding="utf-8")), end="")
