"""Datasets of the audit grid: rows, true labels and given labels of each cell."""
import gzip
import zlib
from pathlib import Path

import numpy as np
import torch

ROWS = 2000  # default per cell
FASHION = Path("/usr/share/datasets/fashion-mnist")


def shares_of(classes, ratio):
    return np.geomspace(ratio, 1, classes)


def gaussian(rng, rows, dim, shares, separation):
    """Makes unit rows around one direction per class."""
    truth = draw_classes(rng, rows, shares)
    places = rng.normal(size=(len(shares), dim)) * separation
    data = places[truth] + rng.normal(size=(rows, dim))
    return data / np.linalg.norm(data, axis=1, keepdims=True), truth


def curved(rng, rows, dim, shares, separation):
    """Transforms clusters by a random two-layer network, so that classes are not linearly separable."""
    truth = draw_classes(rng, rows, shares)
    low = rng.normal(size=(len(shares), 8))[truth] * separation + rng.normal(size=(rows, 8))
    hidden = np.tanh(low @ rng.normal(size=(8, 64)) / 1.5)
    bent = np.tanh(hidden @ rng.normal(size=(64, dim)) / 4)
    return bent + 0.05 * rng.normal(size=(rows, dim)), truth


def draw_classes(rng, rows, shares):
    truth = rng.choice(len(shares), rows, p=np.array(shares) / np.sum(shares))
    truth[: len(shares)] = np.arange(len(shares))  # every class occurs
    return truth


