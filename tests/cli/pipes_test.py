"""Pipes in place of the files of a run: commands end with an error instead of waiting for a writer."""
import os
import signal
import subprocess
import unittest
import urllib.request

from support import PROGRAM, CommandLineTest

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
            with urllib.request.urlopen(address + page, timeout=SECONDS) as answer:
                self.assertEqual(answer.status, 200, page)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 0)


if __name__ == "__main__":
    unittest.main()
