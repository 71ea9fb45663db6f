import unittest

from support import CommandLineTest


class Bench(CommandLineTest):
    def test_measures_every_loss_at_every_size(self):
        result = self.run_json("bench", "--rows", "64", "100", "--threads", "1")
        self.assertEqual(result["threads"], 1)
        self.assertGreater(result["gemm_gflops"], 0)
        measured = [(entry["loss"], entry["rows"]) for entry in result["losses"]]
        self.assertEqual(measured, [(loss, rows) for loss in ("supcon", "projnce", "projnce-mlp")
                                    for rows in (64, 100)])
        for entry in result["losses"]:
            self.assertGreater(entry["milliseconds"], 0)

    def test_prints_a_table(self):
        ran = self.run_program("bench", "--rows", "64")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("GFLOP/s", ran.stdout)

    def test_refuses_batches_that_cannot_be(self):
        self.assert_refused("bench", "--rows", "1", says="expected a number from 2")


if __name__ == "__main__":
    unittest.main()
