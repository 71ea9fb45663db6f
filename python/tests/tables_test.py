"""Audits of data frames and of files of tables."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import cases  # noqa: F401  finds the package
import projnce

try:
    import pandas as pd
except ImportError:
    raise unittest.SkipTest("needs pandas") from None
from projnce.tables import audit_table

try:
    import pyarrow
except ImportError:
    pyarrow = None


def pets(count=60):
    """A table with one wrong label in row 3, and its embeddings."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"key": [f"k{i}" for i in range(count)], "pet": np.repeat(["cat", "dog"], count // 2)})
    embeddings = rng.normal(size=(count, 4)) + 5 * (table.pet == "dog").to_numpy()[:, None]
    table.loc[3, "pet"] = "dog"
    return table, embeddings


class AuditTable(unittest.TestCase):
    def setUp(self):
        self.table, self.embeddings = pets()
        self.expected = audit_table(self.table, label="pet", embeddings=self.embeddings, id="key")

    def test_rows_ids_and_labels_are_those_of_the_table(self):
        issues = self.expected
        self.assertEqual(list(issues.columns), ["row", "id", "given_label", "predicted_label", "label_quality",
                                                "is_label_issue"])
        self.assertEqual(list(issues[issues.is_label_issue].id), ["k3"])
        self.assertEqual(issues.predicted_label[3], "cat")
        self.assertEqual(list(issues.given_label), list(self.table.pet))
        score = projnce.audit(self.embeddings, self.table.pet).score
        np.testing.assert_array_equal(issues.label_quality, 1 - score)
        moved = audit_table(self.table.set_index(np.arange(60) + 7), label="pet", embeddings=self.embeddings)
        self.assertEqual(list(moved.index), list(range(7, 67)))

    def check_file(self, name, write):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            write(self.table, path)
            np.save(Path(folder) / "e.npy", self.embeddings)
            issues = audit_table(path, label="pet", embeddings=Path(folder) / "e.npy", id="key")
        pd.testing.assert_frame_equal(issues, self.expected)

    def test_csv_tsv_and_json_lines_are_read(self):
        self.check_file("t.csv", lambda table, path: table.to_csv(path, index=False))
        self.check_file("t.tsv", lambda table, path: table.to_csv(path, index=False, sep="\t"))
        self.check_file("t.jsonl", lambda table, path: table.to_json(path, orient="records", lines=True))

    @unittest.skipIf(pyarrow is None, "needs pyarrow")
    def test_parquet_is_read(self):
        self.check_file("t.parquet", lambda table, path: table.to_parquet(path))
        with tempfile.TemporaryDirectory() as folder:
            self.table["embedding"] = list(self.embeddings)
            self.table.to_parquet(Path(folder) / "t.parquet")
            issues = audit_table(Path(folder) / "t.parquet", label="pet", id="key")
        pd.testing.assert_frame_equal(issues, self.expected)

    def test_bad_tables_are_rejected(self):
        def rejected(words, table=self.table, **options):
            with self.assertRaisesRegex(ValueError, words):
                audit_table(table, **{"label": "pet", "embeddings": self.embeddings, **options})

        rejected("no column 'pte'.*key, pet", label="pte")
        rejected("no column 'embedding'", embeddings=None)
        rejected("59 embeddings and 60 rows", embeddings=self.embeddings[:59])
        rejected("row 1 has the id", id="pet")
        rejected("row 2 has no label", table=self.table.assign(pet=self.table.pet.where(self.table.index != 2)))
        rejected("4 and 5 numbers", embeddings=None, table=self.table.assign(
            embedding=[np.zeros(5 if i == 9 else 4) for i in range(60)]))
        rejected("does not end in", table="t.xlsx")


if __name__ == "__main__":
    unittest.main()
