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

    def test_names_in_the_data_are_escaped(self):
        data = make_folder(self.scratch / "data", per_class=6)
        (data / "lying").rename(data / ESCAPE)
        (data / ESCAPE / f"{ESCAPE}.png").write_bytes(b"no image")
        self.check_output("data", "info", data, status=0)
        self.check_output("data", "verify", data, status=2)


if __name__ == "__main__":
    unittest.main()
