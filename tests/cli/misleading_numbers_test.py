"""Inputs for which an evaluation says nothing: each number is right, or absent with the reason."""
import unittest

from arrays_test import ArrayCommands, clouds


class MisleadingNumbers(ArrayCommands):
    def evaluate(self, rows, labels, test_rows, test_labels, *options):
        reference = self.write(rows, labels, "r")
        test = self.write(test_rows, test_labels, "t")
        return ("eval", "--embeddings", reference[0], "--labels", reference[1], "--test-embeddings",
                test[0], "--test-labels", test[1], *options)

    def check_absent(self, result, reason):
        self.assertEqual(result["retrieval"], {"queries": 0, "reason": reason})

    def test_one_test_sample_has_nothing_to_retrieve(self):
        rows, labels = clouds(60)
        result = self.run_json(*self.evaluate(rows, labels, [[1.0, 0.1, 0.0, 0.0]], [0]))
        self.assertEqual((result["samples"], result["top1"]), (1, 1.0))
        self.assertLess(result["top1_interval"][0], 0.03)
        self.check_absent(result, "no class has two test samples")
        ran = self.run_program(*self.evaluate(rows, labels, [[1.0, 0.1, 0.0, 0.0]], [0]))
        self.assertIn("not measured: no class has two test samples", ran.stdout)
        self.assertNotIn("recall_at_1", ran.stdout)

    def test_one_test_class_is_always_retrieved(self):
        rows, labels = clouds(60)
        zeros = [row for row, label in zip(rows, labels) if label == 0]
        shifted = [[value + 0.01 for value in row] for row in zeros]
        result = self.run_json(*self.evaluate(rows, labels, shifted, [0] * len(zeros)))
        self.check_absent(result, "all test samples have the same class")

    def test_equal_embeddings_are_not_ranked_by_their_order(self):
        labels = sorted([0, 1, 2] * 10)
        for value in (0.0, 1.0):
            rows = [[value] * 4] * 30
            result = self.run_json(*self.evaluate(rows, labels, rows, labels))
            self.check_absent(result, "all test embeddings are equal")
            self.assertAlmostEqual(result["top1"], 1 / 3)
            self.assertIn("all test embeddings are equal", result["remarks"][0])

    def test_empty_classes_have_no_accuracy(self):
        rows, labels = clouds(60)
        kept = [(row, label) for row, label in zip(rows, labels) if label != 2]
        result = self.run_json(*self.evaluate(rows, labels, [[v + 0.01 for v in row] for row, _ in kept],
                                              [label for _, label in kept]))
        self.assertEqual(result["samples"], 40)
        ran = self.run_program(*self.evaluate(rows, labels, [row for row, _ in kept],
                                              [label for _, label in kept]))
        line = next(line for line in ran.stdout.splitlines() if line.startswith("2 "))
        self.assertEqual(line.split()[1:4], ["0*", "-", "-"])

    def test_duplicates_in_train_and_test_are_counted(self):
        rows, labels = clouds(60)
        fresh, fresh_labels = clouds(30, seed=2)
        result = self.run_json(*self.evaluate(rows, labels, fresh + rows[:12],
                                              fresh_labels + labels[:12]))
        self.assertIn("12 of 42 test rows are also reference rows", result["remarks"][0])
        self.assertNotIn("remarks", self.run_json(*self.evaluate(rows, labels, fresh, fresh_labels)))

    def test_rows_without_norm_are_rejected(self):
        rows, labels = clouds(60)
        for factor in (1e30, 1e-30):
            scaled = [[value * factor for value in row] for row in rows]
            self.assert_rejected(*self.evaluate(scaled, labels, scaled, labels),
                                says="squared norm neither overflows nor vanishes")

    def test_other_inputs_without_meaning_are_rejected(self):
        rows, labels = clouds(60)
        broken = [list(row) for row in rows]
        broken[3][2] = float("nan")
        for arguments, says in (
                ((broken, labels, rows, labels), "non-finite value in row 3"),
                ((rows, labels, broken, labels), "non-finite value in row 3"),
                ((rows, [0] * 60, rows, [0] * 60), "has only one class"),
                ((rows, labels, rows, [7] * 60), "has the label 7, which the reference labels do not"),
                ((rows, [-1] + labels[1:], rows, labels), "contains -1 in row 0")):
            self.assert_rejected(*self.evaluate(*arguments), says=says)


if __name__ == "__main__":
    unittest.main()
