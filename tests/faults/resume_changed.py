#!/usr/bin/env python3
"""Resumes a run under changed conditions: it must be rejected or logged, never silent."""
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import support

NOT_EXACT = "resuming, but not bit-for-bit: "


def make_parts(folder, per_class):
    support.make_folder(folder / "train", per_class)
    support.make_folder(folder / "test", 10)


def add_image(data):
    support.write_png(data / "train/lying/new.png", 16, 16, support.stripes("lying", 5))


def relabel_image(data):
    (data / "train/lying/000.png").rename(data / "train/upright/other.png")


def repaint_images(data):
    """Changes the contents of images but not their names."""
    for path in (data / "train/lying").iterdir():
        support.write_png(path, 16, 16, lambda x, y: 90)


def remove_test_image(data):
    (data / "test/lying/000.png").unlink()


class Changes:
    def __init__(self, scene, report):
        self.scene, self.report, self.count = scene, report, 0
        self.stopped = scene.root / "stopped"
        training = scene.start(self.stopped)
        training.wait_for_steps(self.stopped, 3)
        training.signal(signal.SIGTERM)
        if training.wait() != 128 + signal.SIGTERM:
            raise RuntimeError(f"no run could be stopped: {training.log}")

    def case(self, title, status, says, *more, data=lambda folder: None, **how):
        """`data` modifies a copy of the data, which replaces the original."""
        def trying():
            folder = self.scene.root / title.replace(" ", "-")
            shutil.copytree(self.scene.root / "data", folder / "data")
            data(folder / "data")
            run = shutil.copytree(self.stopped, folder / "run")
            return self.scene.start(run, *more, cwd=folder, **how).problems(status, says)

        self.report.attempt(title, trying)


def all_cases(changes):
    """Yields the cases: title, expected status and messages, and changes."""
    case, sets = changes.case, support.sets
    other = "was trained with different settings: "
    data = "the data has changed since the run was started"
    yield lambda: case("another model", 2, [other + "encoder.width = 8 instead of 16"],
                       *sets("encoder.width=8"))
    yield lambda: case("another model forced", 2, ["encoder"], *sets("encoder.width=8"), "--force")
    yield lambda: case("another setting", 2, [other + "train.learning_rate = 0.01 instead of"],
                       *sets("train.learning_rate=0.01"))
    yield lambda: case("another setting forced", 0, ["resuming with changed settings: "
                                                     "train.learning_rate = 0.01 instead of"],
                       *sets("train.learning_rate=0.01"), "--force")
    yield lambda: case("a image more", 2, [data], data=add_image)
    yield lambda: case("a image of another class", 2, [data], data=relabel_image)
    yield lambda: case("other images of the same names", 2, [data], data=repaint_images)
    yield lambda: case("a test image less", 2, ["data"], data=remove_test_image)
    yield lambda: case("a image more forced", 0, ["resuming with changed data"], "--force", data=add_image)
    yield lambda: case("more threads", 0, [NOT_EXACT + "threads 2 instead of 1"], *sets("threads=2"))
    yield lambda: case("other instructions", 0, [NOT_EXACT + "libtorch_instructions"],
                       env={"ATEN_CPU_CAPABILITY": "default"})
    yield lambda: case("more ranks", 0, [NOT_EXACT + "ranks 2 instead of 1"],
                       launch=["launch", "-n", "2", "--max-restarts", "0", "--"])


def main():
    support.read_options(__doc__)
    report = support.Report("resume_changed")
    with support.Scene("train.epochs=4", "train.batch_size=16", data=make_parts) as scene:
        changes = Changes(scene, report)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda trying: trying(), all_cases(changes)))
        scene.train(changes.stopped)
        report.attempt("a finished run", lambda: scene.start(changes.stopped).problems(
            0, ["is already finished"]))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
