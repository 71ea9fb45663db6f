#!/usr/bin/env python3
"""Kills a training at random times, some of them during a checkpoint write, restarts it with the same
command each time, and compares the result with an undisturbed run."""
import signal
import sys
import time

import support

KILLS_IN_A_RUN = 10
AIMED_SHARE = 0.25  # fraction of kills aimed at checkpoint writes


def step_of(path):
    return int(path.name.split("step-")[1].split(".")[0])


def wait_for_writing(training, run, steps_ahead):
    """Waits until there is a temporary checkpoint file, some steps from now."""
    last = max(map(step_of, support.checkpoints(run)), default=0)
    while not training.ended():
        if any(step_of(path) >= last + steps_ahead
               for path in (run / "checkpoints").glob(".step-*")):
            return


class Kills:
    def __init__(self, options):
        self.random = options.random
        self.wanted = options.tries
        self.report = support.Report("sigkill")
        self.inside = self.runs = self.lost = self.different = 0

    def kill_once(self, training, run, window):
        """Returns False if the training finished before."""
        if self.random.random() < AIMED_SHARE:
            wait_for_writing(training, run, self.random.randint(1, 8))
        else:
            time.sleep(self.random.uniform(0, window))
        training.signal(signal.SIGKILL)
        if training.wait() == 0:
            return False
        # A temporary file of another process is left over from an earlier kill.
        mark = f".tmp.{training.process.pid}"
        self.inside += any(path.name.endswith(mark) for path in support.temporaries(run))
        return True

    def disturb(self, scene, window):
        """Trains one run to completion with several kills."""
        self.runs += 1
        run = scene.root / f"run{self.runs}"
        kills = 0
        goal = min(KILLS_IN_A_RUN, self.wanted - self.report.tried)
        while kills < goal and self.kill_once(scene.start(run), run, window):
            kills += 1
        problems = scene.start(run).problems()
        self.lost += bool(problems) * kills
        if not problems:
            problems = scene.differences(run)
            self.different += bool(problems) * kills
        self.report.add(f"run {self.runs}, killed {kills} times", problems, kills)

    def end(self):
        if self.inside < 0.1 * self.report.tried:
            self.report.add("aiming", ["fewer than a tenth hit the writing of a checkpoint"])
        return self.report.end(f"{self.inside} inside the writing of a checkpoint",
                               f"{self.lost} lost, {self.different} different",
                               f"in {self.runs} runs")


def kill_window(scene):
    """Trains the undisturbed run. Kills happen at startup or in the first third of the steps, so that
    several fit into a run."""
    training = scene.start(scene.whole)
    training.wait_for_steps(scene.whole, 1)
    start = time.monotonic() - training.started
    problems = training.problems()
    if problems:
        raise RuntimeError("; ".join(problems))
    return start + (training.seconds - start) / 3


def main():
    kills = Kills(support.read_options(__doc__, tries=20, long_tries=200))
    with support.Scene("train.epochs=15", "train.batch_size=16",
                       "train.checkpoint_every=1") as scene:
        window = kill_window(scene)
        while kills.report.tried < kills.wanted:
            kills.disturb(scene, window)
    return kills.end()


if __name__ == "__main__":
    sys.exit(main())
