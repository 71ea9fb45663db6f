#!/usr/bin/env python3
"""Compares image loading and augmentation on one core with Pillow and NumPy, in alternating rounds.

    images.py PROGRAM FOLDER [--size 224] [--rounds 7]

PROGRAM is projnce-image-bench; FOLDER contains JPEG files. Two cases: "jpeg", from a file to one
standardized view of SIZE pixels (random resized crop, flip), with Pillow as most loaders use it and with
Image.draft, which decodes at a reduced resolution if that suffices for the crop; "views", SupCon's two
views of in-memory 32 x 32 images (crop, flip, color jitter, grayscale). Prints JSON: median milliseconds
per sample and their ratio, in wall time and in CPU time, which depends less on other processes.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import time
from pathlib import Path

import numpy
import PIL
from PIL import Image, ImageEnhance, ImageOps

MEAN = numpy.array((0.5, 0.4, 0.3), numpy.float32)
STD = numpy.array((0.2, 0.2, 0.2), numpy.float32)
OUR_VIEWS, THEIR_VIEWS = 20000, 300
BRIGHTNESS = CONTRAST = SATURATION = 0.4
HUE = 0.1


def crop_box(random, width, height):
    """A random resized crop: 0.2 to 1 of the area, aspect ratios from 3:4 to 4:3."""
    for _ in range(10):
        area = width * height * random.uniform(0.2, 1.0)
        aspect = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            left, top = random.integers(0, width - w + 1), random.integers(0, height - h + 1)
            return int(left), int(top), int(left) + w, int(top) + h
    return 0, 0, width, height


def standardized(image):
    """float32 [3, H, W]"""
    pixels = numpy.asarray(image, numpy.float32) / 255
    return numpy.ascontiguousarray(((pixels - MEAN) / STD).transpose(2, 0, 1))


def resized(random, image, box, size):
    """Crop, resize, flip."""
    view = image.resize((size, size), Image.Resampling.BILINEAR, box)
    return ImageOps.mirror(view) if random.random() < 0.5 else view


def jpeg_case(files, size, use_draft):
    random = numpy.random.default_rng(0)

    def view(image):
        width, height = image.size
        box = crop_box(random, width, height)
        if use_draft:
            # The smallest resolution at which the crop still has `size` pixels.
            scale = min(1.0, max(size / (box[2] - box[0]), size / (box[3] - box[1])))
            image.draft("RGB", (math.ceil(width * scale), math.ceil(height * scale)))
            box = tuple(edge * image.size[i % 2] / (width, height)[i % 2] for i, edge in enumerate(box))
        return standardized(resized(random, image.convert("RGB"), box, size))

    def run():
        for file in files:
            with open(file, "rb") as stream:
                view(Image.open(stream))
        return len(files)
    return run


def shifted_hue(image, amount):
    hue, saturation, value = image.convert("HSV").split()
    table = [(level + round(255 * amount)) % 256 for level in range(256)]
    return Image.merge("HSV", (hue.point(table), saturation, value)).convert("RGB")


def jittered(random, image):
    changes = [lambda i: ImageEnhance.Brightness(i).enhance(random.uniform(1 - BRIGHTNESS, 1 + BRIGHTNESS)),
               lambda i: ImageEnhance.Contrast(i).enhance(random.uniform(1 - CONTRAST, 1 + CONTRAST)),
               lambda i: ImageEnhance.Color(i).enhance(random.uniform(1 - SATURATION, 1 + SATURATION)),
               lambda i: shifted_hue(i, random.uniform(-HUE, HUE))]
    for place in random.permutation(len(changes)):
        image = changes[place](image)
    return image


def views_case():
    random = numpy.random.default_rng(0)
    pixels = random.integers(0, 256, (THEIR_VIEWS, 32, 32, 3), dtype=numpy.uint8)

    def view(image):
        image = resized(random, image, crop_box(random, 32, 32), 32)
        if random.random() < 0.8:
            image = jittered(random, image)
        if random.random() < 0.2:
            image = image.convert("L").convert("RGB")
        return standardized(image)

    def run():
        for each in pixels:
            image = Image.fromarray(each)
            view(image), view(image)
        return len(pixels)
    return run


def measured(work):
    cpu, start = time.process_time(), time.perf_counter()
    samples = work()
    return {"samples": samples, "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu}


def medians(responses):
    return {field: 1000 * statistics.median(a[field] / a["samples"] for a in responses)
            for field in ("seconds", "cpu_seconds")}


def compare(ours, request, peers, rounds):
    """Runs ours and each peer in alternation."""
    works = {"projnce": lambda: ours(request)}
    works |= {name: lambda run=run: measured(run) for name, run in peers.items()}
    for work in works.values():
        work()  # warm-up
    turns = [{name: work() for name, work in works.items()} for _ in range(rounds)]
    times = {name: medians([turn[name] for turn in turns]) for name in works}
    mine = times.pop("projnce")
    report = {"projnce_ms": round(mine["seconds"], 4)}
    for name, theirs in times.items():
        report[name] = {"ms": round(theirs["seconds"], 4),
                        "times_as_long": round(theirs["seconds"] / mine["seconds"], 2),
                        "times_the_cpu": round(theirs["cpu_seconds"] / mine["cpu_seconds"], 2)}
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    files = sorted(options.folder.iterdir())
    server = subprocess.Popen([options.program, "--serve", options.folder, str(options.size)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(request):
        server.stdin.write(request + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    report = {"peer": f"Pillow {PIL.__version__}, NumPy {numpy.__version__}", "load": os.getloadavg()[0],
              "files": len(files), "size": options.size, "rounds": options.rounds}
    jpegs = {"Pillow": jpeg_case(files, options.size, use_draft=False),
             "Pillow with draft": jpeg_case(files, options.size, use_draft=True)}
    report["jpeg"] = compare(ours, "jpeg", jpegs, options.rounds)
    report["views"] = compare(ours, f"views {OUR_VIEWS}", {"Pillow": views_case()}, options.rounds)
    server.stdin.close()
    server.wait()
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
