#!/usr/bin/env python3
"""Compares label audits with logistic regression, cleanlab and k-NN on a grid of datasets.

    audit_grid.py [--others] [--only TEXT] [--results FILE] [--peers FILE] [--table FILE]

Every cell injects label noise and compares average precision:

- projnce: `projnce.audit`.
- lr: one minus the probability that five-fold logistic regression (scikit-learn) gives the label.
  C is the one of 0.1, 1 and 10 with the better held-out log loss.
- cleanlab: the package's label quality scores from the same probabilities: the better of its
  normalized margin, and of confident-learning issues first, then self-confidence.
- knn: one minus the fraction of the ten nearest other rows that have the label.

All methods get the same rows, centered and scaled to a mean squared norm of one. Cells with few
rows are averaged over several seeds. Finished cells are kept in --results, so the grid can be
resumed. --peers takes the other methods from earlier --results of the same machine and measures only
projnce again; it fails if the share of wrong labels differs. --others measures cells that nothing
was tuned on.
"""
import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import projnce
from audit_cells import FASHION, Fashion, cells, make, name_of, other_cells, seeds_of

SLACK = 0.01  # allowed deficit in average precision to the best peer
LARGEST_FLAGGED_SHARE = 0.05  # per class, on clean data
RATE_SLACK = 0.03
RATE_ACCURACY = 0.9  # held-out accuracy above which the noise rate must be accurate


def held_out_probabilities(rows, labels, classes):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    best = (-np.inf, None)
    for strength in (0.1, 1, 10):
        probabilities = np.full((len(labels), classes), 1e-6)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(rows, labels):
            model = LogisticRegression(C=strength, max_iter=200).fit(rows[train], labels[train])
            probabilities[np.ix_(test, model.classes_)] = model.predict_proba(rows[test])
        probabilities /= probabilities.sum(1, keepdims=True)
        likelihood = np.log(probabilities[np.arange(len(labels)), labels] + 1e-12).mean()
        best = max(best, (likelihood, probabilities), key=lambda pair: pair[0])
    return best[1]


def cleanlab_scores(probabilities, labels):
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    margin = get_label_quality_scores(labels, probabilities, method="normalized_margin")
    issues = find_label_issues(labels, probabilities, n_jobs=1)
    confidence = get_label_quality_scores(labels, probabilities, method="self_confidence")
    return 1 - margin, issues + (1 - confidence)


def knn_scores(rows, labels, neighbors=10):
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=neighbors + 1).fit(rows)
    found = nearest.kneighbors(rows, return_distance=False)
    itself = found == np.arange(len(labels))[:, None]
    itself[~itself.any(1), -1] = True  # a row with many duplicates may not find itself
    votes = labels[found[~itself].reshape(len(labels), neighbors)]
    return 1 - (votes == labels[:, None]).mean(1)


def measure_ours(rows, truth, given, classes):
    from sklearn.metrics import average_precision_score

    wrong = given != truth
    began = time.process_time()
    found = projnce.audit(rows, given, classes)
    seconds = time.process_time() - began  # CPU time, independent of other processes
    score = np.asarray(found.score)
    flagged = score > 0.5
    result = {
        "wrong": wrong.mean(),
        "rate": found.noise_rate,
        "accuracy": found.held_out_accuracy,
        "flagged": flagged.mean(),
        "flagged_class": max(flagged[given == c].mean() for c in np.unique(given)),
        "precision": wrong[flagged].mean() if flagged.any() else np.nan,
        "expected_precision": found.expected_precision,
        "seconds": seconds,
    }
    if wrong.any():
        result["projnce"] = average_precision_score(wrong, score)
    return result


def measure_peers(rows, truth, given, classes):
    from sklearn.metrics import average_precision_score

    wrong = given != truth
    if not wrong.any():
        return {}
    counts = np.bincount(given)
    usable = np.isin(given, np.flatnonzero(counts >= 2))  # scikit-learn rejects classes with one row
    probabilities = held_out_probabilities(rows, given, classes)
    own = probabilities[np.arange(len(given)), given]
    return {
        "accuracy_of_truth": (probabilities.argmax(1) == truth)[usable].mean(),
        "lr": average_precision_score(wrong, 1 - own),
        "cleanlab": max(average_precision_score(wrong, s)
                        for s in cleanlab_scores(probabilities, given)),
        "knn": average_precision_score(wrong, knn_scores(rows, given)),
    }


