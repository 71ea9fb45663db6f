#!/usr/bin/env python3
"""Starts a training on a run that is being trained: it is refused, and the first one goes on."""
import socket
import sys

import support


def second_refused(scene, run):
    """It learns who writes the run; what the first comes to is the undisturbed result."""
    first = scene.start(run)
    first.wait_for_steps(run, 1)
    owner = f"is being written by process {first.process.pid} on {socket.gethostname()}"
    second = scene.start(run)
    problems = second.problems(2, [owner])
    if first.ended():
        problems.append("the first had ended before the second was refused")
    return problems + (first.problems() or scene.differences(run))


def second_without_resume(scene, run):
    """Nor does it begin anew in the directory of another."""
    first = scene.start(run)
    first.wait_for_steps(run, 1)
    arguments = [word for word in scene.arguments(run) if word != "--resume"]
    second = support.Training(arguments, scene.root / "anew.log", None)
    problems = second.problems(2, ["already holds a run"])
    return problems + (first.problems() or scene.differences(run))


def both_at_once(scene, run):
    """One of two that begin together gets the run."""
    both = [scene.start(run) for _ in range(2)]
    statuses = sorted(each.wait() for each in both)
    logs = "\n".join(each.log for each in both)
    problems = [] if statuses == [0, 2] else [f"they ended with {statuses}: {logs[-900:]}"]
    return problems + scene.differences(run)


def main():
    options = support.read_options(__doc__, tries=1, long_tries=20)
    report = support.Report("two_writers")
    # Long enough for the second to come in between.
    with support.Scene("train.epochs=30", "train.batch_size=16",
                       "train.checkpoint_every=1") as scene:
        scene.train_whole()
        tries = [second_refused, second_without_resume, both_at_once]
        for number in range(options.tries):
            for trying in tries:
                run = scene.root / f"{trying.__name__}{number}"
                report.attempt(trying.__name__.replace("_", " "), lambda: trying(scene, run))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
