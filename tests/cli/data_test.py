"""`data list`, `data info` and `data verify` on tiny folders."""
import json
import os
import unittest

from support import CommandLineTest, make_folder, make_clips, stripes, write_png


class DataList(CommandLineTest):
    def test_dataset_root_may_be_configured(self):
        (self.scratch / "sets").mkdir()
        ran = self.run_program("train", "--set", "dataset.name=cifar10", "--set", "data_root=sets",
                               "--out", "run", env={"HOME": str(self.scratch)})
        self.assertEqual(ran.returncode, 2)
        self.assertIn("sets/cifar10", ran.stderr)

    def test_lists_search_paths_and_sources(self):
        home = {"PROJNCE_DATA": str(self.scratch / "data"), "HOME": str(self.scratch)}
        ran = self.run_program("data", "list", "--json", env=home)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = {row["name"]: row for row in json.loads(ran.stdout)["datasets"]}
        row = rows["cifar10"]
        self.assertEqual(row["found"], "")
        self.assertTrue(row["source"])
        self.assertTrue(any(place.startswith(home["PROJNCE_DATA"]) for place in row["looked_for"]))

    def test_finds_available_datasets(self):
        place = self.scratch / "data/cifar10"
        place.mkdir(parents=True)
        ran = self.run_program("data", "list", "--json",
                               env={"PROJNCE_DATA": str(self.scratch / "data")})
        rows = {row["name"]: row for row in json.loads(ran.stdout)["datasets"]}
        self.assertEqual(rows["cifar10"]["found"], str(place))

    def test_text_names_every_dataset(self):
        ran = self.run_program("data", "list")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in ("cifar100", "speech-commands", "folder", "embeddings"):
            self.assertIn(name, ran.stdout)


class DataInfo(CommandLineTest):
    def test_images(self):
        make_folder(self.scratch / "photos", per_class=10)
        result = self.run_json("data", "info", "photos")
        self.assertEqual(result["kind"], "images")
        self.assertEqual(result["classes"], ["lying", "upright"])
        self.assertEqual(result["train"]["channels"],
                         {"1": result["train"]["samples"]})
        self.assertEqual(result["train"]["samples"] + result["test"]["samples"], 20)
        self.assertTrue(result["valid"])

    def test_clips(self):
        make_clips(self.scratch / "calls")
        result = self.run_json("data", "info", "calls")
        self.assertEqual(result["kind"], "audio")
        train = result["train"]
        self.assertEqual(train["rates"], {"8000": train["samples"]})
        self.assertGreaterEqual(train["seconds"]["min"], 0.2)
        self.assertLessEqual(train["seconds"]["max"], 0.29)
        self.assertGreater(train["hours"], 0)
        self.assertNotIn("width", train)

    def test_text_shows_classes_and_corrupt_samples(self):
        folder = make_folder(self.scratch / "photos", per_class=10)
        (folder / "lying/bad.png").write_bytes(b"no image")
        ran = self.run_program("data", "info", "photos")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("upright", ran.stdout)
        self.assertIn("16x16", ran.stdout)
        self.assertIn("1 corrupt", ran.stdout)

    def test_a_single_file(self):
        write_png(self.scratch / "one.png", 12, 8, stripes("lying", 0))
        result = self.run_json("data", "info", "one.png")
        self.assertEqual(result["train"]["samples"], 1)
        self.assertEqual(result["train"]["width"]["max"], 12)

    def test_names_that_are_not_utf8_stay_json(self):
        folder = os.fsencode(self.scratch / "photos")
        for kind in (b"caf\xe9", b"tab\there"):
            os.makedirs(os.path.join(folder, kind))
            for number in range(4):
                write_png(self.scratch / "made.png", 8, 8, stripes("lying", number))
                os.rename(self.scratch / "made.png",
                          os.path.join(folder, kind, b"%d\xff.png" % number))
        result = self.run_json("data", "info", "photos")
        self.assertEqual(result["classes"], ["caf\\xE9", "tab\\x09here"])