def measure(cell, seed, fashion, with_peers):
    data = make(cell, seed, fashion)
    ours = measure_ours(*data, cell["classes"])
    return {**ours, **measure_peers(*data, cell["classes"])} if with_peers else ours


PEER_KEYS = ("accuracy_of_truth", "lr", "cleanlab", "knn")


def measure_cell(cell, fashion, stored):
    """Averages over seeds. stored: earlier result whose other methods are taken, or None."""
    seeds = range(seeds_of(cell))
    result = mean_of([measure(cell, seed, fashion, stored is None) for seed in seeds])
    if stored is not None:
        if abs(stored["wrong"] - result["wrong"]) > 1e-9:
            sys.exit(f"{name_of(cell)}: --peers has {stored['wrong']:.4f} wrong labels, "
                     f"expected {result['wrong']:.4f}")
        result |= {key: stored[key] for key in PEER_KEYS if key in stored}
    return result


def read_results(file):
    done = {}
    for line in file.read_text().splitlines():
        done.update(json.loads(line))
    return done


def mean_of(results):
    keys = sorted({key for result in results for key in result})
    means = {}
    for key in keys:
        values = [r[key] for r in results if r.get(key) is not None and not np.isnan(r[key])]
        means[key] = float(np.mean(values)) if values else None
    return means


def verdicts(result):
    """Returns the criteria that a cell fails."""
    failed = []
    if result.get("projnce") is not None:
        best = max(result["lr"], result["cleanlab"], result["knn"])
        if result["projnce"] < best - SLACK:
            failed.append("average precision")
        known = result["accuracy_of_truth"] >= RATE_ACCURACY
        if known and result["rate"] is not None and abs(result["rate"] - result["wrong"]) > RATE_SLACK:
            failed.append("noise rate")
    elif result["flagged_class"] > LARGEST_FLAGGED_SHARE:
        failed.append("clean class flagged")
    return failed


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def table(done):
    lines = ["| data | wrong | projnce | lr | cleanlab | k-NN | estimated | flagged: precision (expected) | |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, r in done.items():
        peers = [r.get(key) for key in ("lr", "cleanlab", "knn")]
        best = max([p for p in peers if p is not None] + [r.get("projnce") or 0])
        cells_ = [f"**{percent(v)}**" if v is not None and v == best else percent(v)
                  for v in [r.get("projnce")] + peers]
        lines.append(f"| {name} | {percent(r['wrong'])} | " + " | ".join(cells_) +
                     f" | {percent(r['rate'])} | {percent(r.get('precision'))} "
                     f"({percent(r.get('expected_precision'))}) | "
                     f"{', '.join(verdicts(r))} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--others", action="store_true",
                        help="measure cells that nothing was tuned on instead of the grid")
    parser.add_argument("--only", default="", help="only cells whose name contains this text")
    parser.add_argument("--results", type=Path, default=Path("build/audit-grid.jsonl"),
                        help="finished cells; they are not measured again")
    parser.add_argument("--peers", type=Path,
                        help="earlier results from which the other methods are taken")
    parser.add_argument("--table", type=Path, help="Markdown table to write")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    fashion = Fashion() if FASHION.exists() else None
    listed = other_cells() if arguments.others else cells()
    done = read_results(arguments.results) if arguments.results.exists() else {}
    peers = read_results(arguments.peers) if arguments.peers else {}
    for cell in listed:
        name = name_of(cell)
        if name in done or arguments.only not in name:
            continue
        if fashion is None and cell["source"] not in ("gaussian", "curved"):
            print(f"{name}: skipped, {FASHION} is not installed", file=sys.stderr)
            continue
        result = measure_cell(cell, fashion, peers.get(name))
        done[name] = result
        with arguments.results.open("a") as file:
            file.write(json.dumps({name: result}) + "\n")
        print(name, {k: round(v, 3) for k, v in result.items() if v is not None},
              *[f"FAILED: {text}" for text in verdicts(result)], flush=True)
    ordered = {name_of(c): done[name_of(c)] for c in listed if name_of(c) in done}
    if arguments.table:
        arguments.table.write_text(table(ordered))
    failed = {name: verdicts(r) for name, r in ordered.items() if verdicts(r)}
    print(f"{len(ordered)} cells, {len(failed)} with a failure")
    for name, texts in failed.items():
        print(f"  {name}: {', '.join(texts)}")


if __name__ == "__main__":
    main()
