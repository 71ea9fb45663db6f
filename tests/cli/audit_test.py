"""projnce audit: labels of a run and of plain arrays."""
import csv
import json
import random
import shutil
import unittest

from arrays_test import ArrayCommands, clouds
from made_datasets import make_cifar10
from pages import page_data
from support import TINY, CommandLineTest, make_folder, make_clips


def with_label_noise(labels, rate, classes=3, seed=3):
    """Returns labels with some errors, and the indices of the errors."""
    rng = random.Random(seed)
    wrong = [rng.random() < rate for _ in labels]
    return [(l + rng.randrange(1, classes)) % classes if w else l
            for l, w in zip(labels, wrong)], wrong


class AuditArrays(ArrayCommands):
    def audit(self, rows, labels, *more):
        embeddings, given = self.write(rows, labels)
        return self.run_json("audit", "--embeddings", embeddings, "--labels", given,
                             "-o", "s.csv", *more)

    def rows_of(self, name="s.csv"):
        with open(self.scratch / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_ranks_wrong_labels_first_and_suggests_the_true_class(self):
        rows, truth = clouds(300)
        labels, wrong = with_label_noise(truth, 0.2)
        # Classes keep their numbers in the file.
        result = self.audit(rows, [10 + 5 * label for label in labels])
        self.assertEqual(result["samples"], 300)
        self.assertAlmostEqual(result["noise_rate"], sum(wrong) / 300, delta=0.03)
        self.assertEqual(result["flagged"], sum(wrong))
        self.assertNotIn("check", result)
        listed = self.rows_of()
        self.assertEqual(list(listed[0]), ["index", "sample", "given", "suggested", "score", "split"])
        self.assertEqual(sorted(int(row["index"]) for row in listed), list(range(300)))
        scores = [float(row["score"]) for row in listed]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for row in listed[:sum(wrong)]:
            self.assertTrue(wrong[int(row["index"])])
            self.assertEqual(int(row["suggested"]), 10 + 5 * truth[int(row["index"])])
        for row in listed[sum(wrong):]:
            self.assertEqual(row["suggested"], row["given"])

    def test_text_contains_rate_mistakes_and_file(self):
        rows, truth = clouds(150)
        files = self.write(rows, with_label_noise(truth, 0.3)[0])
        ran = self.run_program("audit", "--embeddings", files[0], "--labels", files[1], "-o", "s.csv")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for words in ("labels are probably wrong", "expected precision", "held-out accuracy",
                      "labeled", "top label issues", "s.csv"):
            self.assertIn(words, ran.stdout)

    def test_random_features_are_reported_as_not_informative(self):
        rng = random.Random(5)
        rows = [[rng.gauss(0, 1) for _ in range(16)] for _ in range(200)]
        labels = [i % 4 for i in range(200)]
        result = self.audit(rows, labels)
        self.assertFalse(result["skill"]["informative"])
        self.assertEqual(result["flagged"], 0)
        self.assertIsNone(result["noise_rate"])
        self.assertIsNone(result["expected_precision"])
        files = self.write(rows, labels)
        ran = self.run_program("audit", "--embeddings", files[0], "--labels", files[1], "-o", "s.csv")
        self.assertIn("do not separate the classes: do not use this list", ran.stdout)

    def test_few_samples_are_not_reported_as_inseparable(self):
        rows, labels = zip(*[(row, label) for row, label in zip(*clouds(9)) if label < 2])
        result = self.audit(rows, labels)
        self.assertEqual((result["skill"]["informative"], result["skill"]["too_few_samples"]), (False, True))
        files = self.write(rows, labels)
        ran = self.run_program("audit", "--embeddings", files[0], "--labels", files[1], "-o", "s.csv")
        self.assertIn("too few samples", ran.stdout)
        self.assertIn("do not use this list", ran.stdout)
        self.assertNotIn("do not separate", ran.stdout)

    def test_supports_small_inputs(self):
        self.assertEqual(self.audit([[0.0, 1.0], [1.0, 0.0], [0.1, 1.0]], [0, 1, 0])["samples"], 3)
        rows, labels = clouds(40)
        labels[0] = 7  # a class with one sample
        result = self.audit(rows, labels)
        score = next(float(row["score"]) for row in self.rows_of() if row["index"] == "0")
        self.assertLess(score, 0.5)
        self.assertEqual(result["classes"], 4)

    def rejected(self, rows, labels, says):
        embeddings, given = self.write(rows, labels)
        self.assert_rejected("audit", "--embeddings", embeddings, "--labels", given, "-o", "s.csv",
                            says=says)

    def test_rejects_invalid_input(self):
        rows, labels = clouds(30)
        self.rejected(rows, labels[:-1], "29")
        self.rejected(rows, [4] * 30, "same label")
        self.rejected([[1.0, 2.0]] * 30, labels, "all embeddings are equal")
        rows[3][1] = float("nan")
        self.rejected(rows, labels, "e.npy")

    def test_rejects_incompatible_arguments(self):
        embeddings, labels = self.write(*clouds(30))
        self.assert_rejected("audit", says="expected the directory of a run")
        self.assert_rejected("audit", "--embeddings", embeddings, says="--labels")
        self.assert_rejected("audit", "--embeddings", embeddings, "--labels", labels, says="-o")
        self.assert_rejected("audit", "--embeddings", embeddings, "--labels", labels, "-o", "s.csv",
                            "--sheet", "s.html", says="--sheet")
        self.assert_rejected("audit", "nowhere", says="nowhere")


class AuditRun(CommandLineTest):
    def test_run_with_label_noise_reports_precision_and_recall(self):
        make_folder(self.scratch / "stripes", per_class=40)
        self.run_json("train", "--data", "stripes", "--out", "run", *TINY, "--set",
                      "train.epochs=4", "--set", "dataset.label_noise.rate=0.2")
        result = self.run_json("audit", "run", "--sheet", "worst.html", "--save-features", "e.npy")
        self.assertGreater(result["check"]["wrong"], 0)
        self.assertGreaterEqual(result["check"]["average_precision"], 0.5)
        for file in ("run/label_issues.csv", "worst.html", "e.npy", "e.labels.npy"):
            self.assertTrue((self.scratch / file).exists(), file)
        with open(self.scratch / "run" / "label_issues.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), result["samples"])
        splits = {split["split"]: split for split in result["splits"]}
        self.assertEqual(set(splits), {"train", "test"})
        self.assertEqual(result["samples"], 80)  # the test split is audited too
        for name, split in splits.items():
            listed = [row for row in rows if row["split"] == name]
            self.assertEqual(len(listed), split["audited"])
            self.assertEqual(sorted(int(row["index"]) for row in listed), list(range(split["samples"])))
        self.assertTrue(rows[0]["sample"].endswith(".png"))
        self.assertIn(rows[0]["given"], ("lying", "upright"))

        again = self.run_json("audit", "--embeddings", "e.npy", "--labels", "e.labels.npy", "-o",
                              "again.csv")
        self.assertEqual(again["noise_rate"], result["noise_rate"])
        text = self.run_program("audit", "run").stdout
        self.assertIn("ground truth: ", text)

    def audited(self, run, env=None):
        """Returns the number of audited samples by split, and the number of rows of the CSV."""
        ran = self.run_program("audit", run, "--json", env=env)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(self.scratch / run / "label_issues.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        splits = {split["split"]: split["audited"] for split in json.loads(ran.stdout)["splits"]}
        for name, count in splits.items():
            self.assertEqual(count, sum(row["split"] == name for row in rows))
        return splits, len(rows)

    def test_the_validation_split_is_audited_too(self):
        make_folder(self.scratch / "stripes", per_class=30)
        hold_out = [*TINY, "--set", "train.validation=0.2", "--set", "report.events=false"]
        self.run_json("train", "--data", "stripes", "--out", "noisy", *hold_out, "--set",
                      "dataset.label_noise.rate=0.2")
        splits, rows = self.audited("noisy")
        self.assertEqual((list(splits), rows), (["train", "test", "validation"], 60))
        self.assertGreater(splits["validation"], 5)
        page, _ = page_data(self.scratch / "noisy/report.html")
        audit = page["runs"][0]["audit"]
        self.assertEqual({split["split"]: split["audited"] for split in audit["splits"]}, splits)
        # The same samples in the same order give the same scores.
        issues = self.run_json("audit", "noisy")["worst"]
        self.assertEqual([issue["score"] for issue in audit["worst"][:len(issues)]],
                         [issue["score"] for issue in issues])

    def test_validation_clips_are_audited_with_and_without_a_cache(self):
        make_clips(self.scratch / "tones", per_class=10)
        for home in (str(self.scratch / "home"), ""):
            env = {"HOME": home, "XDG_CACHE_HOME": ""}
            ran = self.run_program("train", "--data", "tones", "--out", "run", "--set",
                                   "train.epochs=1", "--set", "train.batch_size=4", "--set", "threads=1",
                                   "--set", "train.validation=0.2", env=env)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            splits, rows = self.audited("run", env)
            self.assertEqual((list(splits), rows), (["train", "test", "validation"], 20))
            shutil.rmtree(self.scratch / "run")

    def test_validation_samples_with_other_classes_are_not_audited(self):
        make_cifar10(self.scratch)
        self.run_json("train", "--data", "cifar10", "--out", "run", *TINY, "--set",
                      "dataset.coarse_training=true", "--set", "train.validation=0.2")
        splits, rows = self.audited("run")
        self.assertEqual((list(splits), rows), (["train"], 54))

    def test_sheet_counts_the_label_issues_that_it_does_not_show(self):
        make_folder(self.scratch / "stripes", per_class=160)
        self.run_json("train", "--data", "stripes", "--out", "run", *TINY, "--set",
                      "train.epochs=4", "--set", "dataset.label_noise.rate=0.35")
        flagged = self.run_json("audit", "run", "--sheet", "worst.html")["flagged"]
        self.assertGreater(flagged, 60)
        self.assertIn(f"The 60 highest scores of {flagged} label issues",
                      (self.scratch / "worst.html").read_text(encoding="utf-8"))

        self.assert_rejected("audit", "run", "--sheet", "worst.pdf", says="worst.pdf")
        self.assert_rejected("audit", "run", "--save-features", "e.txt", says=".npy")
        shutil.rmtree(self.scratch / "stripes")
        self.assert_rejected("audit", "run", says="stripes")


if __name__ == "__main__":
    unittest.main()
