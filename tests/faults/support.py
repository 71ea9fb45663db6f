"""Shared code of the fault tests: working folder, trainings to disturb, and comparison of runs."""
import argparse
import importlib.util
import json
import os
import random
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# Imported under another name, because the command-line tests have a support.py too.
_spec = importlib.util.spec_from_file_location(
    "cli_support", Path(__file__).resolve().parent.parent / "cli" / "support.py")
cli_support = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cli_support)
make_folder, write_png, stripes = (cli_support.make_folder, cli_support.write_png,
                                   cli_support.stripes)

PROGRAM = str(Path(cli_support.PROGRAM).resolve())
HANGS_AFTER = 120  # seconds; ten times the longest training
SKIPPED = 77  # exit status of a test that cannot run on this machine

# Files that must be byte-identical in disturbed and undisturbed runs.
RESULTS = ("metrics.jsonl", "embeddings.npy", "labels.npy", "encoder.safetensors",
           "train_labels.npy")


def sets(*settings):
    return [word for setting in settings for word in ("--set", setting)]


def read_checkpoint(path):
    """Returns tensor bytes by name and the training state, without 'run', whose times differ."""
    data = Path(path).read_bytes()
    length, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        tensors[name] = (tensor["dtype"], tensor["shape"], data[begin:end])
    # The checksum covers the whole file, including times.
    tensors = {name: tensor for name, tensor in tensors.items() if "integrity" not in name}
    return tensors, json.loads(metadata["state"])


def checkpoints(run):
    """Returns the checkpoints, oldest first."""
    return sorted((run / "checkpoints").glob("step-*.safetensors"))


def temporaries(run):
    return sorted(p for p in run.rglob(".*.tmp.*"))


def count_metrics(run, mark):
    try:
        return (run / "metrics.jsonl").read_bytes().count(mark)
    except FileNotFoundError:
        return 0


def trained_steps(run):
    """Returns the steps in metrics.jsonl so far."""
    return count_metrics(run, b'"name":"step"')


def evaluated_epochs(run):
    return count_metrics(run, b'"split":"test"')


def same_checkpoint(left, right):
    return left.exists() and right.exists() and read_checkpoint(left) == read_checkpoint(right)


def differences(run, whole):
    """Returns the differences between a finished run and the undisturbed one."""
    found = [f"{name} differs" for name in RESULTS
             if not (run / name).exists() or (run / name).read_bytes() != (whole / name).read_bytes()]
    found += [f"{name} differs" for name in (checkpoints(whole)[-1].name, "best.safetensors")
              if not same_checkpoint(run / "checkpoints" / name, whole / "checkpoints" / name)]
    found += [f"{path.name} was left behind" for path in temporaries(run)]
    return found + ([] if (run / "summary.json").exists() else ["there is no summary.json"])


def wait_until(happened, what, seconds=HANGS_AFTER, pause=0.002):
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(pause)


class Training:
    """A running program whose standard error goes to a file."""

    def __init__(self, arguments, log_path, env, **popen):
        self.log_path = log_path
        self.started = time.monotonic()
        with open(log_path, "w") as log:
            self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stderr=log,
                                            stdout=subprocess.DEVNULL,
                                            env={**os.environ, **(env or {})}, **popen)

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def ended(self):
        return self.process.poll() is not None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """Returns the exit status; a program that hangs is killed, which counts as an error."""
        try:
            self.process.wait(HANGS_AFTER)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise TimeoutError(f"the program was still running after {HANGS_AFTER} s") from None
        self.seconds = time.monotonic() - self.started
        return self.process.returncode

    def wait_for_steps(self, run, count):
        """Waits until that many steps were trained or the program has exited."""
        wait_until(lambda: self.ended() or trained_steps(run) >= count, f"step {count}")

    def problems(self, status=0, says=()):
        """Returns deviations from this exit status and these messages."""
        ended = self.wait()
        log = self.log
        found = [f"it did not say '{words}'" for words in says if words not in log]
        if ended != status:
            found.insert(0, f"it ended with status {ended}, expected {status}")
        return found + ([f"it said: {log[-600:].strip()}"] if found else [])


class Scene:
    """A folder with images and runs that are trained with the same settings."""

    def __init__(self, *settings, root=None, data=None, per_class=40):
        self.scratch = tempfile.TemporaryDirectory(prefix="projnce-faults-", dir=root)
        self.root = Path(self.scratch.name)
        self.data = "data"  # relative, so that a program started in another folder uses the data there
        (data or make_folder)(self.root / "data", per_class)
        self.settings = cli_support.TINY + sets("train.log_every=1", *settings)
        self.whole = self.root / "whole"
        self.started, self.lock = [], threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for training in self.started:
            if not training.ended():  # if a test was aborted
                training.process.kill()
                training.process.wait()
        self.scratch.cleanup()

    def arguments(self, run, *more):
        return ["train", "--data", self.data, "--out", run, "--resume", *self.settings, *more]

    def start(self, run, *more, launch=(), env=None, **popen):
        with self.lock:
            log = self.root / f"{len(self.started)}.log"
            training = Training([*launch, *self.arguments(run, *more)], log, env,
                                **{"cwd": self.root, **popen})
            self.started.append(training)
        return training

    def train(self, run, *more, **how):
        """Trains to the end; raises if it fails."""
        training = self.start(run, *more, **how)
        problems = training.problems()
        if problems:
            raise RuntimeError("; ".join(problems))
        return training

    def train_whole(self, *more, **how):
        """Trains the undisturbed run. Returns the seconds it took."""
        return self.train(self.whole, *more, **how).seconds

    def differences(self, run):
        return differences(run, self.whole)


class Report:
    """Counts attempts; the last line of output is the summary."""

    def __init__(self, name):
        self.name, self.tried, self.survived = name, 0, 0

    def add(self, title, problems, tries=1):
        self.tried += tries
        if problems:
            print(f"{self.name}: {title}: {'; '.join(problems)}", flush=True)
        else:
            self.survived += tries

    def attempt(self, title, trying, tries=1):
        """`trying` returns a list of problems; a timeout or an exception counts as one."""
        try:
            problems = trying()
        except (OSError, RuntimeError, ValueError) as error:
            problems = [f"{type(error).__name__}: {error}"]
        self.add(title, problems, tries)

    def end(self, *details):
        text = "".join(f"; {detail}" for detail in details)
        print(f"{self.name}: {self.tried} tried, {self.survived} survived{text}", flush=True)
        return 0 if 0 < self.tried == self.survived else 1


def skip(name, reason):
    print(f"{name}: skipped, {reason}")
    return SKIPPED


def read_options(description, tries=1, long_tries=1):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--long", action="store_true", help="everything, which takes long")
    parser.add_argument("--tries", type=int, help=f"default {tries}, with --long {long_tries}")
    parser.add_argument("--seed", type=int, default=1, help="of random moments and choices")
    options = parser.parse_args()
    options.tries = options.tries or (long_tries if options.long else tries)
    options.random = random.Random(options.seed)
    return options
