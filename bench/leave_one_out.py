#!/usr/bin/env python3
"""Trains with few rows per class in a batch: projnce-perp with and without the anchor's instance, and SupCon.

    bench/leave_one_out.py [--program build/projnce] [--seeds 3] [--epochs 10]

Data: vectors around random class centers, 6000 for training and 5000 for the test, one view per sample, batches of 64. Prints for
each number of classes and loss the test accuracy by nearest centroid and the certified class form of the mutual information, at the
temperature of the loss and at the one that fits the training samples best: mean and standard deviation over seeds.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np

TRAIN, TEST, DIM = 6000, 5000, 32
SPREAD = 0.55  # of the class centers, in standard deviations of the noise
PERP = {"name": "projnce-perp", "soft_source": "hard"}
LOSSES = {
    "supcon": {"name": "supcon"},
    "perp, none": PERP,
    "perp, instance": {**PERP, "leave_one_out": "instance"},
    "perp, instance, uniform priors": {**PERP, "leave_one_out": "instance", "priors": "uniform"},
}


def write_data(folder, classes):
    """Equiprobable classes, the same data for every seed. Returns accuracy and information of the exact posterior."""
    random = np.random.default_rng(classes)
    centers = SPREAD * random.normal(size=(classes, DIM))
    folder.mkdir()
    for split, count in (("train", TRAIN), ("test", TEST)):
        labels = random.integers(classes, size=count)
        rows = centers[labels] + random.normal(size=(count, DIM))
        np.save(folder / f"{split}.npy", rows.astype(np.float32))
        np.save(folder / f"{split}_labels.npy", labels)
    logits = rows @ centers.T - (centers**2).sum(1) / 2
    largest = logits.max(1)
    log_posterior = logits[np.arange(TEST), labels] - largest - np.log(np.exp(logits - largest[:, None]).sum(1))
    return 100 * (logits.argmax(1) == labels).mean(), np.log(classes) + log_posterior.mean()


def settings_of(data, loss, seed, arguments):
    settings = {
        "dataset.name": "embeddings", "dataset.root": data, "encoder.name": "mlp", "encoder.layers": 2,
        "encoder.width": 256, "augment.views": 1, "train.batch_size": 64, "train.epochs": arguments.epochs, "seed": seed,
        "threads": 1, "eval.every": arguments.epochs, "eval.final_protocols": '["nearest-centroid"]', "report.page": "false",
        "loss.temperature": arguments.temperature, **{f"loss.{key}": value for key, value in loss.items()},
    }
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def train(data, loss, seed, out, arguments):
    """Accuracy in percent and the bounds of the last epoch."""
    command = [arguments.program, "train", "--out", str(out), *settings_of(data, loss, seed, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    last = {line["name"]: line["value"] for line in lines if line["split"] == "test"}
    return {"accuracy": 100 * last["nearest-centroid"]["top1"], "class": last["information"]["mi_bound_class"],
            "fitted": last["information"]["mi_bound_class_fitted"]}


def cell(values, digits):
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.{digits}f} ± {spread:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/projnce")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--classes", type=int, nargs="+", default=[50, 100])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for classes in arguments.classes:
            data = Path(scratch) / f"data{classes}"
            accuracy, information = write_data(data, classes)
            print(f"| {classes} | exact posterior | {accuracy:.1f} % | {information:.2f} | {information:.2f} |", flush=True)
            for name, loss in LOSSES.items():
                runs = [train(data, loss, seed, Path(scratch) / f"{classes}-{name.replace(', ', '-')}-{seed}", arguments)
                        for seed in range(1, arguments.seeds + 1)]
                values = {key: [run[key] for run in runs] for key in runs[0]}
                print(f"| {classes} | {name} | {cell(values['accuracy'], 1)} % | {cell(values['class'], 2)} | "
                      f"{cell(values['fitted'], 2)} |", flush=True)


if __name__ == "__main__":
    main()
