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

        self.check_training(result)

    def check_training(self, result):
        """Runs steps of every encoder with both engines, if the CPU supports the instructions."""
        self.assertEqual(result["native"], result["instructions"] != "plain")
        self.assertIn("native engine" if result["native"] else "LibTorch", result["engine"])
        measured = [(entry["encoder"], entry["batch"]) for entry in result["training"]]
        self.assertEqual(measured, [("resnet-small", 128), ("resnet18", 16)])
        for entry in result["training"]:
            self.assertGreater(entry["torch_ms"], 0)
            self.assertEqual("native_ms" in entry, result["native"])
            if result["native"]:
                self.assertAlmostEqual(entry["gain"], entry["torch_ms"] / entry["native_ms"])

    def test_prints_a_table(self):
        ran = self.run_program("bench", "--rows", "64")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("GFLOP/s", ran.stdout)
        self.assertRegex(ran.stdout, r"auto.* selects: .+")
        self.assertRegex(ran.stdout, r"resnet18 +16 +[0-9.]+ ms")

    def test_rejects_invalid_batch_sizes(self):
        self.assert_rejected("bench", "--rows", "1", says="--rows = 1 is out of range, expected between 2 and 1048576")


if __name__ == "__main__":
    unittest.main()
