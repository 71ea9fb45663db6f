#!/usr/bin/env python3
"""Trains with 1, 2 and 4 ranks on this host and compares the traffic with the formula.

Prints a Markdown table: samples per second; bytes per step as predicted in docs/scaling.md, and as
counted by the kernel on the loopback interface (including TCP headers). Fails if these differ by more
than the TCP headers. REQUIRES: no other loopback traffic.
"""
import argparse
import json
import struct
import subprocess
import tempfile
from pathlib import Path

FLOAT, INTEGER, DOUBLE = 4, 8, 8
TCP_OVERHEAD = 0.1  # maximum fraction of headers
PARTS_OF_LOSS = 4  # alignment, uniformity, valid_anchors, R


def checkpoint_shapes(run):
    newest = sorted((run / "checkpoints").glob("step-*.safetensors"))[-1]
    with open(newest, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return {name: entry["shape"] for name, entry in header.items() if name != "__metadata__"}


def elements(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def predicted(shapes, rows, dim, ranks):
    """Returns the bytes that a rank sends per step, by purpose. `rows` is per rank."""
    others = ranks - 1
    weights = [elements(s) for name, s in shapes.items() if name.startswith("optimizer.mean.")]
    channels = [s[0] for name, s in shapes.items() if name.endswith("running_mean")]
    norms = sum((3 + 2) * FLOAT * c * others for c in channels)
    return {
        "gradients": 2 * FLOAT * sum(weights) * others // ranks,
        "embeddings there": FLOAT * rows * dim * others,
        "their gradients back": FLOAT * rows * dim * others,
        "labels and samples": 2 * INTEGER * rows * others + INTEGER * others,
        "batch statistics": norms,
        "losses, status": DOUBLE * (3 + PARTS_OF_LOSS) * others + FLOAT * len(weights) * others,
    }


def train(program, ranks, arguments, out):
    command = [program, "launch", "-n", str(ranks), "--", "train", *arguments, "--out", str(out), "--json"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(ran.stderr)
    return json.loads(ran.stdout)


def loopback_bytes():
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() == "lo":
            return int(numbers.split()[8])
    raise SystemExit("no loopback interface")


def measure(program, ranks, settings, steps_per_epoch):
    """Returns the summary of the longer training, its shapes, and the bytes per step and rank."""
    seen = {}
    for epochs in (1, 3):  # the difference excludes the setup
        with tempfile.TemporaryDirectory() as scratch:
            run = Path(scratch) / "run"
            arguments = [*settings, "--set", f"train.epochs={epochs}", "--set", f"eval.every={epochs}"]
            before = loopback_bytes()
            summary = train(program, ranks, arguments, run)
            seen[epochs] = loopback_bytes() - before
            shapes = checkpoint_shapes(run)
    return summary, shapes, (seen[3] - seen[1]) / (2 * steps_per_epoch * ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--samples", type=int, default=2048)
    options = parser.parse_args()
    arguments = []
    for setting in ("dataset.name=fashion-mnist", f"dataset.max_train={options.samples}",
                    "dataset.max_test=200", "encoder.name=resnet-small", "loss.name=projnce",
                    f"train.batch_size={options.batch}", "threads=1", "train.learning_rate=0.003"):
        arguments += ["--set", setting]
    print("| ranks | samples/s | bytes per step, predicted | measured |\n|---|---|---|---|")
    wrong = 0
    for ranks in (1, 2, 4):
        summary, shapes, wire = measure(options.program, ranks, arguments,
                                        options.samples // options.batch)
        parts = predicted(shapes, 2 * options.batch // ranks, 128, ranks)
        expected = sum(parts.values())
        wrong += ranks > 1 and not expected <= wire <= (1 + TCP_OVERHEAD) * expected
        print(f"| {ranks} | {summary['images_per_second']:.0f} | {expected} | {wire:.0f} |", flush=True)
    for name, size in parts.items():
        print(f"{name}: {size} bytes, 4 ranks")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
