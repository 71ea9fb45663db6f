#!/usr/bin/env python3
"""Compares the issues of `projnce audit` with cleanlab's on data with planted issues.

    planted_issues.py --program PROGRAM [--table FILE]

Each dataset has 2 000 rows of normally distributed clusters in a linear subspace, and 40 planted issues of
each kind: near-duplicates of other rows (noise of 10 % of the median distance to the nearest row), of them half
with another label; outliers (random directions of the whole space, with the norm of a typical row); and rows
between two cluster centers, with one of the two labels. projnce is the program; cleanlab are the issue managers
of Datalab with their defaults, and the same rows. The columns are average precision of the scores, and
precision and recall of the flags.
"""
import argparse
import csv
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.neighbors import NearestNeighbors

ROWS = 2000
PLANTED = 40
# name: (classes, dimensions, dimensions of the subspace, separation)
DATA = {
    "5 classes, 64 of 16": (5, 64, 16, 3.0),
    "10 classes, 384 of 30": (10, 384, 30, 2.0),
    "5 classes, 16 of 4": (5, 16, 4, 2.5),
    "3 classes, 32 of 32": (3, 32, 32, 2.0),
}


def plant(classes, dim, subspace, separation, seed):
    """Returns rows, labels and a mask of the planted rows by kind of issue."""
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(subspace, dim)) / np.sqrt(subspace)
    centers = rng.normal(size=(classes, subspace)) * separation
    labels = rng.integers(classes, size=ROWS)
    rows = (centers[labels] + rng.normal(size=(ROWS, subspace))) @ basis
    copies, originals, outliers, between = rng.permutation(ROWS)[: 4 * PLANTED].reshape(4, PLANTED)
    nearest = NearestNeighbors(n_neighbors=2).fit(rows).kneighbors(rows)[0][:, 1]
    noise = rng.normal(size=(PLANTED, dim)) / np.sqrt(dim)
    rows[copies] = rows[originals] + 0.1 * np.median(nearest) * noise
    conflicting = np.arange(PLANTED) % 2 == 0
    labels[copies] = (labels[originals] + conflicting) % classes
    rows[outliers] = rng.normal(size=(PLANTED, dim)) * np.sqrt(np.mean(rows**2))
    for row in between:
        pair = rng.choice(classes, 2, replace=False)
        share = rng.uniform(0.45, 0.55)
        middle = share * centers[pair[0]] + (1 - share) * centers[pair[1]]
        rows[row] = (middle + rng.normal(size=subspace)) @ basis
        labels[row] = rng.choice(pair)
    planted = {kind: np.zeros(ROWS, bool) for kind in ("near_duplicate", "conflicting", "outlier", "ambiguous")}
    for kind, members in (("near_duplicate", [copies, originals]), ("outlier", [outliers]), ("ambiguous", [between]),
                          ("conflicting", [copies[conflicting], originals[conflicting]])):
        planted[kind][np.concatenate(members)] = True
    return rows.astype(np.float32), labels, planted


def projnce(program, rows, labels):
    """Returns (score, flag) by kind of issue; higher scores are more severe."""
    with tempfile.TemporaryDirectory() as folder:
        table, matrix, issues = (Path(folder) / name for name in ("t.csv", "e.npy", "i.csv"))
        table.write_text("y\n" + "".join(f"class {label}\n" for label in labels))
        np.save(matrix, rows)
        subprocess.run([program, "audit", table, "--label", "y", "--embeddings", matrix, "-o", issues, "--json"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(issues, newline="") as file:
            found = list(csv.DictReader(file))
    score = {"near_duplicate": "near_duplicate_score", "outlier": "outlier_score", "ambiguous": "ambiguity_score",
             "conflicting": None}
    return {kind: (None if name is None else [-float(row[name]) for row in found],
                   np.array([row[f"is_{kind}_issue"] == "true" for row in found]))
            for kind, name in score.items()}


class FakeLab:
    """What the issue managers need of a Datalab, which needs packages that may be missing."""

    def get_info(self, name):
        return {}


def cleanlab(rows):
    from cleanlab.datalab.internal.issue_manager.duplicate import NearDuplicateIssueManager
    from cleanlab.datalab.internal.issue_manager.outlier import OutlierIssueManager

    found = {}
    for kind, make in (("near_duplicate", NearDuplicateIssueManager), ("outlier", OutlierIssueManager)):
        manager = make(datalab=FakeLab())
        manager.find_issues(features=rows)
        issues = manager.issues
        found[kind] = (-issues[f"{kind}_score"].to_numpy(), issues[f"is_{kind}_issue"].to_numpy())
    return found


def measure(found, planted):
    score, flag = found
    precision = np.mean(planted[flag]) if flag.any() else float("nan")
    average = "-" if score is None else f"{average_precision_score(planted, score):.3f}"
    return f"{average} | {precision:.2f} | {np.mean(flag[planted]):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    lines = ["| data | issue | method | average precision | precision | recall |", "|---|---|---|---|---|---|"]
    for name, setting in DATA.items():
        rows, labels, planted = plant(*setting, seed=1)
        methods = {"projnce": projnce(options.program, rows, labels), "cleanlab": cleanlab(rows)}
        for kind, truth in planted.items():
            for method, found in methods.items():
                if kind in found:
                    lines.append(f"| {name} | {kind} | {method} | {measure(found[kind], truth)} |")
                    print(lines[-1], flush=True)
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
