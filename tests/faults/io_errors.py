#!/usr/bin/env python3
"""Makes single I/O operations of a checkpoint fail (io_fault.c): training must continue, log what is
missing, and keep the previous checkpoint intact."""
import collections
import errno
import itertools
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support

LAST = 10**9  # last failing operation: all operations from the first on fail

Case = collections.namedtuple("Case", "kind first last error")


def build_library(folder):
    library = folder / "io_fault.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
                    Path(__file__).with_name("io_fault.c"), "-ldl"], check=True)
    return library


class Faults:
    def __init__(self, scene, report):
        self.scene, self.report = scene, report
        self.library = build_library(scene.root)

    def environment(self, run, **settings):
        return {"LD_PRELOAD": str(self.library), "IO_FAULT_FOLDER": str(run / "checkpoints"),
                **{f"IO_FAULT_{name}": str(value) for name, value in settings.items()}}

    def operations(self):
        """Returns the operations of the undisturbed run on its checkpoints, in order: kinds and names."""
        log = self.scene.root / "operations"
        self.scene.train_whole(env=self.environment(self.scene.whole, LOG=log))
        return [line.split(" ", 1) for line in log.read_text().splitlines()]

    def trouble(self, case, run):
        training = self.scene.start(run, env=self.environment(
            run, KIND=case.kind, FIRST=case.first, LAST=case.last, ERRNO=case.error))
        # A leftover old checkpoint or a partial write that was retried is not logged.
        harmless = case.kind == "unlink" or case.error == 0
        said = [] if harmless else ["failed to write a checkpoint, training continues",
                                    "could not be written"]
        if not harmless and case.error:
            said.append(os.strerror(case.error))
        problems = training.problems(0, said)
        if case.last != LAST:
            return problems or self.scene.differences(run)
        problems += [f"{path.name} was left behind" for path in support.temporaries(run)
                     if case.kind != "unlink"]
        return problems or self.trouble_going_on(run)

    def trouble_going_on(self, run):
        """The newest remaining checkpoint must be intact and lead to the same result."""
        (run / "summary.json").unlink()
        training = self.scene.start(run)
        problems = training.problems(0, ["resuming at epoch"])
        if "corrupt checkpoint" in training.log or "no checkpoint" in training.log:
            problems.append(f"there was no whole checkpoint: {training.log}")
        return problems or [problem for problem in self.scene.differences(run)
                            if "best.safetensors" not in problem]

    def attempt(self, case):
        text = " ".join(map(str, case))
        run = self.scene.root / text.replace(" ", "-")
        self.report.attempt(text, lambda: self.trouble(case, run))
        shutil.rmtree(run, ignore_errors=True)


def operations_of(checkpoint, operations):
    """Returns the operations of the last write of a checkpoint: kinds, with their index by kind."""
    seen = collections.Counter()
    numbered = []
    for kind, name in operations:
        seen[kind] += 1
        numbered.append((kind, seen[kind], name))
    opened = [i for i, (kind, _, _) in enumerate(numbered) if kind == "open"]
    begin = max(i for i in opened if checkpoint in numbered[i][2])
    # The next write looks for leftover files before it opens its own.
    end = min(i for i in opened if i > begin) - 1
    return [(kind, number) for kind, number, _ in numbered[begin:end]]


def every_case(kind, number):
    for error, last in itertools.product((errno.EIO, errno.ENOSPC), (number, LAST)):
        yield Case(kind, number, last, error)
    if kind == "write":
        yield Case(kind, number, number, 0)


def cases_of(operations, everything):
    """Returns each operation of a checkpoint and of the best one; without `everything`, one per kind."""
    # The third checkpoint is the first that removes an old one.
    step = operations_of("step-000003", operations)
    best = operations_of("best", operations)
    if everything:
        few = dict(reversed(best)).items()
        return [case for kind, number in [*step, *few] for case in every_case(kind, number)]
    choices = itertools.cycle((0, 3))  # EIO once, ENOSPC permanently
    cases = [list(every_case(*each))[next(choices)] for each in dict(reversed(step)).items()]
    return cases + [list(every_case(*best[0]))[0]]


def main():
    options = support.read_options(__doc__)
    report = support.Report("io_errors")
    if shutil.which("cc") is None:
        return support.skip(report.name, "there is no C compiler (cc)")
    with support.Scene("train.epochs=4", "train.checkpoint_every=1") as scene:
        faults = Faults(scene, report)
        cases = cases_of(faults.operations(), options.long)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(faults.attempt, cases))
    kinds = collections.Counter(case.kind for case in cases)
    return report.end(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


if __name__ == "__main__":
    sys.exit(main())
