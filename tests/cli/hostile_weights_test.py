"""`train --init` with malicious weight files: one error message, exit status 2."""
import json
import os
import struct
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import PROGRAM, CommandLineTest, make_folder

AT_ONCE = 2
SECONDS = 20
KILOBYTES = 4 << 20  # address space limit, mostly used by LibTorch


def tensor(shape, offsets, kind="F32"):
    return {"dtype": kind, "shape": shape, "data_offsets": offsets}


def weights(header, data=b"", length=None):
    """Writes a file with this header, given as an object or as text; `length` is the declared length."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


PLAIN = {"conv1.weight": tensor([1], [0, 4])}
# Name: content and expected message.
HOSTILE = {
    "header_beyond_the_end": (weights(PLAIN, bytes(4), length=1 << 20), "declares a header of 1048576 bytes"),
    "header_of_17_megabytes": (weights(b"{}" + b" " * (17 << 20)), "expected at most 16777216"),
    "overlap": (weights({"a": tensor([2], [0, 8]), "b": tensor([2], [4, 12])}, bytes(12)),
                "expected it to start at 8"),
    "hole": (weights({"a": tensor([1], [0, 4]), "b": tensor([1], [8, 12])}, bytes(12)),
             "expected it to start at 4"),
    "offset_that_is_negative": (weights({"a": tensor([1], [0, -4])}, bytes(4)), "a negative number"),
    "shape_that_overflows": (weights({"a": tensor([1 << 32, 1 << 32], [0, 0])}), "63 bits"),
    "unknown_type": (weights({"a": tensor([4], [0, 4], "F8_E5M2")}, bytes(4)), "'F8_E5M2'"),
    "name_twice": (weights(b'{"a":%b,"a":%b}' % ((json.dumps(PLAIN["conv1.weight"]).encode(),) * 2),
                           bytes(4)), "'a' is duplicated"),
    "deeply_nested": (weights(b'{"a":' + b"[" * (4 << 20)), "an array in an invalid position"),
    "not_utf8": (weights(b'{"\xff\xfe":{}}'), "invalid JSON"),
    "data_cut_short": (weights(PLAIN, bytes(3)), "of its 3 bytes of data"),
    "bytes_left_over": (weights(PLAIN, bytes(5)), "5 bytes of data, expected 4"),
    "names_that_clear_the_screen": (weights({"\n\x1b[2J" * 100000: tensor([1], [0, 4])}, bytes(4)),
                                    "found \\x0A\\x1B[2J"),
}


class HostileWeights(CommandLineTest):
    def run_case(self, name):
        # The shell sets the limit, because preexec_fn is not safe with threads.
        command = ["/bin/sh", "-c", f'ulimit -v {KILOBYTES} && exec "$@"', "sh",
                   os.path.abspath(PROGRAM), "train", "--data", "photos", "--set",
                   "encoder.name=resnet-small", "--out", f"run-{name}", "--init",
                   f"{name}.safetensors"]
        return subprocess.run(command, cwd=self.scratch, text=True, capture_output=True,
                              timeout=SECONDS)

    def test_each_case_fails_with_a_message(self):
        make_folder(self.scratch / "photos", per_class=4)
        for name, (content, _) in HOSTILE.items():
            (self.scratch / f"{name}.safetensors").write_bytes(content)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(self.run_case, HOSTILE))
        for (name, (_, says)), ran in zip(HOSTILE.items(), ended):
            with self.subTest(name):
                self.assertEqual(ran.returncode, 2, ran.stderr[:2000])
                sentences = [line for line in ran.stderr.splitlines()
                             if line.startswith("projnce: ")]
                self.assertEqual(len(sentences), 1, ran.stderr[:2000])
                self.assertIn(f"{name}.safetensors", sentences[0])
                self.assertIn(says, sentences[0])
                self.assertLess(len(ran.stderr), 2000)
                self.assertFalse((self.scratch / f"run-{name}").exists())


if __name__ == "__main__":
    unittest.main()
