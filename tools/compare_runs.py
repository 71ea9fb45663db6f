#!/usr/bin/env python3
"""One row for each loss out of the summary.json of several runs: mean and spread over the seeds.

With --svg, the same as a picture: a dot for each seed, a line at the mean. With --best, the name of
the run with the highest accuracy and nothing else.
"""
import argparse
import json
import statistics
from pathlib import Path
from xml.sax.saxutils import escape


def read_groups(runs):
    groups = {}
    for run in runs:
        summary = json.loads((Path(run) / "summary.json").read_text())
        groups.setdefault(summary["loss"], []).append(summary)
    return groups


def accuracies(summaries):
    return [100 * summary["accuracy"]["last"] for summary in summaries]


def row(loss, summaries):
    accuracy = accuracies(summaries)
    seconds = statistics.mean(summary["seconds"]["total"] for summary in summaries)
    spread = f"± {statistics.stdev(accuracy):.1f}" if len(accuracy) > 1 else ""
    each = ", ".join(f"{value:.1f}" for value in accuracy)
    return f"{loss:<14} {statistics.mean(accuracy):6.1f} % {spread:<7} {each:<24} {seconds:5.0f} s"


def table(groups):
    head = f"{'loss':<14} {'accuracy (mean, sd)':<16} {'each seed':<24} time a run"
    return "\n".join([head] + [row(loss, summaries) for loss, summaries in groups.items()])


def picture(groups, title):
    """A strip for each loss on one axis of accuracy."""
    values = [value for summaries in groups.values() for value in accuracies(summaries)]
    low, high = 5 * int(min(values) / 5), 5 * (int(max(values) / 5) + 1)
    left, width, height = 130, 420, 60 + 40 * len(groups)

    def x(value):
        return left + width * (value - low) / (high - low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {height}" '
             'font-family="sans-serif" font-size="13">',
             f'<rect width="100%" height="100%" fill="#fff"/>',
             f'<text x="12" y="20" fill="#222">{escape(title)}</text>']
    for tick in range(low, high + 1, 5):
        parts.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="32" y2="{height - 22}" '
                     'stroke="#ddd"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle" '
                     f'fill="#555">{tick} %</text>')
    for i, (loss, summaries) in enumerate(groups.items()):
        accuracy, y = accuracies(summaries), 54 + 40 * i
        mean = statistics.mean(accuracy)
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end" '
                     f'fill="#222">{escape(loss)}</text>')
        parts += [f'<circle cx="{x(value):.1f}" cy="{y}" r="5" fill="#2b6cb0" fill-opacity="0.6"/>'
                  for value in accuracy]
        parts.append(f'<line x1="{x(mean):.1f}" x2="{x(mean):.1f}" y1="{y - 13}" y2="{y + 13}" '
                     'stroke="#c05621" stroke-width="3"/>')
        parts.append(f'<text x="{left + width + 12}" y="{y + 4}" fill="#222">{mean:.1f} %</text>')
    return "\n".join(parts + ["</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", help="run directories")
    parser.add_argument("--svg", help="also draw it into this file")
    parser.add_argument("--title", default="Accuracy on clean test labels", help="of the picture")
    parser.add_argument("--best", action="store_true", help="only name the most accurate run")
    arguments = parser.parse_args()
    if arguments.best:
        print(max(arguments.runs, key=lambda run: accuracies(*read_groups([run]).values())))
        return
    groups = read_groups(arguments.runs)
    print(table(groups))
    if arguments.svg:
        Path(arguments.svg).write_text(picture(groups, arguments.title))


if __name__ == "__main__":
    main()
