import os
import unittest

from support import TINY, CommandLineTest, make_folder, stripes, write_png


class BadInput(CommandLineTest):
    def test_missing_folder(self):
        self.assert_rejected("train", "--data", "nowhere", says="nowhere")

    def test_empty_folder(self):
        (self.scratch / "empty").mkdir()
        self.assert_rejected("train", "--data", "empty", says="empty")

    def test_one_class_only(self):
        write_png(self.scratch / "one/cat/a.png", 8, 8, stripes("lying", 0))
        self.assert_rejected("train", "--data", "one", says="only one class")

    def test_class_without_readable_file(self):
        folder = make_folder(self.scratch / "photos")
        (folder / "broken").mkdir()
        (folder / "broken/a.png").write_bytes(b"no image")
        self.assert_rejected("train", "--data", "photos", says="broken")

    def test_too_many_unreadable_files(self):
        folder = make_folder(self.scratch / "photos")
        for number in range(6):  # five are skipped with a warning
            (folder / f"lying/bad{number}.png").write_bytes(b"no image")
        self.assert_rejected("train", "--data", "photos", says="bad")

    def test_one_unreadable_file_is_an_error_when_strict(self):
        folder = make_folder(self.scratch / "photos", per_class=100)
        (folder / "lying/bad.png").write_bytes(b"no image")
        self.assert_rejected("train", "--data", "photos", "--strict", says="bad.png")

    def test_truncated_idx_file(self):
        source = "/usr/share/datasets/fashion-mnist"
        if not os.path.isdir(source):
            self.skipTest("the package dataset-fashion-mnist is not installed")
        copy = self.scratch / "copy"
        copy.mkdir()
        for name in os.listdir(source):
            data = open(os.path.join(source, name), "rb").read()
            (copy / name).write_bytes(data[:-1000] if name.startswith("train-images") else data)
        self.assert_rejected("train", "--set", "dataset.name=fashion-mnist", "--set",
                            "dataset.root=copy", says="train-images")

    def test_output_directory_that_holds_a_run(self):
        make_folder(self.scratch / "photos")
        (self.scratch / "run").mkdir()
        (self.scratch / "run/config.toml").write_text("seed = 1\n")
        self.assert_rejected("train", "--data", "photos", "--out", "run", says="already contains a run")

    def test_output_directory_that_is_a_file(self):
        make_folder(self.scratch / "photos")
        (self.scratch / "run").write_text("")
        self.assert_rejected("train", "--data", "photos", "--out", "run", says="not a directory")

    def test_output_directory_below_a_file(self):
        make_folder(self.scratch / "photos")
        (self.scratch / "file").write_text("")
        self.assert_rejected("train", "--data", "photos", "--out", "file/run", says="file")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_unwritable_output_directory(self):
        make_folder(self.scratch / "photos")
        locked = self.scratch / "locked"
        locked.mkdir(mode=0o500)
        self.assert_rejected("train", "--data", "photos", "--out", "locked/run", says="locked")

    def test_unknown_names_list_the_known_ones(self):
        make_folder(self.scratch / "photos")
        self.assert_rejected("train", "--set", "dataset.name=fashion-mnst", says="fashion-mnist")
        self.assert_rejected("train", "--data", "photos", "--set", "encoder.name=resnet50",
                            says="resnet18")
        self.assert_rejected("train", "--data", "photos", "--set", "loss.name=supcn", says="supcon")

    def test_unknown_key_reports_line_and_nearest_key(self):
        (self.scratch / "run.toml").write_text("[dataset]\nname = 'mnist'\n[train]\nepoch = 3\n")
        ran = self.run_program("train", "run.toml")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("run.toml:4", ran.stderr)
        self.assertIn("did you mean 'epochs'", ran.stderr)

    def test_empty_dataset(self):
        self.assert_rejected("train", says="no training data given")

    def test_wrong_usage(self):
        self.assert_rejected("trian", says="projnce:")
        self.assert_rejected("train", "--no-such-option", says="projnce:")
        self.assertEqual(self.run_program().returncode, 0, "the program alone prints its help")

    def test_a_directory_without_run(self):
        (self.scratch / "empty").mkdir()
        self.assert_rejected("eval", "empty", says="does not contain a run")
        self.assert_rejected("predict", "empty", "a.png", says="does not contain a run")
        self.assert_rejected("train", "--resume", "--out", "empty", says="does not contain a run")

    def test_resume_requires_out(self):
        self.assert_rejected("train", "--resume", says="--resume needs --out RUN")
        self.assert_rejected("train", "--force", "--out", "run", says="--resume")

    def test_diverging_run_fails_with_status_1(self):
        make_folder(self.scratch / "photos")
        ran = self.run_program("train", "--data", "photos", "--out", "run", *TINY, "--set",
                               "train.learning_rate=1e30")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("training stopped: step 1 of epoch 2 has loss nan", ran.stderr)
        self.assertIn("its samples: ", ran.stderr)
        self.assertIn("The last good checkpoint is run/checkpoints/step-000001", ran.stderr)


if __name__ == "__main__":
    unittest.main()
