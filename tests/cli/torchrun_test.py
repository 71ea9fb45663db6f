"""Ranks started by torchrun, and restarted after a kill, train like those of `projnce launch`."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from importlib.util import find_spec
from pathlib import Path

from support import PROGRAM, TINY, CommandLineTest, make_folder

RANKS = 2
SECONDS = 120  # timeout of a run


def ranks_of(run):
    """Returns the process ids of the ranks of this run."""
    wanted = os.fsencode(str(run))
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue  # exited in the meantime
        if words[0] == os.fsencode(PROGRAM) and wanted in words:
            found.append(int(path.parent.name))
    return found


def epoch_losses(run):
    lines = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return [line["value"]["loss"] for line in lines if line["name"] == "epoch"]


@unittest.skipUnless(find_spec("torch"), "torchrun comes with torch, which this Python does not have")
class Torchrun(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.photos = make_folder(self.scratch / "photos")
        launched = self.scratch / "launched"
        ran = self.run_program("launch", "-n", RANKS, "--", *self.train(launched))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.expected = epoch_losses(launched)

    def train(self, run):
        return ["train", "--data", self.photos, "--out", run, "--resume", *TINY, "--set", "train.epochs=6",
                "--set", "train.batch_size=8"]

    def start(self, run, restarts=0):
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--no_python",
                   "--nproc_per_node", RANKS, "--max_restarts", restarts, "--monitor_interval", "0.1",
                   PROGRAM, *self.train(run)]
        output = (self.scratch / "torchrun.log").open("w+")
        self.addCleanup(output.close)
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=subprocess.STDOUT)
        self.addCleanup(process.kill)
        return process, output

    def finish(self, process, output):
        status = process.wait(SECONDS)
        output.seek(0)
        self.assertEqual(status, 0, output.read())

    def test_torchrun_and_launch_train_equally(self):
        run = self.scratch / "torchrun"
        self.finish(*self.start(run))
        self.assertEqual(epoch_losses(run), self.expected)

    def test_torchrun_restarts_from_the_last_checkpoint(self):
        run = self.scratch / "killed"
        process, output = self.start(run, restarts=2)
        limit = time.monotonic() + SECONDS
        while not any((run / "checkpoints").glob("*.safetensors")):
            self.assertIsNone(process.poll(), "ended before its first checkpoint")
            self.assertLess(time.monotonic(), limit, "no checkpoint was written")
            time.sleep(0.01)
        victims = ranks_of(run)
        self.assertEqual(len(victims), RANKS)
        os.kill(victims[-1], signal.SIGKILL)
        self.finish(process, output)
        self.assertEqual(epoch_losses(run), self.expected)


if __name__ == "__main__":
    unittest.main()
