#!/usr/bin/env python3
"""Stops a training with SIGTERM and SIGINT after every step, and resumes it each time."""
import itertools
import signal
import sys
import time

import support

EPOCHS, STEPS_IN_AN_EPOCH = 3, 4
CHAINS = 12  # maximum number of runs in which every step must have been hit


def state_of(run):
    return support.read_checkpoint(support.checkpoints(run)[-1])[1]


def wait_for_step(training, run, step, jitter):
    """Waits until the training is about to run this step; the log of a resumed training starts with the
    earlier steps."""
    support.wait_until(lambda: training.ended() or "batches on" in training.log, "its first step")
    training.wait_for_steps(run, step - 1)
    epochs = (step - 1) // STEPS_IN_AN_EPOCH  # that must be evaluated before the step starts
    support.wait_until(lambda: training.ended() or support.evaluated_epochs(run) >= epochs, "an epoch")
    time.sleep(jitter)


class Stops:
    def __init__(self, report, random):
        self.report, self.random = report, random
        self.longest = 0.0

    def stop(self, training, number):
        """Sends the signal. Returns the problems, and whether the training was still running."""
        sent = time.monotonic()
        training.signal(number)
        if training.wait() == 0:
            return [], False
        self.longest = max(self.longest, time.monotonic() - sent)
        return training.problems(128 + number, ["resume with: projnce train --resume"]), True

    def chain(self, scene, name, signals, wanted):
        """Stops one run at as many of the wanted steps as possible."""
        run = scene.root / name
        problems, hit = [], set()
        for step in sorted(wanted):
            if hit and step <= max(hit):
                continue  # the previous stop was late
            training = scene.start(run)
            wait_for_step(training, run, step, self.random.uniform(0, 0.01))
            trouble, stopped = self.stop(training, next(signals))
            problems += trouble
            if not stopped or trouble:
                break
            hit.add(state_of(run)["step"])
        problems += scene.start(run).problems() or scene.differences(run)
        self.report.add(f"{name}, stopped after the steps {sorted(hit)}", problems, len(hit) or 1)
        return hit

    def every_step(self, scene, name, steps, *numbers):
        """Repeats until each step was hit."""
        left, signals = set(steps), itertools.cycle(numbers)
        for number in range(CHAINS):
            left -= self.chain(scene, f"{name}-{number}", signals, left)
            if not left:
                return
        self.report.add(name, [f"no stop hit the steps {sorted(left)} in {CHAINS} chains"])

    def anywhere(self, scene, number, seconds):
        """Stops at arbitrary times: at startup, during evaluation, while writing results."""
        run = scene.root / f"after-{seconds}"
        training = scene.start(run)
        time.sleep(seconds)
        training.signal(number)
        status = training.wait()
        good = (0, 128 + number, -number)  # the last one: before the signal handler was installed
        problems = [] if status in good else [f"it ended with status {status}: {training.log}"]
        problems += scene.start(run).problems() or scene.differences(run)
        self.report.add(f"stopped after {seconds:.2f} s by signal {number}", problems)


def main():
    options = support.read_options(__doc__, tries=2, long_tries=40)
    report = support.Report("stop_everywhere")
    stops = Stops(report, options.random)
    steps = range(1, STEPS_IN_AN_EPOCH * (EPOCHS if options.long else 1) + 1)
    for threads in (0, 1, 2) if options.long else (1, ):
        with support.Scene(f"train.epochs={EPOCHS}", "train.batch_size=16",
                           f"train.loader_threads={threads}") as scene:
            seconds = scene.train_whole()
            if options.long:
                stops.every_step(scene, f"loader-{threads}-term", steps, signal.SIGTERM)
                stops.every_step(scene, f"loader-{threads}-int", steps, signal.SIGINT)
            else:
                stops.every_step(scene, "both", steps, signal.SIGTERM, signal.SIGINT)
            for number in range(options.tries):
                which = (signal.SIGTERM, signal.SIGINT)[number % 2]
                stops.anywhere(scene, which, options.random.uniform(0, seconds))
    return report.end(f"after each of {len(steps)} steps",
                      f"longest from signal to exit {stops.longest:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
