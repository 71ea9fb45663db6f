#!/usr/bin/env python3
"""Draws time and memory of SupCon against N from the JSON of `script/bench --compare supcon`.

Two panels, both axes logarithmic; colors follow the reader's light or dark setting.
"""
import argparse
import json
import math
from pathlib import Path
from xml.sax.saxutils import escape

# Contestant, label, marker, dashes, light color, dark color; in drawing order.
SERIES = [("mask form", "mask form in LibTorch", "square", "", "#c2570c", "#f0a050"),
          ("SupContrast", "SupContrast", "triangle", "", "#0b8457", "#4cc79a"),
          ("SupContrast, compiled", "SupContrast, compiled", "triangle", "6 4", "#0b8457", "#4cc79a"),
          ("pytorch-metric-learning", "pytorch-metric-learning", "diamond", "", "#a2397f", "#e28fc4"),
          ("pytorch-metric-learning, compiled", "pytorch-metric-learning, compiled", "diamond", "6 4",
           "#a2397f", "#e28fc4"),
          ("ours", "projnce", "circle", "", "#1560a8", "#63b0f5")]
LEGEND_COLUMNS = 3
WIDTH, HEIGHT = 860, 430
PANEL_WIDTH, PANEL_HEIGHT, TOP = 330, 250, 104
LEFT_EDGES = (78, 500)


def read_points(report, quantity):
    """Returns {contestant: [(rows, value)]} of the supcon cases."""
    points = {}
    for case in report["cases"]:
        if case["case"] != "supcon":
            continue
        for contestant in case["contestants"]:
            value = contestant.get(quantity, 0)
            if value > 0:
                points.setdefault(contestant["name"], []).append((case["rows"], value))
    return {name: sorted(pairs) for name, pairs in points.items()}


def readable_seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.999 * size:
            return f"{value / size:g} {unit}"
    return f"{value:g} s"


def readable_bytes(value):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= 0.999 * size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def marker(shape, x, y, css):
    if shape == "circle":
        return f'<circle class="{css}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    corners = {"square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
               "triangle": [(0, -5.2), (5, 4), (-5, 4)],
               "diamond": [(0, -5.6), (5, 0), (0, 5.6), (-5, 0)]}[shape]
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{css}" points="{path}"/>'


class Panel:
    """One pair of axes; maps data to page coordinates."""

    def __init__(self, left, title, points, readable):
        self.left, self.title, self.points, self.readable = left, title, points, readable
        pairs = [pair for series in points.values() for pair in series]
        self.rows = sorted({rows for rows, _ in pairs})
        self.x_range = math.log10(self.rows[0]), math.log10(self.rows[-1])
        values = [value for _, value in pairs]
        self.y_range = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(self, rows):
        low, high = self.x_range
        place = (math.log10(rows) - low) / (high - low) if high > low else 0.5
        return self.left + 14 + (PANEL_WIDTH - 28) * place

    def y(self, value):
        low, high = self.y_range
        return TOP + PANEL_HEIGHT * (high - math.log10(value)) / max(high - low, 1)

    def axes(self):
        right, bottom = self.left + PANEL_WIDTH, TOP + PANEL_HEIGHT
        yield f'<text class="title" x="{self.left}" y="{TOP - 14}">{escape(self.title)}</text>'
        for power in range(self.y_range[0], self.y_range[1] + 1):
            y = self.y(10.0 ** power)
            yield f'<line class="grid" x1="{self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield (f'<text class="tick" x="{self.left - 8}" y="{y + 4:.1f}" text-anchor="end">'
                   f'{self.readable(10.0 ** power)}</text>')
        for rows in self.rows:
            x = self.x(rows)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
            yield (f'<text class="tick" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">'
                   f'{rows}</text>')
        yield (f'<text class="tick" x="{(self.left + right) / 2}" y="{bottom + 38}" '
               'text-anchor="middle">rows in the batch, N</text>')

    def lines(self):
        for number, (name, _, shape, _, _, _) in enumerate(SERIES):
            places = [(self.x(rows), self.y(value)) for rows, value in self.points.get(name, [])]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            if path:
                yield f'<polyline class="line l{number}" points="{path}"/>'
            yield from (marker(shape, x, y, f"m{number}") for x, y in places)


def legend(present):
    shown = [entry for entry in reversed(list(enumerate(SERIES))) if entry[1][0] in present]
    for place, (number, (_, label, shape, _, _, _)) in enumerate(shown):
        x, y = 20 + 280 * (place % LEGEND_COLUMNS), 43 + 20 * (place // LEGEND_COLUMNS)
        yield f'<line class="line l{number}" x1="{x}" x2="{x + 26}" y1="{y}" y2="{y}"/>'
        yield marker(shape, x + 13, y, f"m{number}")
        yield f'<text class="label" x="{x + 34}" y="{y + 4}">{escape(label)}</text>'


def style():
    def colors(index):
        return [f".l{n}{{stroke:{series[index]}}} .m{n}{{fill:{series[index]}}}"
                for n, series in enumerate(SERIES)]

    dashes = [f".l{n}{{stroke-dasharray:{series[3]}}}" for n, series in enumerate(SERIES) if series[3]]
    light = ["text{font-family:sans-serif;font-size:13px}", ".page{fill:#ffffff}",
             ".title,.label,.head{fill:#1c2430}", ".head{font-size:15px;font-weight:bold}",
             ".tick{fill:#525c69;font-size:12px}", ".grid{stroke:#e1e5ea;stroke-width:1}",
             ".line{fill:none;stroke-width:2.2}", f".l{len(SERIES) - 1}{{stroke-width:3.2}}"]
    dark = [".page{fill:#11161d}", ".title,.label,.head{fill:#e8edf3}", ".tick{fill:#a4aebb}",
            ".grid{stroke:#2a323d}"]
    return "\n".join(["<style>", *light, *colors(4), *dashes, "@media (prefers-color-scheme: dark) {",
                      *dark, *colors(5), "}", "</style>"])


def image(report):
    machine = report["machine"]
    dims = next(case["dims"] for case in report["cases"] if case["case"] == "supcon")
    panels = [Panel(LEFT_EDGES[0], "time, forward and backward", read_points(report, "seconds"),
                    readable_seconds),
              Panel(LEFT_EDGES[1], "peak memory", read_points(report, "peak_bytes"),
                    readable_bytes)]
    foot = (f"{machine['processor']}, {machine['threads']} threads, {machine['instructions']}; "
            f"torch {machine['torch']} with {machine['blas']}; "
            f"median of {report['rounds']} rounds")
    start = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'width="{WIDTH}" height="{HEIGHT}">')
    parts = [start, style(),
             '<rect class="page" width="100%" height="100%" rx="8"/>',
             f'<text class="head" x="20" y="24">SupCon loss, D = {dims}, float32</text>',
             *legend(panels[0].points)]
    for panel in panels:
        parts += [*panel.axes(), *panel.lines()]
    parts.append(f'<text class="tick" x="20" y="{HEIGHT - 12}">{escape(foot)}</text>')
    return "\n".join(parts + ["</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", help="output of --json")
    parser.add_argument("svg", help="the image to write")
    arguments = parser.parse_args()
    report = json.loads(Path(arguments.report).read_text())
    if not read_points(report, "seconds"):
        parser.error(f"{arguments.report} has no result of the case supcon")
    Path(arguments.svg).write_text(image(report))


if __name__ == "__main__":
    main()
