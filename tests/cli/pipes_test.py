"""Pipes in place of the files of a run: commands end with an error instead of waiting for a writer."""
import os
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

from support import PROGRAM, TINY, CommandLineTest, make_folder

SECONDS = 120
FILES = ("config.toml", "metrics.jsonl", "summary.json", "commands.txt", "log.txt", "samples.safetensors")


def put_pipe(path):
    path.unlink(missing_ok=True)
    os.mkfifo(path)


class Pipes(CommandLineTest):
    def finish(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.scratch, capture_output=True,
                              text=True, timeout=SECONDS)

    def make_run(self, pipe):
        run = self.scratch / "runs" / pipe
        run.mkdir(parents=True)
        (run / "config.toml").write_text("[loss]\nname = 'supcon'\n")
        (run / "summary.json").write_text("{}")
        put_pipe(run / pipe)
        return run

    def test_report_ends(self):
        for name in FILES:
            ran = self.finish("report", self.make_run(name))
            self.assertIn(ran.returncode, (0, 2), ran.stderr)

    def test_serve_answers_and_ends(self):
        for name in FILES:
            self.make_run(name)
        server = subprocess.Popen([PROGRAM, "serve", "runs", "--port", "0"], text=True, cwd=self.scratch,
                                  stderr=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        address = next(word for word in server.stderr.readline().split() if word.startswith("http"))
        pages = ["", *(f"run/{name}/{page}" for name in FILES[1:] for page in ("", "data.json"))]
        for page in pages:
            with urllib.request.urlopen(address + page, timeout=SECONDS) as response:
                self.assertEqual(response.status, 200, page)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 0)

    def test_train_ends(self):
        os.mkfifo(self.scratch / "pipe.toml")
        ran = self.finish("train", "pipe.toml")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("pipe.toml is a named pipe", ran.stderr)
        make_folder(self.scratch / "data", per_class=8)
        ran = self.finish("train", "--data", "data", "--out", "run", *TINY)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in ("metrics.jsonl", "commands.txt", "log.txt"):
            (self.scratch / "run" / name).rename(self.scratch / "kept")
            (self.scratch / "run/summary.json").unlink(missing_ok=True)
            put_pipe(self.scratch / "run" / name)
            ran = self.finish("train", "--resume", "--out", "run")
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertIn(name, ran.stderr)
            (self.scratch / "kept").rename(self.scratch / "run" / name)
        put_pipe(self.scratch / "run/config.toml")
        self.assertEqual(self.finish("train", "--resume", "--out", "run").returncode, 2)


if __name__ == "__main__":
    unittest.main()
