#!/usr/bin/env python3
"""Compares the SupCon loss in Python with SupContrast and pytorch-metric-learning, in one process.

    python_losses.py [--peers DIR] [--sizes N...] [--largest-peer N] [--threads T] [--json FILE]

Every loss runs eager and with torch.compile. Reports medians of forward and backward on the same tensors
in alternating rounds; compilation and warm-up are reported separately, and a recompilation during the
measurement is an error. DIR contains a checkout of SupContrast; pytorch-metric-learning is the installed
package. Gradients are first compared with ours; a loss with other gradients is not timed.
The peers need 8 to 12 GB at N = 16384, so they stop at --largest-peer.
"""
import argparse
import functools
import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path

import compiled

TEMPERATURE = 0.07
DIM = 128
CLASSES = 10
SECONDS_EACH = 3.0
CALLS_AT_64 = 2000


def batch(rows):
    import torch
    torch.manual_seed(rows)
    labels = torch.arange(rows) % CLASSES
    features = torch.nn.functional.normalize(torch.randn(rows, DIM), dim=1)
    return features.requires_grad_(), labels


def plain_formula(features, labels):
    import torch
    scores = features @ features.t() / TEMPERATURE
    other = ~torch.eye(len(labels), dtype=torch.bool)
    positive = (labels[:, None] == labels[None, :]) & other
    logsumexp = torch.logsumexp(scores.masked_fill(~other, float("-inf")), dim=1)
    return (logsumexp - (scores * positive).sum(1) / positive.sum(1)).mean()


def eager_losses(peers):
    import projnce
    found = {"projnce": projnce.SupConLoss(temperature=TEMPERATURE), "plain formula": plain_formula}
    if peers:
        sys.path.insert(0, str(peers / "SupContrast"))
        theirs = importlib.import_module("losses").SupConLoss(temperature=TEMPERATURE)
        found["SupContrast"] = lambda z, y: theirs(z.unsqueeze(1), y)
    else:
        print("SupContrast is skipped: no --peers", file=sys.stderr)
    try:
        metric_learning = importlib.import_module("pytorch_metric_learning.losses")
        found["pytorch-metric-learning"] = metric_learning.SupConLoss(temperature=TEMPERATURE)
    except ImportError as error:
        print(f"pytorch-metric-learning is skipped: {error}", file=sys.stderr)
    return found


def step(loss, features, labels):
    features.grad = None
    loss(features, labels).backward()


def with_compiled(losses, features, labels):
    """Adds a compiled version of each loss. Returns all losses and the compile times."""
    import torch
    torch.compiler.reset()
    found, facts = dict(losses), {}
    for name, loss in losses.items():
        try:
            code = compiled.Compiled(loss, lambda function: step(function, features, labels))
        except Exception as error:  # any compiler error; the eager loss is still measured
            print(f"{name} does not compile: {error}".splitlines()[0], file=sys.stderr)
            continue
        found[f"{name}, compiled"] = code.function
        facts[f"{name}, compiled"] = code.facts()
    return found, facts


def along_sphere(gradient, features):
    """Projects gradients to the tangent space: some losses normalize rows, which removes the radial part."""
    return gradient - (gradient * features).sum(1, keepdim=True) * features


def agrees(name, loss, reference, features, labels):
    import torch
    step(loss, features, labels)
    with torch.no_grad():
        found, expected = (along_sphere(g, features) for g in (features.grad, reference))
        difference = float((found - expected).norm() / expected.norm())
    if difference > 1e-3:
        print(f"{name} computes another function: gradients differ by {difference:.1e}", file=sys.stderr)
    return difference <= 1e-3


def in_turn(works, seconds, least_turns):
    """Returns the median seconds of each function; every round runs each once."""
    times = {name: [] for name in works}
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends or min(map(len, times.values())) < least_turns:
        for name, work in works.items():
            started = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(taken) for name, taken in times.items()}


def measure(losses, features, labels):
    import torch
    works = {name: functools.partial(step, loss, features, labels) for name, loss in losses.items()}
    with torch.compiler.set_stance("fail_on_recompile"):
        return in_turn(works, SECONDS_EACH * len(works), least_turns=3)


def compare(rows, arguments):
    """Prints and returns times of forward and backward."""
    features, labels = batch(rows)
    losses = eager_losses(arguments.peers)
    if rows > arguments.largest_peer:
        losses = {"projnce": losses["projnce"]}
    step(losses["projnce"], features, labels)
    reference = features.grad
    losses, facts = with_compiled(losses, features, labels)
    losses = {n: l for n, l in losses.items() if agrees(n, l, reference, features, labels)}
    times = measure(losses, features, labels)
    print(f"N = {rows}, D = {DIM}, forward and backward")
    for name, seconds in times.items():
        note = ""
        if name in facts:
            note = "  compiled in {compile_seconds:.1f} s, {graph_breaks} graph breaks".format(**facts[name])
        print(f"  {name:<34} {seconds * 1e3:10.3f} ms  {seconds / times['projnce']:6.2f}x{note}", flush=True)
    return {name: {"seconds": seconds, **facts.get(name, {})} for name, seconds in times.items()}


def floors(features, labels):
    """Returns lower bounds on the time of a call: the C++ operator, which computes value and gradient, and
    torch's backward() of a graph with one multiplication."""
    import torch
    import projnce
    loss = projnce.SupConLoss(temperature=TEMPERATURE)
    operator, arguments = loss._operator.forward, loss._arguments(features, labels)
    number = torch.ones((), requires_grad=True)

    def operator_alone():
        with torch._C._AutoDispatchBelowAutograd():  # bypasses the autograd formula registered with torch.library
            operator(*arguments)
    return {"projnce's operator": operator_alone, "torch: (x * 2).backward()": lambda: (number * 2).backward()}


def small_calls(arguments):
    """Prints and returns microseconds per call at N = 64, mostly overhead."""
    import torch
    features, labels = batch(64)
    losses, _ = with_compiled(eager_losses(arguments.peers), features, labels)
    report = {}
    for name, loss in losses.items():
        for _ in range(compiled.WARM_UP_CALLS):
            loss(features, labels)
    passes = {"forward": lambda loss: loss(features, labels),
              "forward and backward": lambda loss: step(loss, features, labels)}
    with torch.compiler.set_stance("fail_on_recompile"):
        for what, call in passes.items():
            works = {name: functools.partial(call, loss) for name, loss in losses.items()}
            if what != "forward":
                works |= floors(features, labels)
            for name, seconds in in_turn(works, 0, CALLS_AT_64).items():
                report.setdefault(name, {})[what] = seconds * 1e6
    print("N = 64, microseconds per call")
    for name, taken in report.items():
        print(f"  {name:<34} " + ", ".join(f"{what} {time:.0f}" for what, time in taken.items()))
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 2048, 8192, 16384])
    parser.add_argument("--largest-peer", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    compiled.use_empty_cache()
    import torch
    torch.set_num_threads(arguments.threads)
    results = {"torch": torch.__version__, "threads": arguments.threads, "load": os.getloadavg()[0]}
    print("torch {torch}, {threads} threads, load {load:.1f}".format(**results), flush=True)
    results["sizes"] = {rows: compare(rows, arguments) for rows in arguments.sizes}
    results["call_us"] = small_calls(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
