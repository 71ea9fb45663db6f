"""Splits that are stable under corrected labels, and runs whose data was moved."""
import json
import re
import shutil
import struct
import unittest
from pathlib import Path

from made_datasets import make_fashion_mnist
from support import TINY, CommandLineTest, read_safetensors, write_png

ONCE = [*TINY, "--set", "train.epochs=1", "--set", "report.page=false"]
SYSTEM_FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")


def make_distinct_folder(root, per_class=50, first=0):
    """Two classes of distinct images; class and number are encoded in the pixels."""
    for kind in ("lying", "upright"):
        for number in range(first, first + per_class):
            def pixel(x, y):
                if y == 0 and x < 16:
                    return 255 * (number >> x & 1)
                return 220 if (x if kind == "upright" else y) // 3 % 2 else 40
            write_png(root / kind / f"{number:03}.png", 16, 16, pixel)
    return root


def relabel_every(root, step):
    """Moves every step-th file of both class folders to the other. Returns the number of files."""
    moves = [(file, root / other / f"was-{kind}-{file.name}")
             for kind, other in (("lying", "upright"), ("upright", "lying"))
             for file in sorted((root / kind).iterdir())[::step]]
    for source, target in moves:
        source.rename(target)
    return len(moves)


class SplitTest(CommandLineTest):
    def train(self, data, out, *arguments):
        ran = self.run_program("train", "--data", data, "--out", out, *ONCE, *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stderr

    def ids(self, run, name):
        """Returns the identities of a split, in order."""
        kind, shape, values = read_safetensors(self.scratch / run / "split.safetensors")[name]
        self.assertEqual((kind, shape[1]), ("I64", 2))
        return list(struct.iter_unpack("<QQ", values))

    def data_of(self, run):
        return json.loads((self.scratch / run / "data.json").read_text())


class Relabeling(SplitTest):
    def test_corrected_labels_do_not_leak_the_test_split(self):
        photos = make_distinct_folder(self.scratch / "photos")
        self.train("photos", "first")
        test, train = set(self.ids("first", "test_ids")), set(self.ids("first", "train_ids"))
        self.assertEqual(len(test) + len(train), 100)
        self.assertTrue(8 <= len(test) <= 35, len(test))
        self.assertEqual(relabel_every(photos, 10), 10)
        log = self.train("photos", "second", "--init", "first")
        self.assertNotIn("in the training data of", log)
        self.assertEqual(set(self.ids("second", "test_ids")), test)
        self.assertEqual(self.data_of("second")["init"], {"run": "first", "test_samples_seen": 0})
        self.assertNotEqual(self.data_of("first")["test_set"], self.data_of("second")["test_set"],
                            "labels of the test split changed")
        # Other seeds use the same training samples.
        self.train("photos", "third", "--set", "seed=7")
        self.assertEqual(set(self.ids("third", "test_ids")), test)

    def test_tiny_classes_do_not_leak(self):
        photos = make_distinct_folder(self.scratch / "photos", per_class=6)
        self.train("photos", "first", "--set", "train.batch_size=4")
        train = set(self.ids("first", "train_ids"))
        relabel_every(photos, 3)
        make_distinct_folder(photos, per_class=2, first=90)
        log = self.train("photos", "second", "--init", "first", "--set", "train.batch_size=4")
        self.assertNotIn("in the training data of", log)
        self.assertFalse(set(self.ids("second", "test_ids")) & train)

    def test_init_from_a_run_that_saw_test_samples_warns_and_counts_them(self):
        make_distinct_folder(self.scratch / "photos")
        make_distinct_folder(self.scratch / "others", per_class=20, first=200)
        self.train("photos", "first", "--set", "dataset.split_seed=1")
        log = self.train("photos", "second", "--init", "first")
        seen = set(self.ids("second", "test_ids")) & set(self.ids("first", "train_ids"))
        self.assertGreater(len(seen), 0)
        count = len(self.ids("second", "test_ids"))
        self.assertIn(f"{len(seen)} of {count} test samples are in the training data of first", log)
        summary = json.loads((self.scratch / "second/summary.json").read_text())
        self.assertEqual(summary["data"]["init"]["test_samples_seen"], len(seen))
        # After a run on other data, and from its weights file.
        self.assertNotIn("in the training data of", self.train("others", "between", "--init", "first"))
        log = self.train("photos", "last", "--init", "between/encoder.safetensors")
        self.assertIn(f"{len(seen)} of {count} test samples are in the training data of between", log)

    def test_init_from_a_run_without_a_split_warns(self):
        make_distinct_folder(self.scratch / "photos", per_class=20)
        self.train("photos", "first")
        (self.scratch / "first/split.safetensors").unlink()
        log = self.train("photos", "second", "--init", "first")
        self.assertIn("first does not record its training samples", log)
        self.assertIsNone(self.data_of("second")["init"]["test_samples_seen"])

    def test_a_corrupt_split_is_rejected(self):
        make_distinct_folder(self.scratch / "photos", per_class=20)
        self.train("photos", "first")
        split = self.scratch / "first/split.safetensors"
        split.write_bytes(split.read_bytes()[:-1])
        self.assert_rejected("eval", "first", says="split.safetensors")
        self.assert_rejected("train", "--data", "photos", "--init", "first", "--out", "x", *ONCE,
                            says="split.safetensors")

    def test_info_and_train_show_the_same_split(self):
        make_distinct_folder(self.scratch / "photos")
        info = self.run_json("data", "info", "photos")
        summary = self.run_json("train", "--data", "photos", "--out", "run", *ONCE)
        self.assertEqual(info["test"]["samples"], summary["samples"]["test"])
        self.assertEqual(info["train"]["samples"], summary["samples"]["train"])


class ChangedData(SplitTest):
    def test_eval_uses_the_test_samples_of_the_run(self):
        photos = make_distinct_folder(self.scratch / "photos")
        self.train("photos", "run")
        before = self.run_json("eval", "run")
        self.assertEqual((self.scratch / before["data"].pop("root")).resolve(), photos.resolve())
        self.assertEqual(before["data"], {"gone": 0, "new": 0, "relabeled": 0})
        make_distinct_folder(photos, per_class=30, first=300)
        after = self.run_json("eval", "run")
        self.assertEqual(after["samples"], before["samples"])
        self.assertEqual(after["top1"], before["top1"])
        self.assertEqual(after["data"]["new"], 60)
        moved = relabel_every(photos, 10)
        (photos / "lying/001.png").unlink()
        ran = self.run_program("eval", "run")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, r"1 sample is missing \(\d of the test split\), 60 are new and "
                                     r"skipped, \d+ have a different label")
        self.assertLess(moved, 20)

    def test_eval_reproduces_the_accuracy_of_training(self):
        make_distinct_folder(self.scratch / "photos")
        for rule in ("hash", "shuffle"):
            self.train("photos", rule, "--set", f"dataset.split={rule}", "--set", "dataset.max_test=6")
            summary = json.loads((self.scratch / rule / "summary.json").read_text())
            evaluated = self.run_json("eval", rule)
            self.assertEqual(evaluated["samples"], 6)
            self.assertEqual(evaluated["top1"], summary["accuracy"]["last"])

    def test_runs_of_older_versions_keep_their_split(self):
        """Old runs have neither split file nor data file, and no split rule in their settings."""
        make_distinct_folder(self.scratch / "photos")
        self.train("photos", "run", "--set", "dataset.split=shuffle", "--set", "seed=5")
        labels = (self.scratch / "run/labels.npy").read_bytes()
        run = self.scratch / "run"
        config = run / "config.toml"
        config.write_text(re.sub(r"split(_seed)? = .*\n", "", config.read_text()))
        for name in ("split.safetensors", "data.json"):
            (run / name).unlink()
        for file in (run / "checkpoints").iterdir():
            self.assertTrue(file.exists())
        self.assertEqual(self.run_json("eval", "run")["samples"], 20)
        self.run_json("embed", "run", "--split", "test", "-o", "test.npy")
        self.assertEqual((self.scratch / "test.labels.npy").read_bytes(), labels)
        resumed = self.run_program("train", "--resume", "--force", "--out", "run", "--set",
                                   "train.epochs=2")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual((self.scratch / "run/labels.npy").read_bytes(), labels)
        self.assertNotIn("other data", resumed.stderr)

    def test_resuming_an_initialized_run_does_not_need_the_run_before(self):
        photos = make_distinct_folder(self.scratch / "photos", per_class=6)
        small = ["--set", "train.batch_size=4"]
        self.train("photos", "first", *small)
        relabel_every(photos, 3)
        self.train("photos", "second", "--init", "first", *small)
        test = self.ids("second", "test_ids")
        shutil.rmtree(self.scratch / "first")
        resumed = self.run_program("train", "--resume", "--force", "--out", "second", "--set",
                                   "train.epochs=2")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.ids("second", "test_ids"), test)


