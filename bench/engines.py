#!/usr/bin/env python3
"""Trains experiments with each engine and several seeds and compares accuracy and time.

Each experiment is a TOML file, or TOML=DATA with the path of its dataset. Prints a table; --svg
plots the test accuracy by epoch.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

ENGINES = ("torch", "native")
COLORS = {"torch": ("#c2570c", "#f0a050"), "native": ("#1560a8", "#63b0f5")}
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, GAP = 330, 230, 60, 64, 90


def train(program, experiment, data, engine, seed, out):
    command = [program, "train", experiment, "--out", out, "--set", f"encoder.engine={engine}",
               "--set", f"seed={seed}"]
    if data:
        command += ["--set", f"dataset.root={data}"]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return {"curve": [100 * line["value"]["top1"] for line in lines
                      if line["split"] == "test" and line["name"] == "nearest-centroid"],
            "seconds": json.loads((out / "summary.json").read_text())["seconds"]["train"]}


def run_experiment(program, text, seeds, folder):
    experiment, _, data = text.partition("=")
    name = Path(experiment).stem
    runs = {engine: [] for engine in ENGINES}
    for seed in range(1, seeds + 1):
        for engine in ENGINES:  # alternating, so that background load affects both
            out = folder / f"{name}-{engine}-{seed}"
            runs[engine].append(train(program, experiment, data, engine, seed, out))
            last = runs[engine][-1]
            print(f"{name:<14} {engine:<7} seed {seed}: {last['curve'][-1]:5.1f} % "
                  f"{last['seconds']:6.1f} s", flush=True)
    return name, runs


def summary_row(name, runs):
    cells = [f"{name:<14}"]
    for engine in ENGINES:
        last = [run["curve"][-1] for run in runs[engine]]
        spread = statistics.stdev(last) if len(last) > 1 else 0
        cells.append(f"{engine} {statistics.mean(last):5.1f} ± {spread:.1f} %")
    ratio = statistics.median(a["seconds"] / b["seconds"]
                              for a, b in zip(runs["torch"], runs["native"]))
    return "   ".join(cells + [f"native is {ratio:.2f}x as fast"])


def panel(index, name, runs):
    """Plots one experiment: one line per run."""
    left = LEFT + index * (PANEL_WIDTH + GAP)
    values = [value for each in runs.values() for run in each for value in run["curve"]]
    low, high = 5 * int(min(values) // 5), 5 * (int(max(values) // 5) + 1)
    epochs = max(len(run["curve"]) for each in runs.values() for run in each)
    across = lambda epoch: left + PANEL_WIDTH * (epoch - 1) / max(epochs - 1, 1)
    up = lambda value: TOP + PANEL_HEIGHT * (high - value) / (high - low)
    parts = [f'<text class="title" x="{left}" y="{TOP - 14}">{name}: test accuracy, %</text>']
    step = 5 if high - low <= 40 else 10
    for value in range(low, high + 1, step):
        parts.append(f'<path class="grid" d="M{left} {up(value):.1f}h{PANEL_WIDTH}"/>'
                     f'<text class="tick" text-anchor="end" x="{left - 6}" y="{up(value) + 4:.1f}">'
                     f'{value}</text>')
    for epoch in range(1, epochs + 1):
        parts.append(f'<text class="tick" text-anchor="middle" x="{across(epoch):.1f}" '
                     f'y="{TOP + PANEL_HEIGHT + 18}">{epoch}</text>')
    for engine in ENGINES:
        for run in runs[engine]:
            points = " ".join(f"{across(i + 1):.1f},{up(value):.1f}"
                              for i, value in enumerate(run["curve"]))
            parts.append(f'<polyline class="{engine}" points="{points}"/>')
    return "\n".join(parts)


def drawing(results):
    width = LEFT + len(results) * (PANEL_WIDTH + GAP) - GAP + 20
    height = TOP + PANEL_HEIGHT + 34
    light = "".join(f".{e}{{stroke:{COLORS[e][0]}}}.k{e}{{fill:{COLORS[e][0]}}}" for e in ENGINES)
    dark = "".join(f".{e}{{stroke:{COLORS[e][1]}}}.k{e}{{fill:{COLORS[e][1]}}}" for e in ENGINES)
    style = ("text{font:13px sans-serif;fill:#333}.title{font-weight:600}.tick{font-size:11px}"
             "polyline{fill:none;stroke-width:1.6}.grid{stroke:#8885;stroke-width:.6}" + light +
             "@media(prefers-color-scheme:dark){text{fill:#ddd}" + dark + "}")
    keys = "".join(f'<text class="k{e}" x="{LEFT + 130 * i}" y="20">— engine {e}</text>'
                   for i, e in enumerate(ENGINES))
    panels = "\n".join(panel(i, name, runs) for i, (name, runs) in enumerate(results))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"><style>{style}</style>\n{keys}\n{panels}\n</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build-bench/projnce")
    parser.add_argument("experiments", nargs="+", metavar="TOML[=DATA]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--runs", type=Path, help="keep the runs in this folder")
    parser.add_argument("--svg", type=Path, help="write a plot of the curves")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.runs or Path(scratch)
        results = [run_experiment(arguments.program, text, arguments.seeds, folder)
                   for text in arguments.experiments]
    for name, runs in results:
        print(summary_row(name, runs))
    if arguments.svg:
        arguments.svg.write_text(drawing(results))


if __name__ == "__main__":
    main()
