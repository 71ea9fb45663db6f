#!/usr/bin/env python3
"""The losses as Python calls them, beside SupContrast's and pytorch-metric-learning's, in one process.

    python_losses.py [--peers DIR] [--sizes N...] [--largest-peer N] [--threads T] [--json FILE]

Forward and backward on the same tensors, turn by turn, by medians. DIR holds checkouts of SupContrast
and pytorch-metric-learning; without it projnce is measured alone, beside the plain formula. Each
value is compared with ours first: who computes something else is not timed. SupContrast and
pytorch-metric-learning need 8 to 12 GB at N = 16384, so they stop at --largest-peer.
"""
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import projnce  # noqa: E402

TEMPERATURE = 0.07
DIM = 128
CLASSES = 10
SECONDS_EACH = 3.0


def batch(rows):
    torch.manual_seed(rows)
    labels = torch.arange(rows) % CLASSES
    features = torch.nn.functional.normalize(torch.randn(rows, DIM), dim=1)
    return features.requires_grad_(), labels


def contestants(peers):
    ours = projnce.SupConLoss(TEMPERATURE)
    found = {"projnce": ours, "plain formula": plain_formula}
    if peers and (peers / "SupContrast" / "losses.py").exists():
        sys.path.insert(0, str(peers / "SupContrast"))
        from losses import SupConLoss

        theirs = SupConLoss(temperature=TEMPERATURE)
        found["SupContrast"] = lambda z, y: theirs(z.unsqueeze(1), y)
    metric_learning = peers / "pytorch-metric-learning" / "src" if peers else None
    if metric_learning and metric_learning.exists():
        sys.path.insert(0, str(metric_learning))
        from pytorch_metric_learning.losses import SupConLoss as MetricSupConLoss

        found["pytorch-metric-learning"] = MetricSupConLoss(temperature=TEMPERATURE)
    return found


def plain_formula(features, labels):
    scores = features @ features.t() / TEMPERATURE
    other = ~torch.eye(len(labels), dtype=torch.bool)
    positive = (labels[:, None] == labels[None, :]) & other
    mass = torch.logsumexp(scores.masked_fill(~other, float("-inf")), dim=1)
    return (mass - (scores * positive).sum(1) / positive.sum(1)).mean()


def step(loss, features, labels):
    features.grad = None
    loss(features, labels).backward()


def along_sphere(gradient, features):
    """Some normalise rows themselves, which takes away the gradient that would change their length."""
    return gradient - (gradient * features).sum(1, keepdim=True) * features


@torch.no_grad()
def agree(name, loss, reference, features, labels):
    with torch.enable_grad():
        step(loss, features, labels)
    found, expected = (along_sphere(g, features) for g in (features.grad, reference))
    difference = float((found - expected).norm() / expected.norm())
    if difference > 1e-3:
        print(f"{name} computes something else: gradients differ by {difference:.1e}", file=sys.stderr)
    return difference <= 1e-3


def measure(losses, features, labels):
    """Seconds of a forward and a backward pass, turn by turn."""
    times = {name: [] for name in losses}
    ends = time.perf_counter() + SECONDS_EACH * len(losses)
    while time.perf_counter() < ends or min(map(len, times.values())) < 3:
        for name, loss in losses.items():
            started = time.perf_counter()
            step(loss, features, labels)
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(taken) for name, taken in times.items()}


def call_overhead():
    """Microseconds of a whole call at N = 64, and of its way from Python into the operator alone."""
    features, labels = batch(64)
    loss = projnce.SupConLoss(TEMPERATURE)
    empty = features.detach().to("meta"), labels.to("meta")
    taken = {"forward": [], "forward and backward": [], "way into the operator": []}
    for _ in range(3000):
        for name, work in (("forward", lambda: loss(features, labels)),
                           ("forward and backward", lambda: step(loss, features, labels)),
                           ("way into the operator", lambda: loss(*empty))):
            started = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) * 1e6 for name, times in taken.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 2048, 8192, 16384])
    parser.add_argument("--largest-peer", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    results = {"torch": torch.__version__, "threads": arguments.threads, "sizes": {}}
    for rows in arguments.sizes:
        features, labels = batch(rows)
        losses = contestants(arguments.peers)
        if rows > arguments.largest_peer:
            losses = {"projnce": losses["projnce"]}
        step(losses["projnce"], features, labels)
        reference = features.grad
        losses = {n: l for n, l in losses.items() if agree(n, l, reference, features, labels)}
        times = measure(losses, features, labels)
        results["sizes"][rows] = times
        print(f"N = {rows}, D = {DIM}, forward and backward")
        for name, seconds in times.items():
            print(f"  {name:<26} {seconds * 1e3:10.2f} ms  {seconds / times['projnce']:6.1f}x")
    results["call_us"] = call_overhead()
    print("N = 64, median of a call: " + ", ".join(f"{n} {t:.0f} us" for n, t in results["call_us"].items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
