#!/usr/bin/env python3
"""Kills and stops ranks of a training under `projnce launch`: the job must recover by itself and give
the result of an undisturbed job with the same number of ranks."""
import itertools
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import support

TIMEOUT = 2  # seconds: train.rank_timeout when a rank is stopped
# Extra seconds allowed on a busy machine.
SLACK = 1
RESTARTS = 5
STEPS_IN_AN_EPOCH = 4


def launcher(ranks):
    return ["launch", "-n", str(ranks), "--max-restarts", str(RESTARTS), "--"]


def status_fields(pid):
    """Returns state and parent of a process; None if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None


def children(parent):
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    fields = {pid: status_fields(pid) for pid in pids}
    return sorted(pid for pid, each in fields.items()
                  if each and each[0] != "Z" and int(each[1]) == parent)


def is_gone(pid):
    fields = status_fields(pid)
    return fields is None or fields[0] == "Z"


def last_loss(run):
    lines = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return [line["value"]["loss"] for line in lines if line["name"] == "epoch"][-1]


class Ranks:
    def __init__(self, options, report, scene, count, steps):
        self.random, self.report, self.scene, self.count = options.random, report, scene, count
        self.launch, self.steps = launcher(count), steps
        self.runs = 0
        self.slowest_end = self.slowest_notice = 0.0
        scene.train_whole(launch=self.launch)

    def start(self):
        self.runs += 1
        run = self.scene.root / f"run{self.runs}"
        return run, self.scene.start(run, launch=self.launch)

    def wait_for_ranks(self, training, but=()):
        """Returns the process ids of the ranks of an attempt."""
        found = []

        def complete():
            found[:] = [pid for pid in children(training.process.pid) if pid not in but]
            return training.ended() or len(found) == self.count
        support.wait_until(complete, f"{self.count} ranks", pause=0.02)
        return list(found)

    def strike(self, pids, number):
        """Sends a signal to a rank. Returns problems with how the others ended."""
        victim = self.random.choice(pids)
        others = [pid for pid in pids if pid != victim]
        sent = time.monotonic()
        os.kill(victim, number)
        support.wait_until(lambda: any(map(is_gone, others)), "the first rank to notice", pause=0.001)
        noticed = time.monotonic() - sent
        support.wait_until(lambda: all(map(is_gone, pids)), "the ranks to end", pause=0.001)
        ended = time.monotonic() - sent
        if number == signal.SIGSTOP:
            self.slowest_notice = max(self.slowest_notice, noticed)
            in_time = noticed < TIMEOUT + 1 + SLACK
            return [] if in_time else [f"a stopped rank was noticed after {noticed:.2f} s"]
        self.slowest_end = max(self.slowest_end, ended)
        return [] if ended < 1 + SLACK else [f"the others ended after {ended:.2f} s"]

    def wait_for_moment(self, fault, training, run):
        if fault == "join":
            time.sleep(self.random.uniform(0, 0.5))
            return
        # After a restart, the log has the lines of earlier steps.
        support.wait_until(lambda: training.ended() or "batches on" in training.log[self.read:],
                           "the ranks to train")
        self.read = len(training.log)
        training.wait_for_steps(run, self.random.randint(1, self.steps - 2))
        time.sleep(self.random.uniform(0, 0.03))

    def disturb(self, *faults):
        """Trains one run with these faults in sequence: "kill", "stop", or "join", which is a kill
        during the rendezvous."""
        def trying():
            run, training = self.start()
            problems, pids = [], []
            self.read = 0  # position in the log of the last fault
            for fault in faults:
                pids += (current := self.wait_for_ranks(training, but=pids))
                self.wait_for_moment(fault, training, run)
                number = signal.SIGSTOP if fault == "stop" else signal.SIGKILL
                problems += self.strike(current, number)
            return problems + self.finished(training, run, faults)

        self.attempt(" and ".join(faults), trying, len(faults))

    def finished(self, training, run, faults):
        words = [f"restarting all ranks ({len(faults)} of {RESTARTS})"]
        words += [] if faults == ("stop", ) else ["was killed by signal 9 (Killed)"]
        return training.problems(0, words) or self.scene.differences(run)

    def end_launcher(self, other_count):
        """Stops the job with a checkpoint, and resumes with the same and another number of ranks."""
        def trying():
            run, training = self.start()
            training.wait_for_steps(run, self.random.randint(1, self.steps - 2))
            training.signal(signal.SIGTERM)
            problems = training.problems(128 + signal.SIGTERM, ["resume with"])
            if not support.checkpoints(run):
                problems.append("there is no checkpoint")
            return problems + self.go_on(run, other_count)

        self.attempt("the launcher ended", trying)

    def go_on(self, run, other_count):
        other_run = run.with_name(run.name + "-other")
        shutil.copytree(run, other_run)
        again = self.scene.start(run, launch=self.launch)
        problems = again.problems() or self.scene.differences(run)
        said = f"ranks {other_count} instead of {self.count}"
        problems += self.scene.start(other_run, launch=launcher(other_count)).problems(0, [said])
        losses = last_loss(other_run), last_loss(self.scene.whole)
        if abs(losses[0] - losses[1]) > 0.01 * abs(losses[1]):
            problems.append(f"with {other_count} ranks the loss came to {losses[0]:.4f} instead "
                            f"of {losses[1]:.4f}")
        return problems

    def attempt(self, title, trying, tries=1):
        self.report.attempt(f"{self.count} ranks: {title}", trying, tries)


def disturb_ranks(options, report, count, runs):
    """Runs jobs of `count` ranks with the faults in `runs`."""
    # With more ranks than cores, steps are slow.
    epochs = 5 if options.long else 4 // count
    with support.Scene(f"train.epochs={epochs}", "train.batch_size=16", "train.checkpoint_every=1",
                       f"train.rank_timeout={TIMEOUT}") as scene:
        ranks = Ranks(options, report, scene, count, STEPS_IN_AN_EPOCH * epochs)
        for faults in runs:
            ranks.disturb(*faults)
        if count == 2 or options.long:
            ranks.end_launcher(other_count=4 if options.long and count == 2 else count // 2)
        return ranks


def long_runs(kills, stops):
    """Cycles through one kill, a kill during the rendezvous, and two kills per run."""
    turns = itertools.cycle([["kill"], ["join"], ["kill", "kill"]])
    runs = []
    while (left := kills - sum(map(len, runs))) > 0:
        runs.append(next(turns)[:left])
    return runs + [["stop"]] * stops


def main():
    options = support.read_options(__doc__, tries=4, long_tries=50)
    report = support.Report("ranks")
    if options.long or options.tries != 4:
        plans = {2: long_runs(options.tries - options.tries // 3, 6),
                 4: long_runs(options.tries // 3, 4)}
    else:
        plans = {2: [["join", "kill", "stop", "kill"]], 4: [["kill"]]}
    both = [disturb_ranks(options, report, count, runs) for count, runs in plans.items()]
    faults = [fault for runs in plans.values() for run in runs for fault in run]
    stops = faults.count("stop")
    ended = max(ranks.slowest_end for ranks in both)
    noticed = max(ranks.slowest_notice for ranks in both)
    return report.end(f"{len(faults) - stops} killed, the others ended within {ended:.2f} s",
                      f"{stops} stopped, noticed within {noticed:.2f} s of a time-out of {TIMEOUT} s")


if __name__ == "__main__":
    sys.exit(main())
