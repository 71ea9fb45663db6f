#!/usr/bin/env python3
"""Corrupts checkpoints by flipping bits, truncating and zeroing: the program must skip every corrupt
checkpoint with a warning and resume from the previous one."""
import signal
import struct
import shutil
import sys

import support

FLIPS, CUTS = 300, 40  # evenly spaced in the file
FILES_AT_ONCE = 2000
SKIPPED = "skipped a corrupt checkpoint"


def write_npy(path, kind, shape, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(128 - 10 - 1) + "\n"
    code = {"<f4": "f", "<i8": "q"}[kind]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{code}", *values))


def make_vectors(folder, per_class, width=4):
    """Makes data for a tiny model with small checkpoints."""
    folder.mkdir()
    count = 2 * per_class
    labels = [i % 2 for i in range(count)]
    values = [((7 * i + 5 * d) % 11) / 11 + (labels[i] if d == 0 else 0)
              for i in range(count) for d in range(width)]
    write_npy(folder / "embeddings.npy", "<f4", (count, width), values)
    write_npy(folder / "labels.npy", "<i8", (count, ), labels)


def flipped(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def corrupt_contents(data, everything):
    """Yields names and contents of corrupt files."""
    bits, size = 8 * len(data), len(data)
    for bit in range(0, bits, 1 if everything else bits // FLIPS):
        yield f"bit {bit} flipped", flipped(data, bit)
    for length in range(0, size, 7 if everything else size // CUTS):
        yield f"cut to {length} bytes", data[:length]
        if any(data[length:]):
            yield f"zeros behind {length} bytes", data[:length].ljust(size, b"\0")
    yield "a byte too many", data + b"\0"
    yield "twice", data + data


class CorruptCheckpoints:
    def __init__(self, scene, report):
        self.scene, self.report, self.count = scene, report, 0
        self.stopped = scene.root / "stopped"
        self.stop_a_run()

    def stop_a_run(self):
        """A stopped run with two checkpoints."""
        training = self.scene.start(self.stopped)
        training.wait_for_steps(self.stopped, 3)
        training.signal(signal.SIGTERM)
        if training.wait() != 128 + signal.SIGTERM or len(self.files(self.stopped)) != 2:
            raise RuntimeError(f"no run could be stopped: {training.log}")

    def files(self, run):
        return support.checkpoints(run)

    def copy(self):
        self.count += 1
        return shutil.copytree(self.stopped, self.scene.root / f"copy{self.count}")

    def many_at_once(self, batch):
        """Adds all corrupt files as checkpoints of later steps; the program tries each, newest first."""
        run = self.copy()
        titles = {}
        for number, (title, data) in enumerate(batch, 100000):
            name = f"step-{number}.safetensors"
            (run / "checkpoints" / name).write_bytes(data)
            titles[name] = title
        training = self.scene.start(run)
        problems = training.problems() or self.scene.differences(run)
        skipped = [line for line in training.log.splitlines() if SKIPPED in line]
        if len(skipped) != len(titles) and not problems:
            problems = [f"{len(skipped)} of {len(titles)} were skipped"]
        text = "\n".join(skipped)
        unnoticed = [title for name, title in titles.items() if name not in text]
        problems += [f"not noticed: {', '.join(unnoticed[:10])}"] if unnoticed else []
        self.report.add("many at once", problems, len(titles))
        shutil.rmtree(run)

    def newest(self, title, corrupt):
        """Corrupts the newest checkpoint; the result of the run must not change."""
        run = self.copy()
        corrupt(self.files(run)[-1])
        self.report.add(f"the newest {title}", self.scene.start(run).problems(0, [SKIPPED]) or
                        self.scene.differences(run))

    def all_of_them(self):
        """Corrupts all checkpoints; the program must not claim that there is no checkpoint yet."""
        run = self.copy()
        for path in self.files(run):
            path.write_bytes(path.read_bytes()[:-1])
        training = self.scene.start(run)
        status = training.wait()
        problems = [] if training.log.count(SKIPPED) == 2 else ["it did not name both"]
        if "no checkpoint yet" in training.log:
            problems.append("it says 'no checkpoint yet', where two are corrupt")
        if status == 0:
            problems += self.scene.differences(run)
        elif status not in (1, 2):
            problems.append(f"it ended with status {status}")
        self.report.add("all of them", problems)


def halve(path):
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])


def flip_in_the_middle(path):
    path.write_bytes(flipped(path.read_bytes(), 4 * path.stat().st_size))


def main():
    options = support.read_options(__doc__)
    report = support.Report("corrupt_checkpoint")
    with support.Scene("encoder.name=mlp", "encoder.dim=4", "encoder.head=linear",
                       "train.epochs=8", "train.batch_size=16", "train.checkpoint_every=1",
                       data=make_vectors) as scene:
        scene.train_whole()
        trials = CorruptCheckpoints(scene, report)
        data = trials.files(trials.stopped)[-1].read_bytes()
        every = list(corrupt_contents(data, options.long))
        for begin in range(0, len(every), FILES_AT_ONCE):
            trials.many_at_once(every[begin:begin + FILES_AT_ONCE])
        trials.newest("cut", halve)
        trials.newest("flipped", flip_in_the_middle)
        trials.all_of_them()
    return report.end(f"a checkpoint of {len(data)} bytes")


if __name__ == "__main__":
    sys.exit(main())
