#!/usr/bin/env python3
"""Compares the quality of t-SNE maps with scikit-learn and openTSNE on many kinds of data.

    map_quality.py PROGRAM [--folder FOLDER] [--only TEXT...]

PROGRAM is projnce. All use their defaults: PCA initialization, 1000 iterations of which 250 with early
exaggeration, perplexity 30, or (N - 1) / 3 for fewer than 91 rows. Each map is scored by its KL
divergence from the same affinities: p_ij of all pairs, calibrated in double precision. Prints a table
and fails if a map of projnce is worse than those of both peers by more than 2 %. Maps are cached in
FOLDER. --only selects inputs by substrings of their names.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

import maps

ALLOWED = 1.02
PEERS = ("scikit-learn", "openTSNE")


def clusters(random, count, dim, number, separation):
    centers = separation * random.standard_normal((number, dim))
    return centers[random.integers(0, number, count)] + random.standard_normal((count, dim))


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def scaled(random, count, dim, few, scale):
    """Normal rows, the first few with another scale."""
    return random.standard_normal((count, dim)) * numpy.where(numpy.arange(count) < few, scale, 1)[:, None]


def shifted(random, count, dim, few, shift):
    """Normal rows, the first few shifted."""
    return random.standard_normal((count, dim)) + numpy.where(numpy.arange(count) < few, shift, 0)[:, None]


def curve(values, *functions):
    return numpy.stack([function(values) for function in functions], 1)


def swiss_roll(random, count):
    turn = 1.5 * numpy.pi * (1 + 2 * random.random(count))
    return numpy.stack([turn * numpy.cos(turn), 21 * random.random(count), turn * numpy.sin(turn)], 1)


def hierarchy(random, count):
    label = random.integers(0, 16, count)
    top, middle = 10 * random.standard_normal((4, 20)), 3 * random.standard_normal((16, 20))
    return top[label // 4] + middle[label] + random.standard_normal((count, 20))


def branches(random, count):
    ends = random.standard_normal((6, 30))[random.integers(0, 6, count)]
    return 5 * random.random((count, 1)) * ends + 0.1 * random.standard_normal((count, 30))


def grid(side):
    return numpy.stack(numpy.meshgrid(*[numpy.arange(float(side))] * 2), -1).reshape(-1, 2)


INPUTS = {
    "normal, 2000 x 16": lambda r: r.standard_normal((2000, 16)),
    "normal, 600 x 2": lambda r: r.standard_normal((600, 2)),
    "normal, 600 x 64": lambda r: r.standard_normal((600, 64)),
    "normal, 1000 x 384": lambda r: r.standard_normal((1000, 384)),
    "uniform, 600 x 2": lambda r: r.random((600, 2)),
    "uniform, 600 x 3": lambda r: r.random((600, 3)),
    "uniform, 600 x 10": lambda r: r.random((600, 10)),
    "8 clusters, separation 0.25, 600 x 64": lambda r: clusters(r, 600, 64, 8, 0.25),
    "8 clusters, separation 0.5, 1000 x 128": lambda r: clusters(r, 1000, 128, 8, 0.5),
    "8 clusters, separation 1, 600 x 16": lambda r: clusters(r, 600, 16, 8, 1),
    "8 clusters, separation 2, 600 x 16": lambda r: clusters(r, 600, 16, 8, 2),
    "10 clusters of unit rows, 1000 x 128": lambda r: unit(clusters(r, 1000, 128, 10, 1)),
    "16 clusters in 4, 600 x 20": lambda r: hierarchy(r, 600),
    "two far clusters, 600 x 10": lambda r: shifted(r, 600, 10, 300, 1000),
    "clusters of 30 and 570, 600 x 10": lambda r: shifted(r, 600, 10, 30, 20),
    "tight cluster in a broad one, 600 x 10": lambda r: scaled(r, 600, 10, 200, 0.01),
    "10 outliers, 600 x 10": lambda r: scaled(r, 600, 10, 10, 100),
    "1 far outlier, 500 x 10": lambda r: shifted(r, 500, 10, 1, 1e4),
    "60 rows, 10 times each, 600 x 8": lambda r: numpy.repeat(r.standard_normal((60, 8)), 10, 0),
    "300 rows twice, 600 x 8": lambda r: numpy.repeat(r.standard_normal((300, 8)), 2, 0),
    "half of the rows equal, 600 x 8": lambda r: r.standard_normal((600, 8)) * (numpy.arange(600) % 2)[:, None],
    "all rows equal, 200 x 5": lambda r: numpy.full((200, 5), 0.3),
    "line, even steps, 600 x 3": lambda r: numpy.arange(600.0)[:, None] * [[1, 2, -1]],
    "line, random steps, 600 x 2": lambda r: r.random((600, 1)) * [[1, 2]],
    "helix, 600 x 3": lambda r: curve(30 * r.random(600), numpy.cos, numpy.sin, lambda t: t / 10),
    "circle, 600 x 2": lambda r: curve(2 * numpy.pi * r.random(600), numpy.cos, numpy.sin),
    "sphere, 600 x 3": lambda r: unit(r.standard_normal((600, 3))),
    "sphere, 600 x 10": lambda r: unit(r.standard_normal((600, 10))),
    "Swiss roll, 600 x 3": lambda r: swiss_roll(r, 600),
    "6 branches, 600 x 30": lambda r: branches(r, 600),
    "grid, 625 x 2": lambda r: grid(25),
    "binary, 600 x 12": lambda r: r.integers(0, 2, (600, 12)),
    "one-hot, 300 x 300": lambda r: numpy.eye(300),
    "Cauchy, 600 x 5": lambda r: r.standard_cauchy((600, 5)),
    "log-normal, 600 x 20": lambda r: numpy.exp(r.standard_normal((600, 20))),
    "sparse, 600 x 50": lambda r: numpy.maximum(0, r.standard_normal((600, 50)) - 1),
    "noise of 1e-6 around 1, 500 x 10": lambda r: 1 + 1e-6 * r.standard_normal((500, 10)),
    "normal, 91 x 8": lambda r: r.standard_normal((91, 8)),
    "normal, 30 x 4": lambda r: r.standard_normal((30, 4)),
    "normal, 10 x 4": lambda r: r.standard_normal((10, 4)),
    "normal, 5 x 4": lambda r: r.standard_normal((5, 4)),
}


def make_rows(name):
    seed = list(INPUTS).index(name)
    return numpy.ascontiguousarray(INPUTS[name](numpy.random.default_rng(seed)), numpy.float32)


def perplexity_for(count):
    return min(maps.PERPLEXITY, (count - 1) / 3)


def squared_distances(rows):
    rows = rows - rows.mean(0)
    total = numpy.zeros((len(rows), len(rows)))
    for column in rows.T:
        total += (column[:, None] - column[None, :]) ** 2
    return total


def exact_affinities(rows, perplexity):
    """Returns p_ij = (p_i|j + p_j|i) / 2N of all pairs; bandwidths by bisection on the entropy."""
    count = len(rows)
    others = ~numpy.eye(count, dtype=bool)
    distances = squared_distances(rows.astype(numpy.float64))[others].reshape(count, count - 1)
    distances -= distances.min(1, keepdims=True)
    precision = 1 / numpy.maximum(numpy.median(distances, 1), 1e-300)
    low, high = numpy.zeros(count), numpy.full(count, numpy.inf)
    for _ in range(100):
        weights = numpy.exp(-precision[:, None] * distances)
        sums = weights.sum(1)
        entropy = numpy.log(sums) + precision * (weights * distances).sum(1) / sums
        broad = entropy > numpy.log(perplexity)
        low, high = numpy.where(broad, precision, low), numpy.where(broad, high, precision)
        doubled = numpy.minimum(2 * precision, 1e300)
        precision = numpy.where(numpy.isinf(high), doubled, low / 2 + high / 2)
    affinities = numpy.zeros((count, count))
    affinities[others] = (weights / sums[:, None]).ravel()
    return (affinities + affinities.T) / (2 * count)


def divergence(affinities, positions):
    similar = 1 / (1 + squared_distances(positions.astype(numpy.float64)))
    numpy.fill_diagonal(similar, 0)
    some = affinities > 0
    p, q = affinities[some], similar[some] / similar.sum()
    return float((p * numpy.log(p / q)).sum())


def make_peer_map(options):
    """Computes one map in a separate process, because peers crash on some inputs."""
    name, rows_file, out = options.make
    rows = numpy.load(rows_file)
    contestant = maps.CONTESTANTS[name](options, None)
    numpy.save(out, contestant.run(None, rows, perplexity_for(len(rows)))[1])


def run_peer(options, name, rows_file, out):
    command = [sys.executable, __file__, options.program, "--make", name, rows_file, out,
               "--threads", str(options.threads)]
    subprocess.run(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def score(file, affinities):
    """Returns the divergence of a map, or a text if there is none."""
    if not file.exists():
        return "fails"
    positions = numpy.load(file)
    return divergence(affinities, positions) if numpy.isfinite(positions).all() else "not finite"


def scores_of(options, folder, name):
    stem = "".join(letter if letter.isalnum() else "_" for letter in name)
    rows_file = folder / f"{stem}.npy"
    rows = make_rows(name)
    numpy.save(rows_file, rows)
    affinities = exact_affinities(rows, perplexity_for(len(rows)))
    scores = {}
    for peer in PEERS:
        out = folder / f"{stem}.{peer}.npy"
        if not out.exists():
            run_peer(options, peer, rows_file, out)
        scores[peer] = score(out, affinities)
    ours = folder / f"{stem}.projnce.npy"
    ours.unlink(missing_ok=True)
    subprocess.run([options.program, "tsne", rows_file, "-o", ours], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {"projnce": score(ours, affinities), **scores}


def shown(value):
    return value if isinstance(value, str) else f"{value:.4f}"


def compare(options, folder):
    print(f"| rows | projnce | {' | '.join(PEERS)} | of the better | of the worse |\n|---|---|---|---|---|---|")
    worse, compared = [], 0
    for name in INPUTS:
        if options.only and not any(text in name for text in options.only):
            continue
        scores = scores_of(options, folder, name)
        known = [scores[peer] for peer in PEERS if not isinstance(scores[peer], str)]
        ratios = ["", ""]
        if known:
            ratios = [scores["projnce"] / min(known), scores["projnce"] / max(known)]
            compared += 1
            if ratios[1] > ALLOWED:
                worse.append(name)
            ratios = [f"{ratio:.3f}" for ratio in ratios]
        cells = [name, *(shown(scores[who]) for who in ("projnce", *PEERS)), *ratios]
        print("|", " | ".join(cells), "|", flush=True)
    print(f"\n{compared} inputs compared, {len(worse)} worse by more than 2 % than both peers")
    for name in worse:
        print("worse:", name)
    return 1 if worse or not compared else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--threads", type=int, default=1, help="threads of the peers")
    parser.add_argument("--make", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make_peer_map(options)
        return 0
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        return compare(options, options.folder)
    with tempfile.TemporaryDirectory() as folder:
        return compare(options, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