class MovedData(SplitTest):
    def setUp(self):
        super().setUp()
        make_distinct_folder(self.scratch / "home/photos", per_class=20)
        self.train("home/photos", "home/runs/photos")
        self.before = self.run_json("eval", "home/runs/photos")

    def check(self, *arguments):
        evaluated = self.run_json("eval", *arguments)
        self.assertEqual(evaluated["top1"], self.before["top1"])
        self.assertEqual(evaluated["samples"], self.before["samples"])
        self.assertEqual(evaluated["data"]["gone"] + evaluated["data"]["new"], 0)

    def test_a_run_stores_both_paths(self):
        data = self.data_of("home/runs/photos")
        self.assertEqual(data["absolute"], str(self.scratch.resolve() / "home/photos"))
        self.assertEqual(data["relative"], "../../photos")
        self.assertEqual(data["root"], "home/photos")
        summary = json.loads((self.scratch / "home/runs/photos/summary.json").read_text())
        self.assertEqual({key: summary["data"][key] for key in data}, data)

    def test_run_and_data_may_move_together(self):
        (self.scratch / "home").rename(self.scratch / "elsewhere")
        self.check("elsewhere/runs/photos")
        self.assertEqual(self.run_program("audit", "elsewhere/runs/photos").returncode, 0)
        resumed = self.run_program("train", "--resume", "--force", "--out", "elsewhere/runs/photos",
                                   "--set", "train.epochs=2")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)

    def test_a_copy_uses_the_copy_of_the_data(self):
        shutil.copytree(self.scratch / "home", self.scratch / "copy")
        (self.scratch / "copy/photos/lying/000.png").unlink()
        self.assertEqual(self.run_json("eval", "copy/runs/photos")["data"]["gone"], 1)
        self.check("home/runs/photos")

    def test_a_run_may_move_alone_and_be_used_from_anywhere(self):
        (self.scratch / "far/away").mkdir(parents=True)
        (self.scratch / "home/runs/photos").rename(self.scratch / "far/away/run")
        self.check("far/away/run")
        self.scratch = self.scratch / "far"
        self.check("away/run")

    def test_moved_data_is_named_with_data(self):
        (self.scratch / "home/photos").rename(self.scratch / "images")
        run = "home/runs/photos"
        for command in (["eval", run], ["audit", run], ["embed", run, "-o", "e.npy"]):
            ran = self.run_program(*command)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            for part in ("was moved or removed", str(self.scratch.resolve() / "home/photos"),
                         "home/runs/photos/../../photos", "--data"):
                self.assertIn(part, ran.stderr, command)
        self.check(run, "--data", "images")
        audit = self.run_json("audit", run, "--data", "images")
        self.assertGreaterEqual(audit["samples"], 1)
        rows = self.run_json("embed", run, "--data", "images", "-o", "e.npy")["rows"]
        self.assertEqual(rows, 40)
        self.run_json("embed", run, "--data", "images", "--split", "test", "-o", "t.npy")
        self.assertEqual((self.scratch / "t.labels.npy").read_bytes(),
                         (self.scratch / run / "labels.npy").read_bytes())

    def test_embed_accepts_the_former_name_of_split(self):
        run = "home/runs/photos"
        self.run_json("embed", run, "--split", "test", "-o", "present.npy")
        former = self.run_program("embed", run, "--part", "test", "-o", "former.npy")
        self.assertEqual(former.returncode, 0, former.stderr)
        self.assertIn("--part is deprecated, use --split", former.stderr)
        self.assertEqual(*((self.scratch / name).read_bytes() for name in ("former.npy", "present.npy")))
        self.assert_rejected("embed", run, "--part", "test", "--split", "test", "-o", "e.npy",
                            says="--split")

    def test_other_data_is_split_without_samples_that_were_trained_on(self):
        run = "home/runs/photos"
        other = make_distinct_folder(self.scratch / "other", per_class=20, first=500)
        evaluated = self.run_json("eval", run, "--data", "other")
        self.assertEqual(evaluated["data"]["gone"], 40)
        self.assertEqual(evaluated["data"]["new"], 40)
        shutil.copytree(self.scratch / "home/photos", other, dirs_exist_ok=True)
        mixed = self.run_json("eval", run, "--data", "other")
        self.assertEqual(mixed["samples"], evaluated["samples"] + self.before["samples"])
        self.assert_rejected("eval", run, "--data", "nowhere", says="nowhere")

    def test_a_corrupt_data_file_is_named(self):
        for text in ("", "[]", "{}", '{"root": "", "absolute": 3, "relative": "x"}', "{" * 10000):
            (self.scratch / "home/runs/photos/data.json").write_text(text)
            self.assert_rejected("eval", "home/runs/photos", says="data.json")