class ContactSheet(CommandLineTest):
    def test_png_and_page(self):
        make_folder(self.scratch / "photos", per_class=10)
        self.run_json("data", "info", "photos", "--sheet", "sheet.png")
        self.run_json("data", "info", "photos", "--sheet", "sheet.html")
        self.assertTrue((self.scratch / "sheet.png").read_bytes().startswith(b"\x89PNG"))
        page = (self.scratch / "sheet.html").read_text()
        self.assertIn("upright", page)
        self.assertIn("data:image/png;base64,", page)
        self.assertNotIn("<script", page)

    def test_clips(self):
        make_clips(self.scratch / "calls")
        self.run_json("data", "info", "calls", "--sheet", "sheet.html")
        self.assertIn("spectrogram", (self.scratch / "sheet.html").read_text())

    def test_unknown_extension_is_rejected_before_reading(self):
        make_folder(self.scratch / "photos", per_class=3)
        self.assert_rejected("data", "info", "photos", "--sheet", "sheet.gif", says="sheet.gif")

    def test_folder_that_does_not_exist(self):
        make_folder(self.scratch / "photos", per_class=3)
        ran = self.run_program("data", "info", "photos", "--sheet", "nowhere/sheet.png")
        self.assertIn(ran.returncode, (1, 2))
        self.assertIn("nowhere", ran.stderr)


class DataVerify(CommandLineTest):
    def test_valid_dataset(self):
        make_folder(self.scratch / "photos", per_class=10)
        ran = self.run_program("data", "verify", "photos")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.splitlines()[-1].split(";")[0], "20 samples read, 0 corrupt")

    def test_a_line_for_each_corrupt_sample(self):
        folder = make_folder(self.scratch / "photos", per_class=10)
        for name in ("lying/bad.png", "upright/worse.png"):
            (folder / name).write_bytes(b"no image")
        ran = self.run_program("data", "verify", "photos")
        self.assertEqual(ran.returncode, 2)
        corrupt = [line for line in ran.stdout.splitlines() if line.startswith("corrupt")]
        self.assertEqual(len(corrupt), 2)
        self.assertIn("bad.png", ran.stdout)
        self.assertIn("worse.png", ran.stdout)

    def test_json_lists_corrupt_samples(self):
        folder = make_folder(self.scratch / "photos", per_class=10)
        (folder / "lying/bad.png").write_bytes(b"no image")
        ran = self.run_program("data", "verify", "photos", "--json")
        self.assertEqual(ran.returncode, 2)
        result = json.loads(ran.stdout)
        self.assertFalse(result["valid"])
        corrupt = result["train"]["corrupt"] + result["test"]["corrupt"]
        self.assertEqual([sample["sample"] for sample in corrupt], ["lying/bad.png"])
        self.assertEqual(result["checksums"], [])

    def test_a_corrupt_audio_file(self):
        folder = make_clips(self.scratch / "calls")
        (folder / "low/003.wav").write_bytes(b"RIFF")
        ran = self.run_program("data", "verify", "calls")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("003.wav", ran.stdout)

    def test_a_single_corrupt_file(self):
        (self.scratch / "bad.png").write_bytes(b"no image")
        ran = self.run_program("data", "verify", "bad.png")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bad.png", ran.stdout)

    def test_does_not_block_on_pipes(self):
        os.mkfifo(self.scratch / "pipe.png")
        ran = self.run_program("data", "verify", "pipe.png")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("pipe.png", ran.stdout + ran.stderr)

    def test_data_that_does_not_exist(self):
        self.assert_rejected("data", "verify", "nowhere", says="nowhere")

    def test_an_unknown_layout(self):
        make_folder(self.scratch / "photos", per_class=3)
        self.assert_rejected("data", "verify", "photos", "--layout", "cifar11", says="cifar10")
        self.assert_rejected("data", "verify", "photos", "--dataset", "cifar11", says="cifar10")


if __name__ == "__main__":
    unittest.main()
