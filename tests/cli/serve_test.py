"""`projnce serve`: a real server and a plain HTTP client."""
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

from support import PROGRAM, CommandLineTest


class ServeTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        run = self.scratch / "runs" / "first"
        run.mkdir(parents=True)
        (run / "config.toml").write_text("[loss]\nname = 'supcon'\n")

    def start(self):
        server = subprocess.Popen([PROGRAM, "serve", "runs", "--port", "0"], text=True,
                                  cwd=self.scratch, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        line = server.stderr.readline()
        self.assertIn("http://127.0.0.1:", line)
        return server, next(word for word in line.split() if word.startswith("http"))

    def test_lists_runs_until_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server, address = self.start()
            with urllib.request.urlopen(address) as response:
                self.assertIn('href="/run/first/"', response.read().decode())
            with self.assertRaises(urllib.error.HTTPError) as unknown:
                urllib.request.urlopen(address + "run/..%2f..%2fetc%2fpasswd")
            with unknown.exception as response:
                self.assertEqual(response.code, 404)
            server.send_signal(number)
            self.assertEqual(server.wait(timeout=20), 0)
            self.assertEqual(server.stdout.read(), "")

    def test_reports_invalid_arguments(self):
        self.assert_rejected("serve", "nowhere", says="nowhere is not a folder of runs")
        self.assert_rejected("serve", "runs", "--port", "65536", says="--port")


if __name__ == "__main__":
    unittest.main()
