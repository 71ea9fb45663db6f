"""Names with control characters do not reach the terminal."""
import subprocess
import unittest

from support import PROGRAM, CommandLineTest, make_folder

ESCAPE = "\x1b]0;title\x07\x1b[2J"


class Terminal(CommandLineTest):
    def check_output(self, *arguments, status):
        ran = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.scratch, capture_output=True)
        self.assertEqual(ran.returncode, status, ran.stderr)
        for output in (ran.stdout, ran.stderr):
            self.assertNotRegex(output, rb"[\x00-\x09\x0b-\x1f\x7f]", arguments)
        return ran

    def test_errors_escape_the_names_of_paths(self):
        (self.scratch / ESCAPE).mkdir()
        for command in ("eval", "report", "serve", "predict"):
            options = ["x"] if command == "predict" else []
            ran = self.check_output(command, f"{ESCAPE}/run", *options, status=2)
            self.assertIn(rb"\x1B]0;title\x07", ran.stderr)
        self.check_output("loss", f"{ESCAPE}/cases.json", status=2)
        self.check_output("train", f"{ESCAPE}/run.toml", status=2)
        self.check_output("train", "--data", ".", "--set", f"{ESCAPE}=3", status=2)

    def test_names_in_the_data_are_escaped(self):
        data = make_folder(self.scratch / "data", per_class=6)
        (data / "lying").rename(data / ESCAPE)
        (data / ESCAPE / f"{ESCAPE}.png").write_bytes(b"no image")
        self.check_output("data", "info", data, status=0)
        self.check_output("data", "verify", data, status=2)


if __name__ == "__main__":
    unittest.main()
