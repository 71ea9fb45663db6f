#!/usr/bin/env python3
"""Compares `projnce audit` with confident learning on the same features of the same encoder.

    confident_learning.py PROGRAM RUN... [--json FILE]

RUN was trained with [dataset.label_noise], so the wrong labels are known. Confident learning follows
its paper (Northcutt, Jiang and Chuang, 2021): out-of-sample probabilities (logistic regression, five
folds); per class, a threshold, the mean probability of the class among samples with its label; a
sample is an issue if the most likely class above its threshold differs from its label.

The regularization maximizes the held-out likelihood. The paper leaves the ranking open: issues
first, then by margin; by margin only; by the label's probability only. The best of the three counts,
although a user could not know it.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

STRENGTHS = (0.001, 0.01, 0.1, 1)  # scikit-learn's C
FOLDS = 5


def held_out_probabilities(features, labels, strength):
    probabilities = numpy.zeros((len(labels), labels.max() + 1))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for train, test in folds.split(features, labels):
        model = LogisticRegression(C=strength, max_iter=300).fit(features[train], labels[train])
        probabilities[numpy.ix_(test, model.classes_)] = model.predict_proba(features[test])
    return probabilities


def likelihood(probabilities, labels):
    return numpy.log(probabilities[numpy.arange(len(labels)), labels] + 1e-12).mean()


def confident_learning(probabilities, labels):
    """Returns which samples are issues, and three rankings; higher is more likely mislabeled."""
    every = numpy.arange(len(labels))
    own = probabilities[every, labels]
    others = probabilities.copy()
    others[every, labels] = -1
    margin = own - others.max(axis=1)
    thresholds = numpy.array([own[labels == c].mean() if (labels == c).any() else numpy.inf
                              for c in range(probabilities.shape[1])])
    confident = numpy.where(probabilities >= thresholds, probabilities, -1)
    issues = (confident.max(axis=1) > 0) & (confident.argmax(axis=1) != labels)
    return issues, {"issues, then margin": 2.0 * issues - margin, "margin": -margin,
                    "probability": -own}


def evaluate_peer(features, labels, wrong):
    scaled = StandardScaler().fit_transform(features)
    started = time.perf_counter()
    tried = [held_out_probabilities(scaled, labels, strength) for strength in STRENGTHS]
    probabilities = max(tried, key=lambda p: likelihood(p, labels))
    issues, orders = confident_learning(probabilities, labels)
    seconds = time.perf_counter() - started
    precisions = {name: average_precision_score(wrong, order) for name, order in orders.items()}
    best = max(precisions, key=precisions.get)
    return {"average_precision": precisions[best], "order": best, "all_orders": precisions,
            "precision": float(wrong[issues].mean()), "recall": float(issues[wrong].mean()),
            "flagged": int(issues.sum()), "seconds": seconds}


def evaluate_ours(program, run, scratch):
    result = json.loads(subprocess.run(
        [program, "audit", run, "-o", scratch / "label_issues.csv", "--save-features",
         scratch / "features.npy", "--json"], capture_output=True, text=True, check=True).stdout)
    if "check" not in result:
        sys.exit(f"{run} has no known wrong labels: train it with --set dataset.label_noise.rate=0.4")
    return {key: result["check"][key] for key in
            ("average_precision", "precision", "recall", "worst", "worst_wrong", "corrected")} | {
                "noise_rate": result["noise_rate"], "flagged": result["flagged"],
                "seconds": result["seconds"]}


def evaluate_run(program, run):
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        ours = evaluate_ours(program, run, scratch)
        features = numpy.load(scratch / "features.npy").astype(numpy.float64)
        labels = numpy.load(scratch / "features.labels.npy")
    given, truth = numpy.load(run / "train_labels.npy").T
    if not numpy.array_equal(given, labels[:len(given)]):
        sys.exit(f"{run}: train_labels.npy does not match the audited labels")
    wrong = numpy.zeros(len(labels), dtype=bool)  # the labels of the test split, which follow, are correct
    wrong[:len(given)] = given != truth
    return {"run": str(run), "samples": len(labels), "wrong": float(wrong.mean()), "ours": ours,
            "peer": evaluate_peer(features, labels, wrong)}


def line(run, name, result):
    return (f"{run:<28} {name:<10} {100 * result['average_precision']:7.2f} "
            f"{100 * result['precision']:10.1f} {100 * result['recall']:7.1f} "
            f"{result['flagged']:8} {result['seconds']:8.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="write all measurements")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"{'run':<28} {'method':<10} {'AP %':>7} {'precision':>10} {'recall':>7} {'flagged':>8} "
          f"{'seconds':>8}")
    results = []
    for run in arguments.runs:
        result = evaluate_run(arguments.program, run)
        results.append(result)
        print(line(run.name, "audit", result["ours"]))
        print(line("", "confident", result["peer"]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