class KnownNames(SplitTest):
    def test_finds_a_known_dataset_by_name(self):
        make_fashion_mnist(self.scratch / "sets")
        env = {"PROJNCE_DATA": str(self.scratch / "sets")}
        ran = self.run_program("train", "--data", "fashion-mnist", *ONCE, env=env)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        run = self.scratch / "runs/fashion-mnist-projnce-mlp"
        self.assertEqual(json.loads((run / "summary.json").read_text())["samples"],
                         {"train": 64, "test": 32, "skipped": 0})
        self.assertEqual(self.data_of(run)["split"], "fixed")
        # The environment variable is no longer needed.
        self.assertEqual(self.run_json("eval", run)["samples"], 32)
        ran = self.run_program("eval", run, "--data", "fashion-mnist", "--json", env=env)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["samples"], 32)

    def test_folder_in_the_current_directory_has_precedence(self):
        make_distinct_folder(self.scratch / "fashion-mnist", per_class=10)
        self.train("fashion-mnist", "run")
        self.assertEqual(self.data_of("run")["dataset"], "folder")

    def test_unknown_dataset_name(self):
        self.assert_rejected("train", "--data", "fashion-mnits", *ONCE,
                            says="no dataset, folder, archive or file 'fashion-mnits'")

    @unittest.skipUnless(SYSTEM_FASHION_MNIST.exists(),
                         f"Debian's dataset-fashion-mnist is not installed ({SYSTEM_FASHION_MNIST})")
    def test_the_systems_package_is_found_by_name(self):
        env = {"PROJNCE_DATA": "", "XDG_CACHE_HOME": str(self.scratch / "cache")}
        ran = self.run_program("train", "--data", "fashion-mnist", "--out", "run", *ONCE, "--set",
                               "dataset.max_train=200", "--set", "dataset.max_test=100", env=env)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        data = self.data_of("run")
        self.assertEqual((data["train"], data["test"], data["unused"]), (200, 100, 69700))


if __name__ == "__main__":
    unittest.main()
