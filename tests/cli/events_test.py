"""TensorBoard output of training: event files, and embeddings for the projector."""
import json
import math
import struct
import unittest

from event_reader import crc32c, event_files, masked, png_size, read_event_file, read_records
from support import TINY, CommandLineTest, make_folder

GROUPS = {"step": "{split}", "epoch": "{split}_epoch"}


def single(value):
    """Rounds to float32."""
    return struct.unpack("<f", struct.pack("<f", math.nan if value is None else value))[0]


def expected_scalars(metrics):
    """Returns {(tag, step): value} from metrics.jsonl."""
    scalars = {}
    for line in map(json.loads, metrics.read_text().splitlines()):
        group = GROUPS.get(line["name"], "{split}/{name}").format(**line)
        for name, value in line["value"].items():
            parts = {"/low": value[0], "/high": value[1]} if isinstance(value, list) else {"": value}
            for part, number in parts.items():
                scalars[f"{group}/{name}{part}", line["step"]] = single(number)
    return scalars


def read_matrix(path):
    """Returns the rows of a float32 .npy file."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    header = data[10:10 + length].decode()
    rows, columns = map(int, header.split("(")[1].split(")")[0].split(","))
    numbers = struct.unpack_from(f"<{rows * columns}f", data, 10 + length)
    return [numbers[i:i + columns] for i in range(0, rows * columns, columns)]


def read_table(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


class ReaderTest(unittest.TestCase):
    def test_the_checksum_is_the_published_one(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_reports_corrupt_archives(self):
        length = struct.pack("<Q", 3)
        whole = (length + struct.pack("<I", masked(crc32c(length))) + b"abc" +
                 struct.pack("<I", masked(crc32c(b"abc"))))
        self.assertEqual(list(read_records(whole)), [b"abc"])
        for at in range(len(whole)):
            broken = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
            with self.assertRaises(ValueError):
                list(read_records(broken))
            if at > 0:
                with self.assertRaises(ValueError):
                    list(read_records(whole[:at]))


class EventsTest(CommandLineTest):
    def train(self):
        folder = make_folder(self.scratch / "photos")
        run = self.scratch / "run"
        summary = self.run_json("train", "--data", folder, "--out", run, *TINY)
        return run, summary

    def test_tensorboard_reads_the_metrics(self):
        run, summary = self.train()
        (file,) = event_files(run)
        events = read_event_file(file)
        self.assertEqual(events.version, ["brain.Event:2"])
        self.assertEqual(events.starts, [0])
        self.check_scalars(events, expected_scalars(run / "metrics.jsonl"))
        self.check_confusion(events, summary)
        self.check_projector(run, summary)

    def check_scalars(self, events, expected):
        found = {(point.tag, point.step): point.value for point in events.scalars}
        self.assertEqual(len(found), len(events.scalars), "no point is written twice")
        self.assertEqual(found.keys(), expected.keys())
        for key, value in expected.items():
            same = found[key] == value or (math.isnan(found[key]) and math.isnan(value))
            self.assertTrue(same, f"{key}: {found[key]}, not {value}")
        self.assertIn(("train/loss", 0), found)
        self.assertEqual({point.plugin for point in events.scalars}, {"scalars"})

    def check_confusion(self, events, summary):
        self.assertTrue(events.images)
        for image in events.images:
            self.assertTrue(image.tag.endswith("confusion"), image.tag)
            self.assertEqual(png_size(image.png), (image.width, image.height))
            self.assertGreater(image.width, 100 * summary["classes"])

    def check_projector(self, run, summary):
        embeddings = read_matrix(run / "embeddings.npy")
        self.assertEqual(len(embeddings), summary["samples"]["test"])
        config = (run / "projector_config.pbtxt").read_text()
        self.assertIn(f"tensor_shape: {len(embeddings)}\n", config)
        self.assertIn(f"tensor_shape: {len(embeddings[0])}\n", config)
        tensors = read_table(run / "projector" / "tensors.tsv")
        self.assertEqual([tuple(map(single, map(float, row))) for row in tensors], embeddings)
        heading, *rows = read_table(run / "projector" / "metadata.tsv")
        self.assertEqual(len(rows), len(embeddings))
        self.assertTrue(all(len(row) == len(heading) for row in rows))
        self.assertEqual({row[heading.index("label")] for row in rows}, {"lying", "upright"})
        right = sum(row[heading.index("right")] == "yes" for row in rows)
        self.assertAlmostEqual(right / len(rows), summary["accuracy"]["last"])

    def test_resumed_run_drops_later_steps(self):
        run, _ = self.train()
        # Simulates a kill before the last checkpoint.
        (run / "summary.json").unlink()
        *_, kept, newest = sorted((run / "checkpoints").glob("step-*.safetensors"))
        newest.unlink()
        step = int(kept.stem.split("-")[1])
        ran = self.run_program("train", "--resume", "--out", run)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        first, second = event_files(run)
        self.assertEqual(read_event_file(second).starts, [step + 1])
        points = {}
        for point in read_event_file(first).scalars:
            if point.step <= step:
                points[point.tag, point.step] = point.value
        for point in read_event_file(second).scalars:
            self.assertGreaterEqual(point.step, step)
            points[point.tag, point.step] = point.value
        self.assertEqual(points, expected_scalars(run / "metrics.jsonl"))


if __name__ == "__main__":
    unittest.main()
