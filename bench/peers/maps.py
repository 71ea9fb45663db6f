#!/usr/bin/env python3
"""Compares time and quality of t-SNE maps with scikit-learn and openTSNE on the same rows.

    maps.py PROGRAM [--rows 10000] [--threads 2] [--rounds 1] [--only NAME...]
    maps.py PROGRAM --scaling [5000 10000 20000 40000]

PROGRAM is projnce-map-bench. Rows are 128-dimensional unit vectors around 10 centers; 1000 iterations,
of which 250 with early exaggeration. PROGRAM evaluates every map: `divergence`, the exact KL divergence
from the same affinities, and `preserved`, the fraction of a row's 10 nearest neighbors that are among
its 10 nearest on the map. --scaling measures only projnce, for several numbers of rows, relative to
N log N. Prints JSON; `load` is the load average of the machine. map_quality.py compares many kinds of
data.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

ITERATIONS, EXAGGERATED, PERPLEXITY = 1000, 250, 30


def clustered_rows(count, dim=128, clusters=10):
    random = numpy.random.default_rng(0)
    labels = random.integers(0, clusters, count)
    centers = random.standard_normal((clusters, dim))
    rows = (centers[labels] + random.standard_normal((count, dim))).astype(numpy.float32)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def measured(work):
    cpu, start = time.process_time(), time.perf_counter()
    positions = work()
    return {"seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu}, positions


class Ours:
    version = "this one"

    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, rows_file, _, __=PERPLEXITY):
        out = self.folder / "ours.npy"
        response = subprocess.run([self.options.program, "map", str(self.options.threads), rows_file, out],
                                check=True, stdout=subprocess.PIPE)
        return json.loads(response.stdout), numpy.load(out)


class ScikitLearn:
    def __init__(self, options, _):
        import sklearn
        import sklearn.manifold
        self.version, self.peer, self.threads = sklearn.__version__, sklearn, options.threads

    def run(self, _, rows, perplexity=PERPLEXITY):
        # Uses the default of 1000 iterations, because the option was renamed in version 1.5.
        return measured(lambda: self.peer.manifold.TSNE(
            perplexity=perplexity, init="pca", learning_rate="auto", n_jobs=self.threads,
            random_state=0).fit_transform(rows))


class OpenTsne:
    def __init__(self, options, _):
        import openTSNE
        self.version, self.peer, self.threads = openTSNE.__version__, openTSNE, options.threads

    def make(self, rows, perplexity):
        both = {"n_jobs": self.threads, "random_state": 0}
        affinities = self.peer.affinity.PerplexityBasedNN(
            rows, perplexity=perplexity, metric="euclidean", method="annoy", **both)
        start = self.peer.initialization.pca(rows, random_state=0)
        method = "fft" if len(rows) >= 10000 else "bh"  # default of openTSNE
        positions = self.peer.TSNEEmbedding(start, affinities, negative_gradient_method=method, **both)
        positions = positions.optimize(n_iter=EXAGGERATED, exaggeration=12, momentum=0.8)
        return positions.optimize(n_iter=ITERATIONS - EXAGGERATED, momentum=0.8)

    def run(self, _, rows, perplexity=PERPLEXITY):
        seconds, positions = measured(lambda: self.make(rows, perplexity))
        return seconds, numpy.asarray(positions)


CONTESTANTS = {"projnce": Ours, "scikit-learn": ScikitLearn, "openTSNE": OpenTsne}


def evaluated(options, folder, rows_file, positions):
    file = folder / "positions.npy"
    numpy.save(file, numpy.ascontiguousarray(positions, numpy.float32))
    response = subprocess.run([options.program, "evaluate", rows_file, file], check=True,
                            stdout=subprocess.PIPE)
    return json.loads(response.stdout)


def median_run(runs):
    return sorted(runs, key=lambda run: run["seconds"])[(len(runs) - 1) // 2]


def compare(options, folder):
    rows = clustered_rows(options.rows)
    rows_file = folder / "rows.npy"
    numpy.save(rows_file, rows)
    ready, report = {}, {}
    for name in options.only or CONTESTANTS:
        try:
            ready[name] = CONTESTANTS[name](options, folder)
        except Exception as error:  # report any error of the peer
            report[name] = {"not available": f"{type(error).__name__}: {error}".splitlines()[0]}
    runs = {name: [] for name in ready}
    for _ in range(options.rounds):
        for name, contestant in ready.items():
            load = os.getloadavg()[0]
            figures, positions = contestant.run(rows_file, rows)
            runs[name].append({"version": contestant.version, "load": load, **figures,
                               **evaluated(options, folder, rows_file, positions)})
    report |= {name: median_run(runs[name]) for name in ready}
    ours = report.get("projnce")
    for name, figures in report.items():
        if ours and "seconds" in figures and name != "projnce":
            figures["times_as_long"] = figures["seconds"] / ours["seconds"]
            figures["times_the_cpu"] = figures["cpu_seconds"] / ours["cpu_seconds"]
    return {"rows": options.rows, "threads": options.threads, "rounds": options.rounds, **report}


def scaling(options, folder):
    report = []
    for count in options.scaling or [5000, 10000, 20000, 40000]:
        rows_file = folder / "rows.npy"
        numpy.save(rows_file, clustered_rows(count))
        runs = [Ours(options, folder).run(rows_file, None)[0] for _ in range(options.rounds)]
        point = {"rows": count, "load": os.getloadavg()[0], **median_run(runs)}
        if report:
            first = report[0]
            allowed = count * math.log(count) / (first["rows"] * math.log(first["rows"]))
            point["times_the_first"] = point["seconds"] / first["seconds"]
            point["cpu_times_the_first"] = point["cpu_seconds"] / first["cpu_seconds"]
            point["n_log_n"] = allowed
        report.append(point)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS)
    parser.add_argument("--scaling", nargs="*", type=int)
    options = parser.parse_args()
    # Read when the peers' libraries are loaded.
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        work = compare if options.scaling is None else scaling
        print(json.dumps(work(options, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
