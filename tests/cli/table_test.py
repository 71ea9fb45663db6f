"""Tables (.csv, .tsv, .jsonl) as input of audit, eval, mi and tsne."""
import csv
import json
import struct
import unittest

from arrays_test import ArrayCommands, clouds
from audit_test import with_label_noise
from support import TINY, CommandLineTest, make_folder, write_safetensors

NAMES = ("=cancel", "refund, please", 'track "order"')  # sorted; a formula, and text that needs quotes


def write_table(path, columns, delimiter=","):
    """Writes columns, lists by name, as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class TableCommands(ArrayCommands):
    def setUp(self):
        super().setUp()
        self.rows, truth = clouds(300)
        labels, self.wrong = with_label_noise(truth, 0.2)
        self.truth = [NAMES[label] for label in truth]
        self.labels = [NAMES[label] for label in labels]
        self.texts = [f"sentence {i}\nof {i % 7}" for i in range(300)]
        self.write(self.rows, labels)
        self.columns = {"key": [f"k{i}" for i in range(300)], "utterance": self.texts,
                        "intent": self.labels, "part": ["test" if i % 5 == 0 else "train" for i in range(300)]}
        write_table(self.scratch / "data.csv", self.columns)

    def audit(self, *arguments):
        result = self.run_json("audit", *arguments, "-o", "issues.csv")
        return result, read_csv(self.scratch / "issues.csv")


class AuditTable(TableCommands):
    CONTRACT = ("data.csv", "--label", "intent", "--text", "utterance", "--embeddings", "e.npy")

    def test_every_row_is_listed_with_its_labels_and_quality(self):
        result, issues = self.audit(*self.CONTRACT)
        self.assertEqual(list(issues[0]), ["row", "given_label", "predicted_label", "label_quality", "is_label_issue",
                                           "near_duplicate_score", "is_near_duplicate_issue", "near_duplicate_of",
                                           "is_conflicting_issue", "outlier_score", "is_outlier_issue",
                                           "ambiguity_score", "is_ambiguous_issue", "second_label", "data_version"])
        self.assertEqual([int(issue["row"]) for issue in issues], list(range(300)))
        self.assertEqual([issue["given_label"] for issue in issues], self.labels)
        self.assertEqual([issue["is_label_issue"] == "true" for issue in issues], self.wrong)
        self.assertEqual([issue["predicted_label"] for issue in issues], self.truth)
        for issue in issues:
            self.assertEqual(float(issue["label_quality"]) < 0.5, issue["is_label_issue"] == "true")
        self.assertEqual(result["flagged"], sum(self.wrong))
        self.assertIn("sentence", result["worst"][0]["text"])

    def test_issues_of_the_rows_are_found_with_their_thresholds(self):
        self.rows[10] = self.rows[40]  # of the same class
        self.rows[11] = self.rows[22] = self.rows[12]  # of three classes
        self.rows[50] = [-9.0] * 4
        self.write(self.rows, [0] * 300)
        groups = ["a", "b", "c", "d"]
        self.columns["source"] = [groups[i // 75] for i in range(300)]
        self.columns["part"] = ["test" if i in (11, 40) else "train" for i in range(300)]
        self.columns["intent"] = [self.truth[(i + 1) % 300] if 75 <= i < 150 and i % 2 else self.truth[i]
                                  for i in range(300)]
        write_table(self.scratch / "data.csv", self.columns)
        result, issues = self.audit(*self.CONTRACT, "--id", "key", "--split", "part", "--group", "source")

        def flagged(kind):
            return {int(issue["row"]) for issue in issues if issue[f"is_{kind}_issue"] == "true"}

        self.assertLessEqual({10, 40, 11, 12, 22}, flagged("near_duplicate"))
        self.assertEqual(issues[40]["near_duplicate_of"], "k10")
        self.assertLessEqual({11, 12, 22}, flagged("conflicting"))
        self.assertNotIn(40, flagged("conflicting"))
        self.assertEqual(flagged("leakage"), {11, 40})
        self.assertIn(50, flagged("outlier"))
        self.assertEqual(min(issues, key=lambda issue: float(issue["outlier_score"]))["row"], "50")
        self.assertEqual(flagged("weak_group"), set(range(75, 150)))
        kinds = {kind["kind"]: kind for kind in result["issues"]["kinds"]}
        for name, kind in kinds.items():
            self.assertEqual(kind["rows"], len(flagged(name)), name)
            self.assertGreater(len(kind["rule"]), 20)
        self.assertEqual([group["group"] for group in result["issues"]["weak_groups"]], ["b"])
        self.assertEqual({issue["data_version"] for issue in issues}, {result["issues"]["data_version"]})
        shown = self.run_program("audit", *self.CONTRACT, "--group", "source", "-o", "i.csv").stdout
        for words in ("near_duplicate", "outlier", "threshold", "group b"):
            self.assertIn(words, shown)

    def test_issues_of_another_version_are_not_applied(self):
        self.audit(*self.CONTRACT)
        self.columns["utterance"][9] = "changed"
        write_table(self.scratch / "data.csv", self.columns)
        self.assert_rejected("apply", "issues.csv", "--issues", "drop", "--data", "data.csv", "--label", "intent",
                            "-o", "clean.csv", says="fingerprint")

    def test_ids_name_the_rows(self):
        result, issues = self.audit(*self.CONTRACT, "--id", "key")
        self.assertEqual([issue["id"] for issue in issues], self.columns["key"])
        self.assertRegex(result["worst"][0]["sample"], "^k[0-9]+$")

    def test_sources_of_embeddings_and_formats_agree(self):
        def issues_of(*arguments):
            issues = self.audit(*arguments)[1]
            for issue in issues:
                self.assertEqual(len(issue.pop("data_version")), 32)  # differs between files
            return issues

        expected = issues_of(*self.CONTRACT)
        values = [struct.pack("<f", value) for row in self.rows for value in row]
        write_safetensors(self.scratch / "e.safetensors", {"embeddings": ("F32", (300, 4), b"".join(values))})
        self.assertEqual(issues_of("data.csv", "--label", "intent", "--embeddings", "e.safetensors"),
                         expected)
        exact = [[struct.unpack("<f", struct.pack("<f", value))[0] for value in row] for row in self.rows]
        numbered = {f"v{d}": [repr(row[d]) for row in exact] for d in range(4)}
        write_table(self.scratch / "wide.tsv", {**self.columns, **numbered}, "\t")
        self.assertEqual(issues_of("wide.tsv", "--label", "intent", "--feature-columns", "v"), expected)
        with open(self.scratch / "data.jsonl", "w", encoding="utf-8") as file:
            for label, row in zip(self.labels, exact):
                file.write(json.dumps({"intent": label, "embedding": row}) + "\n")
        self.assertEqual(issues_of("data.jsonl", "--label", "intent"), expected)

    def test_numbers_are_labels_too(self):
        self.columns["intent"] = [10 + 5 * NAMES.index(label) for label in self.labels]
        write_table(self.scratch / "data.csv", self.columns)
        issues = self.audit(*self.CONTRACT)[1]
        self.assertEqual({issue["predicted_label"] for issue in issues}, {"10", "15", "20"})
        self.assertEqual(sum(issue["is_label_issue"] == "true" for issue in issues), sum(self.wrong))

    def rejected(self, *arguments, says):
        for words in says:
            self.assert_rejected("audit", *arguments, "-o", "issues.csv", says=words)

    def test_bad_tables_are_rejected_with_file_line_and_column(self):
        self.rejected("data.csv", "--label", "intnet", "--embeddings", "e.npy", says=["intnet", "intent", "utterance"])
        self.rejected("data.csv", "--embeddings", "e.npy", says=["--label"])
        self.rejected("data.csv", "--label", "intent", says=["embedding", "--embeddings"])
        self.rejected("data.csv", "--label", "intent", "--id", "part", "--embeddings", "e.npy",
                     says=["'part'", "data.csv:"])
        self.rejected("gone.csv", "--label", "intent", "--embeddings", "e.npy", says=["gone.csv"])
        write_table(self.scratch / "short.csv", {name: values[:30] for name, values in self.columns.items()})
        self.rejected("short.csv", "--label", "intent", "--embeddings", "e.npy", says=["300 rows", "short.csv 30"])
        (self.scratch / "ragged.csv").write_text("intent,text\na,b\na\n")
        self.rejected("ragged.csv", "--label", "intent", "--embeddings", "e.npy", says=["ragged.csv:3"])
        (self.scratch / "latin.csv").write_bytes("intent\ncafé\n".encode("latin-1"))
        self.rejected("latin.csv", "--label", "intent", "--embeddings", "e.npy", says=["latin.csv:2", "UTF-8"])

    def test_arguments_that_do_not_go_together_are_rejected(self):
        self.assert_rejected("audit", *self.CONTRACT, says="-o")
        self.rejected(*self.CONTRACT, "--labels", "l.npy", says=["--label COLUMN"])
        self.rejected(*self.CONTRACT, "--feature-columns", "v", says=["--feature-columns"])
        self.rejected(*self.CONTRACT, "--sheet", "s.html", says=["--sheet"])
        self.rejected("data.csv", "--label", "intent", "--run", "nowhere", says=["--image COLUMN"])
        self.rejected("--label", "intent", "--embeddings", "e.npy", says=["expected a table"])
        self.rejected("e.npy", "--label", "intent", says=["e.npy"])


class OtherTableCommands(TableCommands):
    TABLE = ("data.csv", "--label", "intent", "--embeddings", "e.npy")

    def test_mi_is_that_of_arrays(self):
        self.assertEqual(self.run_json("mi", *self.TABLE), self.run_json("mi", "e.npy", "l.npy"))
        self.assert_rejected("mi", "data.csv", "--embeddings", "e.npy", says="--label")
        self.assert_rejected("mi", "data.csv", "l.npy", "--label", "intent", says="LABELS")
        self.assert_rejected("mi", "e.npy", says="LABELS")

    def test_tsne_draws_the_classes(self):
        result = self.run_json("tsne", *self.TABLE, "-o", "map.html", "--iterations", "50")
        self.assertEqual(result["samples"], 300)
        page = (self.scratch / "map.html").read_text(encoding="utf-8")
        self.assertIn("refund, please", page)
        self.assertEqual(self.run_json("tsne", "data.csv", "--embeddings", "e.npy", "-o", "map.npy",
                                       "--iterations", "50")["samples"], 300)
        self.assert_rejected("tsne", *self.TABLE, "--labels", "l.npy", "-o", "m.npy", says="--label COLUMN")
        self.assert_rejected("tsne", "e.npy", "--embeddings", "e.npy", "-o", "m.npy", says="is for tables")

    def test_eval_uses_the_split(self):
        result = self.run_json("eval", *self.TABLE, "--split", "part")
        self.assertEqual(result["samples"], 60)
        wrong_in_test = sum(self.wrong[i] for i in range(0, 300, 5))
        self.assertAlmostEqual(result["top1"], 1 - wrong_in_test / 60, 9)
        self.assertEqual([entry["name"] for entry in result["classes"]], list(NAMES))
        self.assertEqual(self.run_json("eval", *self.TABLE)["samples"], 59)  # a fifth of each class
        self.assert_rejected("eval", *self.TABLE, "--split", "key", says="'key'")


class ApplyCorrections(TableCommands):
    TABLE = ("--label", "intent", "--id", "key")

    def apply(self, corrections, *arguments):
        return self.run_json("apply", corrections, "--data", "data.csv", *self.TABLE, "-o", "clean.csv", *arguments)

    def test_from_a_table_to_a_clean_one_with_better_embeddings(self):
        before = self.run_json("eval", *OtherTableCommands.TABLE)["top1"]
        self.audit(*AuditTable.CONTRACT, "--id", "key")
        counts = self.apply("issues.csv", "--issues", "drop", "--embeddings", "e.npy")
        self.assertEqual(counts["dropped"], sum(self.wrong))
        self.assertEqual(counts["kept"], 300 - sum(self.wrong))
        clean = read_csv(self.scratch / "clean.csv")
        right = [i for i in range(300) if not self.wrong[i]]
        self.assertEqual([row["key"] for row in clean], [self.columns["key"][i] for i in right])
        self.assertEqual([row["intent"] for row in clean], [self.truth[i] for i in right])
        after = self.run_json("eval", "clean.csv", "--label", "intent", "--embeddings", "clean.npy")["top1"]
        self.assertGreater(after, before + 0.1)
        counts = self.apply("issues.csv", "--issues", "relabel")
        self.assertEqual(counts["relabeled"], sum(self.wrong))
        self.assertEqual([row["intent"] for row in read_csv(self.scratch / "clean.csv")], self.truth)

    def test_corrections_are_applied_and_the_table_stays(self):
        write_table(self.scratch / "c.csv", {"id": ["k5", "k6", "k7"], "action": ["drop", "relabel", "keep"],
                                             "label": ["", NAMES[0], ""]})
        before = (self.scratch / "data.csv").read_bytes()
        self.assertEqual(self.apply("c.csv"), {"kept": 298, "relabeled": 1, "dropped": 1, "files": ["clean.csv"]})
        self.assertEqual((self.scratch / "data.csv").read_bytes(), before)
        clean = {row["key"]: row for row in read_csv(self.scratch / "clean.csv")}
        self.assertNotIn("k5", clean)
        self.assertEqual((clean["k6"]["intent"], clean["k6"]["utterance"]), (NAMES[0], self.texts[6]))

    def test_bad_corrections_are_rejected_and_nothing_is_written(self):
        def rejected(corrections, *arguments, says, output="clean.csv"):
            self.assert_rejected("apply", corrections, "--data", "data.csv", "--label", "intent", *arguments,
                                "-o", output, says=says)

        write_table(self.scratch / "c.csv", {"row": [0, 1], "given_label": [self.labels[0], "other"],
                                             "action": ["drop", "drop"]})
        rejected("c.csv", says="c.csv:3")
        rejected("c.csv", says="another version")
        write_table(self.scratch / "c.csv", {"row": [0], "action": ["drop"]})
        rejected("c.csv", output="data.csv", says="is an input")
        rejected("c.csv", output="clean.tsv", says="does not end in .csv")
        rejected("c.csv", "--embeddings", "gone.npy", says="gone.npy")
        rejected("gone.csv", says="gone.csv")


class TableOfFiles(CommandLineTest):
    def test_a_run_embeds_the_images(self):
        make_folder(self.scratch / "stripes", per_class=30)
        self.run_json("train", "--data", "stripes", "--out", "run", *TINY, "--set", "train.epochs=3")
        files = sorted(path.relative_to(self.scratch) for path in (self.scratch / "stripes").rglob("*.png"))
        labels = ["upright" if i == 3 else file.parts[1] for i, file in enumerate(files)]
        write_table(self.scratch / "data.csv", {"file": files, "kind": labels})
        self.run_json("audit", "data.csv", "--label", "kind", "--image", "file", "--run", "run", "-o", "i.csv")
        issues = read_csv(self.scratch / "i.csv")
        self.assertEqual([issue["given_label"] for issue in issues], labels)
        self.assertEqual(min(issues, key=lambda issue: float(issue["label_quality"]))["row"], "3")
        write_table(self.scratch / "bad.csv", {"file": [*files[:9], "gone.png"], "kind": labels[:10]})
        self.assert_rejected("audit", "bad.csv", "--label", "kind", "--image", "file", "--run", "run", "-o", "j.csv",
                            says="gone.png")


if __name__ == "__main__":
    unittest.main()
