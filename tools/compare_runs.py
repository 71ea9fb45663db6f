#!/usr/bin/env python3
"""Prints one row per loss from the summary.json of several runs: mean and standard deviation over seeds.

With --best, prints only the name of the run with the highest accuracy.
"""
import argparse
import json
import statistics
from pathlib import Path


def read_groups(runs):
    groups = {}
    for run in runs:
        summary = json.loads((Path(run) / "summary.json").read_text())
        groups.setdefault(summary["loss"], []).append(summary)
    return groups


def accuracies(summaries):
    """Accuracies of the delivered models."""
    return [100 * summary["delivered"]["top1"] for summary in summaries]


def row(loss, summaries):
    accuracy = accuracies(summaries)
    seconds = statistics.mean(summary["seconds"]["total"] for summary in summaries)
    spread = f"± {statistics.stdev(accuracy):.1f}" if len(accuracy) > 1 else ""
    each = ", ".join(f"{value:.1f}" for value in accuracy)
    return f"{loss:<14} {statistics.mean(accuracy):6.1f} % {spread:<7} {each:<24} {seconds:5.0f} s"


def table(groups):
    head = f"{'loss':<14} {'accuracy (mean, sd)':<16} {'per seed':<24} time per run"
    return "\n".join([head] + [row(loss, summaries) for loss, summaries in groups.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", help="run directories")
    parser.add_argument("--best", action="store_true", help="print only the most accurate run")
    arguments = parser.parse_args()
    if arguments.best:
        print(max(arguments.runs, key=lambda run: accuracies(*read_groups([run]).values())))
        return
    print(table(read_groups(arguments.runs)))


if __name__ == "__main__":
    main()
