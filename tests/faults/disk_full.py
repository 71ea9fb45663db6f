#!/usr/bin/env python3
"""Fills the disk of a run, or makes it read-only, during training: saved checkpoints must survive, and
once there is space again the same command must give the undisturbed result."""
import resource
import shutil
import signal
import subprocess
import sys

import support

MEGABYTES = 12  # disk size: fits a run and its four checkpoints of one megabyte each
FILE_LIMIT = 600_000  # bytes: less than a checkpoint, more than any other file


def mount(*words):
    return subprocess.run(["mount", *map(str, words)], capture_output=True).returncode == 0


class SmallDisk:
    """A tmpfs in the scene's folder."""

    def __init__(self, root):
        self.path = root / "disk"
        self.ballast = self.path / "ballast"
        self.path.mkdir()
        self.mounted = mount("-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mounted:
            subprocess.run(["umount", "--lazy", self.path], check=False)

    def fill(self):
        """Fills the disk to the last page, including space freed by a failed checkpoint."""
        piece = bytes(4096)
        with open(self.ballast, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(piece)
            except OSError:
                pass

    def free(self):
        self.ballast.unlink()

    def empty(self):
        for path in self.path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def allow_writing(self, allowed):
        return mount("-o", f"remount,{'rw' if allowed else 'ro'}", self.path)


def cause_of(training, *causes):
    return [] if any(cause in training.log for cause in causes) else [
        f"it did not say why: {training.log[-600:]}"]


def goes_on(scene, run):
    """Resumes with the same command; the result must equal the undisturbed run."""
    training = scene.start(run)
    problems = training.problems()
    if "corrupt checkpoint" in training.log:
        problems.append(f"a checkpoint is corrupt: {training.log}")
    return problems or scene.differences(run)


def fill_until(disk, happened):
    def full_and_happened():
        disk.fill()
        return happened()
    support.wait_until(full_and_happened, "what a full disk leads to")


def stays_full(scene, disk):
    """Full from the third step to the end, so that the results cannot be written either."""
    run = disk.path / "run"
    training = scene.start(run)
    training.wait_for_steps(run, 3)
    fill_until(disk, training.ended)
    status = training.wait()
    problems = cause_of(training, "No space left on device")
    if status != 1:
        problems.append(f"it ended with status {status}, expected 1")
    if not support.checkpoints(run):
        problems.append("the checkpoints before are gone")
    disk.free()
    return problems or goes_on(scene, run)


def is_freed(scene, disk):
    """Full for some steps; only checkpoints may be lost."""
    run = disk.path / "run"
    training = scene.start(run)
    training.wait_for_steps(run, 3)
    fill_until(disk, lambda: training.ended() or "failed to write a checkpoint" in training.log)
    disk.free()
    problems = training.problems(0, ["failed to write a checkpoint", "could not be written"])
    return problems or scene.differences(run)


def is_full_before(scene, disk):
    """Full from the beginning."""
    run = disk.path / "run"
    disk.fill()
    training = scene.start(run)
    status = training.wait()
    problems = cause_of(training, "No space left on device")
    if status != 1:
        problems.append(f"it ended with status {status}, expected 1")
    disk.free()
    return problems or goes_on(scene, run)


def checkpoints_read_only(scene, disk):
    """The checkpoint folder becomes read-only during training."""
    run = disk.path / "run"
    folder = run / "checkpoints"
    training = scene.start(run)
    training.wait_for_steps(run, 3)
    if not mount("--bind", folder, folder):
        raise OSError("a folder could not be mounted on itself")
    try:
        # Fails while a file in it is being written.
        support.wait_until(lambda: training.ended() or mount("-o", "remount,bind,ro", folder),
                           "a folder to become read-only")
        problems = training.problems(0, ["failed to write a checkpoint", "Read-only file system"])
    finally:
        subprocess.run(["umount", folder], check=True)
    (run / "summary.json").unlink()
    return problems or goes_on(scene, run)


def disk_read_only(scene, disk):
    """On a read-only disk, a run must neither start nor resume, with an error."""
    run = disk.path / "run"
    training = scene.start(run)
    training.wait_for_steps(run, 3)
    training.signal(signal.SIGTERM)
    training.wait()
    if not disk.allow_writing(False):
        raise OSError("the disk could not be mounted again")
    problems = []
    for out in (run, disk.path / "new"):
        rejected = scene.start(out)
        if rejected.wait() not in (1, 2):
            problems.append(f"{out.name} ended with status {rejected.process.returncode}")
        problems += cause_of(rejected, "Read-only file system", "no permission for")
    disk.allow_writing(True)
    return problems or goes_on(scene, run)


def files_limited(scene):
    """Without a separate disk: limits the file size below that of a checkpoint."""
    run = scene.root / "run"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead of killing the process

    training = scene.start(run, preexec_fn=limit)
    problems = training.problems(0, ["failed to write a checkpoint", "File too large"])
    (run / "summary.json").unlink(missing_ok=True)
    return problems or goes_on(scene, run)


def main():
    options = support.read_options(__doc__)
    report = support.Report("disk_full")
    with support.Scene("train.epochs=8", "train.batch_size=16",
                       "train.checkpoint_every=1") as scene, SmallDisk(scene.root) as disk:
        scene.train_whole()
        if not disk.mounted:
            report.attempt("limited files", lambda: files_limited(scene))
            return report.end("by a limit of the size of files, since only root can mount a disk")
        for trying in (stays_full, is_freed, is_full_before, checkpoints_read_only,
                       disk_read_only):
            report.attempt(trying.__name__.replace("_", " "), lambda: trying(scene, disk))
            disk.empty()
        if options.long:
            report.attempt("limited files", lambda: files_limited(scene))
    return report.end(f"a disk of {MEGABYTES} MB")


if __name__ == "__main__":
    sys.exit(main())
