#!/usr/bin/env python3
"""Starts a second training on a run that is being trained: it must be rejected, and the first continues."""
import contextlib
import signal
import socket
import sys

import support


@contextlib.contextmanager
def paused(scene, run):
    """A training that is paused halfway."""
    training = scene.start(run)
    training.wait_for_steps(run, 1)
    training.signal(signal.SIGSTOP)
    try:
        yield training
    finally:
        training.signal(signal.SIGCONT)


def second_rejected(scene, run):
    """The error names the writer; the first training gives the undisturbed result."""
    with paused(scene, run) as first:
        owner = f"is being written by process {first.process.pid} on {socket.gethostname()}"
        problems = scene.start(run).problems(2, [owner])
    return problems + (first.problems() or scene.differences(run))


def second_without_resume(scene, run):
    """A new run in the same directory is rejected too."""
    with paused(scene, run) as first:
        arguments = [word for word in scene.arguments(run) if word != "--resume"]
        second = support.Training(arguments, run.with_suffix(".log"), None, cwd=scene.root)
        problems = second.problems(2, ["already contains a run"])
    return problems + (first.problems() or scene.differences(run))


def both_at_once(scene, run):
    """Of two simultaneous starts, one gets the run; the other is rejected, or finds it finished."""
    both = [scene.start(run) for _ in range(2)]
    statuses = sorted(each.wait() for each in both)
    logs = "\n".join(each.log for each in both)
    came_late = statuses == [0, 0] and "is already finished" in logs
    good = statuses == [0, 2] or came_late
    problems = [] if good else [f"they ended with {statuses}: {logs[-900:]}"]
    return problems + scene.differences(run)


def main():
    options = support.read_options(__doc__, tries=1, long_tries=20)
    report = support.Report("two_writers")
    with support.Scene("train.epochs=4", "train.checkpoint_every=1") as scene:
        scene.train_whole()
        for number in range(options.tries):
            for trying in (second_rejected, second_without_resume, both_at_once):
                run = scene.root / f"{trying.__name__}{number}"
                report.attempt(trying.__name__.replace("_", " "), lambda: trying(scene, run))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
