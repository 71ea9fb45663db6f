"""Corrected folders, training with corrections, and tables as data of train, embed and data info."""
import json
import os
import unittest

from arrays_test import ArrayCommands, clouds, write_npy
from support import TINY, CommandLineTest, make_folder
from table_test import NAMES, read_csv, write_table

HEAD = ["--set", "train.epochs=3", "--set", "train.batch_size=32", "--set", "encoder.dim=8"]


def tree(folder):
    """Names of all files below a folder, with their contents."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Folders(CommandLineTest):
    """20 images each in photos/lying and photos/upright, and corrections of three of them."""

    def setUp(self):
        super().setUp()
        self.photos = make_folder(self.scratch / "photos")
        self.before = tree(self.photos)
        self.correct(["lying/003.png", "lying/004.png", "upright/000.png"],
                     action=["relabel", "drop", "keep"], label=["upright", "", ""])

    def correct(self, samples, **columns):
        write_table(self.scratch / "c.csv", {"sample": samples, **columns})

    def corrected(self):
        files = dict(self.before)
        del files["lying/004.png"]
        files["upright/003-2.png"] = files.pop("lying/003.png")  # upright has a file 003.png
        return files

    def test_a_folder_of_links_is_corrected_and_the_source_stays(self):
        result = self.run_json("apply", "c.csv", "--data", "photos", "-o", "clean")
        self.assertEqual(result, {"kept": 38, "relabeled": 1, "dropped": 1, "files": ["clean"]})
        self.assertEqual(tree(self.scratch / "clean"), self.corrected())
        self.assertTrue(os.path.islink(self.scratch / "clean" / "upright" / "003-2.png"))
        self.assertEqual(tree(self.photos), self.before)
        info = self.run_json("data", "info", "clean")
        self.assertEqual(info["train"]["samples"] + info["test"]["samples"], 39)

    def test_files_are_moved_in_place_and_back(self):
        self.run_json("apply", "c.csv", "--data", "photos", "--in-place")
        self.assertEqual(tree(self.photos), self.corrected())
        self.assertEqual(list(tree(self.scratch / "photos.dropped")), ["lying/004.png"])
        self.assert_rejected("apply", "c.csv", "--data", "photos", "--in-place", says="lying/003.png")
        self.correct(["lying/005.png"], action=["drop"])
        self.assert_rejected("apply", "c.csv", "--data", "photos", "--in-place", says="photos.undo.csv")
        undone = self.run_json("apply", "photos.undo.csv", "--data", "photos", "--undo")
        self.assertEqual(undone, {"moved_back": 2})
        self.assertEqual(tree(self.photos), self.before)
        self.assertFalse((self.scratch / "photos.undo.csv").exists())

    def test_interrupted_moves_are_undone(self):
        self.run_json("apply", "c.csv", "--data", "photos", "--in-place")
        dropped = self.scratch / "photos.dropped" / "lying" / "004.png"
        dropped.rename(self.photos / "lying" / "004.png")  # as if it had not been moved yet
        self.run_json("apply", "photos.undo.csv", "--data", "photos", "--undo")
        self.assertEqual(tree(self.photos), self.before)

    def test_bad_corrections_change_nothing(self):
        def rejected(*arguments, says):
            self.assert_rejected("apply", "c.csv", "--data", "photos", *arguments, says=says)
            self.assertEqual(tree(self.photos), self.before)
            self.assertFalse((self.scratch / "clean").exists())

        rejected(says="--in-place")
        rejected("-o", "photos/clean", says="is within")
        rejected("-o", "photos", says="exists")
        rejected("-o", "clean", "--label", "y", says="--label")
        self.correct(["lying/999.png"], action=["drop"])
        rejected("-o", "clean", says="c.csv:2")
        self.correct(["lying/003.png"], action=["relabel"], label=["uprigth"])
        rejected("-o", "clean", says="did you mean 'upright'")
        self.correct(["lying/003.png"], action=["drop"], given_label=["upright"])
        rejected("-o", "clean", says="another version")
        self.correct(["lying/003.png"], action=["drop"], data_version=["0" * 32])
        rejected("-o", "clean", says="fingerprint")

    def test_undo_files_cannot_leave_the_folder(self):
        outside = self.scratch / "outside.txt"
        outside.write_text("x")
        write_table(self.scratch / "u.csv", {"file": ["lying/x.png"], "moved_to": ["../outside.txt"]})
        self.assert_rejected("apply", "u.csv", "--data", "photos", "--undo", says="u.csv:2")
        self.assertTrue(outside.exists())

    def test_training_uses_corrections_and_tests_on_the_same_samples(self):
        data = {}
        for out, more in (("plain", ()), ("corrected", ("--corrections", "c.csv"))):
            self.run_json("train", "--data", "photos", "--out", out, *TINY, *more)
            data[out] = json.loads((self.scratch / out / "summary.json").read_text())["data"]
        self.assertEqual(data["plain"]["test_fingerprint"], data["corrected"]["test_fingerprint"])
        self.assertNotEqual(data["plain"]["train_fingerprint"], data["corrected"]["train_fingerprint"])
        (self.scratch / "label_issues.csv").unlink(missing_ok=True)
        self.run_json("audit", "corrected", "-o", "issues.csv")
        issues = {issue["sample"]: issue for issue in read_csv(self.scratch / "issues.csv")}
        split = {issue["sample"]: issue["split"] for issue in self.plain_issues()}
        for name, label in (("lying/003.png", "upright"), ("lying/004.png", None)):
            if split[name] == "test":  # test samples keep their labels
                self.assertEqual(issues[name]["given"], "lying")
            elif label is None:
                self.assertNotIn(name, issues)
            else:
                self.assertEqual(issues[name]["given"], label)
        self.assertIn("train", {split[name] for name in ("lying/003.png", "lying/004.png")})

    def plain_issues(self):
        self.run_json("audit", "plain", "-o", "plain.csv")
        return read_csv(self.scratch / "plain.csv")


class Tables(ArrayCommands):
    def setUp(self):
        super().setUp()
        self.rows, labels = clouds(200)
        self.labels = [NAMES[label] for label in labels]
        self.write(self.rows, labels)
        write_table(self.scratch / "data.csv", {
            "key": [f"k{i}" for i in range(200)], "intent": self.labels,
            "part": ["test" if i % 4 == 0 else "train" for i in range(200)]})

    TABLE = ("data.csv", "--label", "intent", "--embeddings", "e.npy", "--id", "key", "--split", "part")

    def test_a_head_is_trained_evaluated_and_resumed(self):
        summary = self.run_json("train", *self.TABLE, "--out", "run", *HEAD, "--set", "train.epochs=30")
        self.assertEqual(summary["data"]["test"], 50)
        self.assertGreater(self.run_json("eval", "run")["top1"], 0.9)
        self.assertEqual(self.run_json("train", "--resume", "--out", "run"), summary)
        self.run_json("audit", "run", "-o", "issues.csv")
        issues = read_csv(self.scratch / "issues.csv")
        self.assertEqual({issue["sample"] for issue in issues}, {f"k{i}" for i in range(200)})
        self.assertEqual({issue["sample"] for issue in issues if issue["split"] == "test"},
                         {f"k{i}" for i in range(0, 200, 4)})

    def test_rows_are_embedded_in_their_order(self):
        self.run_json("train", *self.TABLE, "--out", "run", *HEAD)
        result = self.run_json("embed", "run", "data.csv", "--label", "intent", "--id", "key",
                               "--embeddings", "e.npy", "-o", "z.npy")
        self.assertEqual((result["rows"], result["dim"]), (200, 8))
        names = (self.scratch / "z.names.txt").read_text().split()
        self.assertEqual(names, [f"k{i}" for i in range(200)])
        self.run_json("embed", "run", "data.csv", "--embeddings", "e.npy", "-o", "y.npy")
        self.assertEqual((self.scratch / "z.npy").read_bytes(), (self.scratch / "y.npy").read_bytes())
        self.assertFalse((self.scratch / "y.labels.npy").exists())

    def test_training_labels_are_corrected_by_id(self):
        write_table(self.scratch / "c.csv", {"id": ["k1", "k2", "k4"], "action": ["relabel", "drop", "drop"],
                                             "label": [NAMES[0], "", ""]})
        summary = self.run_json("train", *self.TABLE, "--corrections", "c.csv", "--out", "run", *HEAD)
        self.assertEqual((summary["data"]["train"], summary["data"]["test"]), (149, 50))
        self.run_json("audit", "run", "-o", "issues.csv")
        given = {issue["sample"]: issue["given"] for issue in read_csv(self.scratch / "issues.csv")}
        self.assertNotIn("k2", given)
        self.assertEqual((given["k1"].lstrip("'"), given["k4"]), (NAMES[0], self.labels[4]))

    def test_info_counts_rows(self):
        info = self.run_json("data", "info", *self.TABLE)
        self.assertEqual((info["train"]["samples"], info["test"]["samples"]), (150, 50))
        self.assertEqual(info["train"]["dimension"], 4)
        self.assertEqual(info["layout"]["name"], "table")

    def test_bad_tables_are_rejected(self):
        def rejected(*arguments, says):
            self.assert_rejected("train", *arguments, "--out", "run", says=says)
            self.assertFalse((self.scratch / "run").exists())

        rejected("data.csv", "--embeddings", "e.npy", says="--label")
        rejected("data.csv", "--label", "intnet", "--embeddings", "e.npy", says="intnet")
        rejected("data.csv", "--label", "intent", says="embedding")
        rejected("data.csv", "--label", "intent", "--embeddings", "e.npy", "--split", "key", says="'key'")
        write_npy(self.scratch / "short.npy", "<f4", (3, 2), [0.0] * 6)
        rejected("data.csv", "--label", "intent", "--embeddings", "short.npy", says="short.npy")

    def test_the_label_with_most_votes_is_used(self):
        votes = [["a", "a", "b"], ["b", "", "b"], ["c", "a", ""]] + [["b", "b", "b"]] * 2
        write_table(self.scratch / "v.csv", {f"v{k}": [vote[k] for vote in votes] for k in range(3)}
                    | {"embedding": [json.dumps([float(i), 1.0]) for i in range(5)]})
        info = self.run_json("data", "info", "v.csv", "--votes", "v0,v1,v2")
        counts = {name: info["train"]["classes"][name] + info["test"]["classes"][name] for name in info["classes"]}
        self.assertEqual(counts, {"a": 2, "b": 3})
        write_table(self.scratch / "c.csv", {"row": [1], "action": ["relabel"], "label": ["a"]})
        self.run_json("apply", "c.csv", "--data", "v.csv", "--votes", "v0,v1,v2", "-o", "w.csv")
        self.assertEqual([read_csv(self.scratch / "w.csv")[1][f"v{k}"] for k in range(3)], ["a", "", "a"])
        self.assert_rejected("data", "info", "v.csv", "--votes", "v0", "--label", "v1", says="--votes")
        (self.scratch / "n.csv").write_text("v0,v1,embedding\n,,1\n")
        self.assert_rejected("data", "info", "n.csv", "--votes", "v0,v1", says="n.csv:2")


if __name__ == "__main__":
    unittest.main()