def read_idx(name, offset):
    with gzip.open(FASHION / name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


class Fashion:
    """Fashion-MNIST as raw pixels and as features; read once."""

    def __init__(self):
        self.pixels = read_idx("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
        self.labels = read_idx("train-labels-idx1-ubyte.gz", 8).astype(np.int64)
        self.network = None

    def draw(self, rng, rows, shares):
        parts = []
        for c, share in enumerate(np.array(shares) / np.sum(shares)):
            members = np.flatnonzero(self.labels[:50000] == c)
            parts.append(rng.permutation(members)[: max(2, round(rows * share))])
        chosen = rng.permutation(np.concatenate(parts))
        return self.pixels[chosen].astype(np.float32) / 255, self.labels[chosen]

    def features(self, pixels, kind):
        if kind == "pixels":
            return pixels
        if kind == "pca":
            centered = pixels - pixels.mean(0)
            return centered @ np.linalg.svd(centered, full_matrices=False)[2][:32].T
        torch.manual_seed(0)
        network = small_network() if kind == "untrained" else self.trained()
        with torch.no_grad():
            return network[:-1](torch.tensor(pixels).view(-1, 1, 28, 28)).numpy()

    def trained(self):
        """Trains a small network on the clean labels of other images."""
        if self.network is None:
            self.network = small_network()
            images = torch.tensor(self.pixels[50000:].astype(np.float32) / 255).view(-1, 1, 28, 28)
            labels = torch.tensor(self.labels[50000:])
            optimizer = torch.optim.Adam(self.network.parameters(), 2e-3)
            for _ in range(3):
                for rows in torch.randperm(len(labels)).split(128):
                    loss = torch.nn.functional.cross_entropy(self.network(images[rows]), labels[rows])
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        return self.network


def small_network():
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(),
                         nn.Flatten(), nn.Linear(1152, 64), nn.ReLU(), nn.Linear(64, 10))


def wrong_labels(rng, truth, classes, kind, rate):
    """Injects label noise. uniform: any other class; pair: the next class; class: rates from 0 to
    twice the mean, where each class is confused with two specific classes."""
    given = truth.copy()
    if kind == "class":
        rates = np.minimum(rng.permutation(np.linspace(0, 2 * rate, classes)), 0.6)
        first = (np.arange(classes) + rng.integers(1, classes, classes)) % classes
        second = (np.arange(classes) + rng.integers(1, classes, classes)) % classes
        target = np.where(rng.random(len(truth)) < 0.6, first[truth], second[truth])
        changed = rng.random(len(truth)) < rates[truth]
    else:
        steps = rng.integers(1, classes, len(truth)) if kind == "uniform" else 1
        target = (truth + steps) % classes
        changed = rng.random(len(truth)) < rate
    given[changed] = target[changed]
    return given


def cells():
    """Returns {name: settings}."""
    base = dict(source="gaussian", rows=ROWS, dim=128, classes=10, ratio=1, separation=0.35,
                kind="uniform", rate=0.2)

    def cell(**changes):
        return {**base, **changes}

    listed = []
    for kind in ("uniform", "pair", "class"):
        for rate in (0.05, 0.1, 0.2, 0.4):
            if (kind, rate) != ("pair", 0.4):  # nearly half of a class would have the next class's label
                listed.append(cell(kind=kind, rate=rate))
        for ratio in (10, 100):
            listed.append(cell(kind=kind, ratio=ratio, rows=4000))
        for dim, separation in ((16, 1.0), (384, 0.25), (1024, 0.15)):
            listed.append(cell(kind=kind, dim=dim, separation=separation))
        for classes, rows in ((2, ROWS), (30, 3000), (100, 6000)):
            listed.append(cell(kind=kind, classes=classes, rows=rows, separation=0.45))
        for rows, classes in ((100, 2), (100, 4), (200, 4), (500, 10)):
            listed.append(cell(kind=kind, rows=rows, classes=classes, dim=64, separation=0.45))
        listed.append(cell(kind=kind, separation=0.2))  # overlapping classes
        listed.append(cell(kind=kind, source="curved", dim=64, separation=1.5))
        listed.append(cell(kind=kind, source="curved", dim=64, separation=1.5, ratio=20))
        for source in ("pixels", "pca", "untrained", "trained"):
            listed.append(cell(kind=kind, source=source))
            listed.append(cell(kind=kind, source=source, ratio=50))
    listed.append(cell(rows=20000, dim=64, separation=0.5))
    listed.append(cell(rows=20000, dim=64, separation=0.5, kind="class", ratio=100))
    listed.append(cell(rows=20000, source="trained", kind="class"))
    listed.append(cell(dim=384, rows=5000, classes=8, separation=0.25, ratio=15, rate=0.1))
    for source in ("gaussian", "curved", "pixels", "pca", "untrained", "trained"):
        for ratio in (1, 50):
            separation = 1.5 if source == "curved" else 0.35
            listed.append(cell(source=source, ratio=ratio, rate=0, separation=separation))
    listed.append(cell(rate=0, separation=0.2))
    listed.append(cell(rate=0, rows=200, classes=4, dim=64, separation=0.45))
    listed.append(cell(rate=0, rows=6000, classes=100, separation=0.45))
    return listed


def other_cells():
    """Returns sizes, ratios and rates outside of the grid, which the estimator was not tuned on."""
    listed = []
    for kind in ("uniform", "pair", "class"):
        for source, ratio, rate in (("trained", 20, 0.1), ("trained", 1, 0.3), ("pca", 20, 0.1),
                                    ("pca", 5, 0.3), ("untrained", 20, 0.1), ("untrained", 5, 0.3),
                                    ("pixels", 20, 0.1)):
            listed.append(dict(source=source, rows=3000, dim=0, classes=10, ratio=ratio,
                               separation=0, kind=kind, rate=rate))
        for rows, dim, classes, ratio, separation, rate in (
                (150, 32, 3, 1, 0.6, 0.2), (300, 256, 5, 4, 0.3, 0.15), (1000, 48, 20, 3, 0.5, 0.1),
                (3000, 200, 6, 30, 0.25, 0.3), (8000, 32, 15, 1, 0.5, 0.15)):
            listed.append(dict(source="gaussian", rows=rows, dim=dim, classes=classes, ratio=ratio,
                               separation=separation, kind=kind, rate=rate))
    for source in ("trained", "pca", "untrained", "pixels", "gaussian", "curved"):
        for ratio in (1, 20):
            separation = dict(gaussian=0.25, curved=1.2).get(source, 0)
            listed.append(dict(source=source, rows=3000, dim=96, classes=10, ratio=ratio,
                               separation=separation, kind="uniform", rate=0))
    return listed


def name_of(cell):
    parts = [cell["source"], f"n={cell['rows']}", f"K={cell['classes']}"]
    if cell["source"] in ("gaussian", "curved"):
        parts += [f"d={cell['dim']}", f"sep={cell['separation']}"]
    if cell["ratio"] > 1:
        parts.append(f"1:{cell['ratio']}")
    parts.append(f"{cell['kind']} {100 * cell['rate']:.0f} %" if cell["rate"] else "clean")
    return " ".join(parts)


def seeds_of(cell):
    return 10 if cell["rows"] <= 200 else 5 if cell["rows"] <= 500 else 1


def make(cell, seed, fashion):
    rng = np.random.default_rng([seed, zlib.crc32(name_of(cell).encode())])
    shares = shares_of(cell["classes"], cell["ratio"])
    if cell["source"] in ("gaussian", "curved"):
        maker = gaussian if cell["source"] == "gaussian" else curved
        rows, truth = maker(rng, cell["rows"], cell["dim"], shares, cell["separation"])
    else:
        pixels, truth = fashion.draw(rng, cell["rows"], shares)
        rows = fashion.features(pixels, cell["source"])
    rows = rows - rows.mean(0)
    rows = (rows / np.sqrt((rows**2).sum(1).mean())).astype(np.float32)
    return rows, truth, wrong_labels(rng, truth, cell["classes"], cell["kind"], cell["rate"])
