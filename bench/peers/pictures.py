#!/usr/bin/env python3
"""Compares pictures on one core with torchvision and Pillow, in one run, rounds in turn.

    pictures.py PROGRAM FOLDER [--size 224] [--rounds 7]

PROGRAM is projnce-picture-bench; FOLDER holds JPEG files. Two cases: "jpeg", from a file to one
standardised view of SIZE pixels (random resized crop, flip); "views", SupCon's two views of
32 x 32 pictures in memory. Prints JSON: medians of milliseconds a sample and their ratio, by the
clock and by processor time, which other work on the machine disturbs less.
"""
import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import numpy
import PIL
import torch
import torchvision
from PIL import Image
from torchvision import transforms

MEAN, STD = (0.5, 0.4, 0.3), (0.2, 0.2, 0.2)
OUR_VIEWS, THEIR_VIEWS = 20000, 300


def jpeg_case(files, size):
    transform = transforms.Compose([
        transforms.RandomResizedCrop(size, scale=(0.2, 1.0)), transforms.RandomHorizontalFlip(),
        transforms.ToTensor(), transforms.Normalize(MEAN, STD)])

    def run():
        for file in files:
            with open(file, "rb") as stream:
                transform(Image.open(stream).convert("RGB"))
        return len(files)
    return run


def views_case():
    transform = transforms.Compose([
        transforms.RandomResizedCrop(32, scale=(0.2, 1.0)), transforms.RandomHorizontalFlip(),
        transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
        transforms.RandomGrayscale(p=0.2), transforms.ToTensor(), transforms.Normalize(MEAN, STD)])
    random = numpy.random.default_rng(0)
    pixels = random.integers(0, 256, (THEIR_VIEWS, 32, 32, 3), dtype=numpy.uint8)

    def run():
        for picture in pixels:
            image = Image.fromarray(picture)
            transform(image), transform(image)
        return len(pixels)
    return run


def measured(work):
    cpu, start = time.process_time(), time.perf_counter()
    samples = work()
    return {"samples": samples, "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu}


def medians(answers):
    return {field: 1000 * statistics.median(a[field] / a["samples"] for a in answers)
            for field in ("seconds", "cpu_seconds")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    files = sorted(options.folder.iterdir())
    server = subprocess.Popen([options.program, "--serve", options.folder, str(options.size)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(request):
        server.stdin.write(request + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    cases = {"jpeg": ("jpeg", jpeg_case(files, options.size)),
             "views": (f"views {OUR_VIEWS}", views_case())}
    report = {"peer": f"torchvision {torchvision.__version__}, Pillow {PIL.__version__}",
              "files": len(files), "size": options.size, "rounds": options.rounds}
    for name, (request, work) in cases.items():
        ours(request), work()  # caches and buffers
        rounds = [(ours(request), measured(work)) for _ in range(options.rounds)]
        mine, theirs = (medians(answers) for answers in zip(*rounds))
        report[name] = {
            "projnce_ms": round(mine["seconds"], 4), "peer_ms": round(theirs["seconds"], 4),
            "times_faster": round(theirs["seconds"] / mine["seconds"], 2),
            "times_less_cpu": round(theirs["cpu_seconds"] / mine["cpu_seconds"], 2)}
    server.stdin.close()
    server.wait()
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
