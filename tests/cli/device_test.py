"""--device, train.device and train.precision on a machine without a graphics card."""
import unittest

from support import TINY, CommandLineTest, make_folder

try:
    import torch
    HAS_CUDA = torch.cuda.is_available()
except ImportError:
    HAS_CUDA = False


@unittest.skipIf(HAS_CUDA, "this machine has a CUDA device")
class DeviceTest(CommandLineTest):
    def test_a_missing_device_is_an_error_that_lists_the_others(self):
        folder = make_folder(self.scratch / "photos")
        for path in (folder / "lying").iterdir():
            path.write_bytes(b"no image")  # reported only if the data is read
        for name in ("cuda", "cuda:1"):
            self.assert_refused("train", "--data", "photos", "--set", f"train.device={name}",
                                says=f"train.device = '{name}' is not available, expected auto or one of cpu")
        self.assert_refused("train", "--data", "photos", "--set", "train.device=gpu",
                            says="train.device = 'gpu' is not a device")

    def test_float16_needs_a_device(self):
        make_folder(self.scratch / "photos")
        self.assert_refused("train", "--data", "photos", "--set", "train.precision=fp16", says="fp16")

    def test_bfloat16_trains_on_the_cpu(self):
        make_folder(self.scratch / "photos")
        ran = self.run_program("launch", "-n", "auto", "--", "train", "--data", "photos", "--out", "run",
                               *TINY, "--set", "train.precision=bf16", "--set", "train.device=auto")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('device = "auto"', (self.scratch / "run/config.toml").read_text())
        for command in (("eval", "run"), ("embed", "run", "-o", "e.npy"), ("audit", "run"),
                        ("predict", "run", "photos/lying/000.png")):
            self.assert_refused(*command, "--device", "cuda:3",
                                says="--device = 'cuda:3' is not available, expected auto or one of cpu")
        self.assertEqual(self.run_program("eval", "run", "--device", "cpu").returncode, 0)

    def test_ranks_are_a_number_or_auto(self):
        self.assert_refused("launch", "-n", "many", "--", "train", says="--ranks")


if __name__ == "__main__":
    unittest.main()
