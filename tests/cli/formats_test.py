"""Realistic folders: images of all formats, ignored files, corrupt files, layouts."""
import json
import struct
import unittest

from support import TINY, CommandLineTest, make_folder, stripes, write_wav

try:
    from PIL import Image
except ImportError:
    Image = None

FORMATS = {"bmp": {}, "gif": {}, "webp": {"lossless": True}, "tif": {}, "png": {}, "jfif": {}}
MODES = {"bmp": ("1", "L", "P", "RGB", "RGBA"),
         "gif": ("L", "P"),
         "webp": ("RGB", "RGBA"),
         "tif": ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16")}


def image(kind, number, mode="RGB"):
    """Color stripes, as in made_datasets."""
    pixel = stripes(kind, number)
    image = Image.new("RGB", (16, 16))
    image.putdata([(pixel(x, y), 40, 255 - pixel(x, y)) for y in range(16) for x in range(16)])
    if mode == "I;16":
        wide = Image.new(mode, (16, 16))
        wide.putdata([257 * pixel(x, y) for y in range(16) for x in range(16)])
        return wide
    return image.convert(mode)


def save(path, image, ending, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = {"tif": "TIFF", "jfif": "JPEG"}.get(ending, ending.upper())
    image.save(path, format=kind, **{**FORMATS.get(ending, {}), **options})


@unittest.skipUnless(Image, "Pillow is not installed; `script/setup test` installs it")
class Formats(CommandLineTest):
    def test_trains_on_every_format(self):
        for number in range(24):
            ending = list(FORMATS)[number % len(FORMATS)]
            for kind in ("lying", "upright"):
                save(self.scratch / "photos" / kind / f"{number:03}.{ending}", image(kind, number),
                     ending)
        result = self.run_json("data", "verify", "photos")
        self.assertTrue(result["valid"])
        self.assertEqual(result["train"]["samples"] + result["test"]["samples"], 48)
        self.assertEqual(result["unread_files"], {})
        summary = self.run_json("train", "--data", "photos", *TINY, "--out", "run")
        self.assertEqual(summary["samples"]["train"] + summary["samples"]["test"], 48)
        self.assertEqual(summary["samples"]["skipped"], 0)

    def test_decodes_every_color_mode(self):
        folder = self.scratch / "modes"
        for ending, modes in MODES.items():
            for mode in modes:
                name = mode.replace(";", "")
                for kind in ("lying", "upright"):
                    save(folder / kind / f"{name}_{ending}.{ending}", image(kind, 1, mode), ending)
        result = self.run_json("data", "verify", "modes")
        sizes = [result[part][side] for part in ("train", "test") for side in ("width", "height")]
        self.assertTrue(all(size["min"] == size["max"] == 16 for size in sizes), sizes)
        gray = sum(result[part]["channels"].get("1", 0) for part in ("train", "test"))
        self.assertEqual(gray, 2 * 6, "1 and L of BMP and TIFF, L of GIF, 16 bits of TIFF")

    def test_animations_and_pages_give_their_first_image(self):
        folder = self.scratch / "moving"
        for kind in ("lying", "upright"):
            for number, ending in enumerate(("gif", "webp", "tif")):
                first, later = image(kind, 1), image(kind, 4).resize((9, 7))
                if ending != "tif":
                    later = image(kind, 4)
                save(folder / kind / f"{number}.{ending}", first, ending, save_all=True,
                     append_images=[later, later])
        result = self.run_json("data", "verify", "moving")
        self.assertTrue(result["valid"])
        self.assertEqual(result["train"]["width"]["max"], 16)

    def test_a_corrupt_file_of_each_format_is_named(self):
        for ending in ("bmp", "gif", "webp", "tif"):
            path = self.scratch / f"cut.{ending}"
            save(path, image("lying", 2), ending)
            path.write_bytes(path.read_bytes()[:-40])
            ran = self.run_program("data", "verify", path)
            self.assertEqual(ran.returncode, 2, ending)
            self.assertIn(f"cut.{ending}", ran.stdout)
            self.assertEqual(ran.stderr, "", "libraries do not print")

    def test_heic_is_reported_with_a_conversion_hint(self):
        heic = struct.pack(">I", 24) + b"ftypheic" + bytes(12)
        make_folder(self.scratch / "photos", per_class=4)
        for number in range(3):
            (self.scratch / f"photos/lying/IMG_{number}.HEIC").write_bytes(heic)
        (self.scratch / "photos/lying/disguised.jpg").write_bytes(heic)
        (self.scratch / "photos/upright/notes.txt").write_text("a note")
        for command in ("info", "verify"):
            ran = self.run_program("data", command, "photos")
            self.assertIn("3 .heic files are not supported, such as lying/IMG_0.HEIC", ran.stdout)
            self.assertIn("magick mogrify -format jpg *.heic", ran.stdout)
            self.assertIn("1 .txt", ran.stdout)
        self.assertIn("disguised.jpg is a HEIC image, which is not supported: convert", ran.stdout)
        result = json.loads(self.run_program("data", "info", "photos", "--json").stdout)
        self.assertEqual(result["unread_files"], {".heic": 3, ".txt": 1})
        ran = self.run_program("train", "--data", "photos", *TINY, "--out", "run")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("3 .heic files are not supported", ran.stderr)
        self.assertIn("skipped: lying/disguised.jpg is a HEIC image", ran.stderr)


class CorruptFiles(CommandLineTest):
    def folder_with_corrupt_files(self, count):
        folder = make_folder(self.scratch / "photos", per_class=20)
        for number in range(count):
            (folder / f"lying/{number:03}.png").write_bytes(b"no image")
        return folder

    def train(self, *options):
        return self.run_program("train", "--data", "photos", *TINY, "--set", "train.epochs=1",
                                "--out", "run", *options)

    def test_one_corrupt_file_of_a_small_folder_is_skipped(self):
        self.folder_with_corrupt_files(1)
        ran = self.train()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("skipped: lying/000.png", ran.stderr)
        summary = json.loads((self.scratch / "run/summary.json").read_text())
        self.assertEqual(summary["samples"]["skipped"], 1)

    def test_verify_predicts_the_behavior_of_train(self):
        self.folder_with_corrupt_files(5)
        ran = self.run_program("data", "verify", "photos")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("'projnce train' skips the corrupt samples", ran.stdout)
        self.folder_with_corrupt_files(6)
        ran = self.run_program("data", "verify", "photos")
        self.assertIn("'projnce train' rejects this many", ran.stdout)

    def test_more_than_five_files_and_one_percent_are_rejected(self):
        self.folder_with_corrupt_files(6)
        ran = self.train()
        self.assertEqual(ran.returncode, 2)
        self.assertIn("expected at most 1 % or 5 files", ran.stderr)
        self.assertIn("--max-corrupt", ran.stderr)

    def test_the_limit_is_a_number_or_a_share(self):
        self.folder_with_corrupt_files(6)
        self.assertEqual(self.train("--max-corrupt", "5").returncode, 2)
        self.assertEqual(self.train("--max-corrupt", "14%").returncode, 2)
        ran = self.train("--max-corrupt", "15%")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("max_corrupt = '15%'", (self.scratch / "run/config.toml").read_text())

    def test_rejects_an_invalid_limit(self):
        make_folder(self.scratch / "photos", per_class=5)
        self.assert_rejected("train", "--data", "photos", "--max-corrupt", "few",
                            says="expected a number of files such as 5, or a percentage such as 1%")

    def test_an_empty_class_folder_is_a_warning(self):
        make_folder(self.scratch / "photos", per_class=10)
        (self.scratch / "photos/empty").mkdir()
        for command in ("info", "verify"):
            ran = self.run_program("data", command, "photos")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn("photos/empty contains no image and is skipped", ran.stdout)
        ran = self.train()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("photos/empty contains no image and is skipped", ran.stderr)


class Layouts(CommandLineTest):
    def make_lists(self, folder, seconds, names=("high", "low")):
        for kind, hertz in zip(names, (440, 110)):
            for number in range(10):
                write_wav(folder / kind / f"take {number}.wav", 4000, seconds, hertz + number)
        (folder / "testing_list.txt").write_text(
            "\n".join(f"{kind}/take {n}.wav  " for kind in names for n in (0, 1)) + "\n\n")
        (folder / "validation_list.txt").write_text(f"\n{names[0]}/take 2.wav\r\n\n")
        return folder

    def test_layout_and_reason_are_always_reported(self):
        make_folder(self.scratch / "photos", per_class=5)
        result = self.run_json("data", "info", "photos")
        self.assertEqual(result["layout"]["name"], "folder")
        self.assertIn("one subfolder per class", result["layout"]["reason"])
        for command in ("info", "verify"):
            ran = self.run_program("data", command, "photos")
            self.assertRegex(ran.stdout, r"layout +folder \(one subfolder per class")
        ran = self.run_program("train", "--data", "photos", *TINY, "--out", "run")
        self.assertIn("layout: folder (one subfolder per class", ran.stderr)

    def test_short_words_with_lists_are_speech_commands(self):
        self.make_lists(self.scratch / "words", 0.6)
        result = self.run_json("data", "info", "words")
        self.assertEqual(result["layout"]["name"], "speech-commands")
        self.assertIn("validation_list.txt", result["layout"]["reason"])
        self.assertEqual(result["test"]["samples"], 4)
        self.assertEqual(result["train"]["samples"], 15)

    def test_long_clips_with_lists_are_a_folder_by_default(self):
        self.make_lists(self.scratch / "clips", 3)
        result = self.run_json("data", "info", "clips")
        self.assertEqual(result["layout"]["name"], "folder")
        self.assertIn("the clips last 3 s", " ".join(result["remarks"]))
        completed = self.run_json("data", "info", "clips", "--layout", "speech-commands")
        self.assertEqual(completed["layout"],
                         {"name": "speech-commands", "reason": "chosen by --layout"})
        self.assertEqual(completed["test"]["samples"], 4)
        ran = self.run_program("train", "--data", "clips", "--layout", "speech-commands", "--set",
                               "train.epochs=1", "--set", "train.batch_size=8", "--out", "run")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("layout: speech-commands (chosen by --layout)", ran.stderr)
        config = (self.scratch / "run/config.toml").read_text()
        self.assertIn("name = 'speech-commands'", config)
        self.assertIn("seconds = 3.0", config, "the clips keep their length")

    def test_unknown_layout_suggests_the_nearest(self):
        make_folder(self.scratch / "photos", per_class=3)
        for command in (("train", "--data"), ("data", "info"), ("data", "verify")):
            self.assert_rejected(*command, "photos", "--layout", "imagnet",
                                says="did you mean 'imagenet'?")
        for command in (("train",), ("data", "info"), ("data", "verify")):
            text = self.run_program(*command, "--help").stdout
            self.assertIn("speech-commands", text)

    def test_verify_and_train_reject_a_single_class(self):
        folder = self.make_lists(self.scratch / "words", 0.5)
        (folder / "testing_list.txt").write_text(
            "".join(f"high/take {n}.wav\n" for n in range(3, 10)) + "low/take 0.wav\n")
        (folder / "validation_list.txt").write_text(
            "".join(f"high/take {n}.wav\n" for n in range(3)))
        for command in (("data", "verify", "words"), ("train", "--data", "words")):
            self.assert_rejected(*command, says="samples of only one class, 'low'")

    def test_info_and_train_count_the_same_split(self):
        make_folder(self.scratch / "photos", per_class=23)
        info = self.run_json("data", "info", "photos")
        ran = self.run_program("train", "--data", "photos", *TINY, "--out", "run", "--json")
        summary = json.loads(ran.stdout)
        train, test = info["train"]["samples"], info["test"]["samples"]
        self.assertEqual((summary["samples"]["train"], summary["samples"]["test"]), (train, test))
        self.assertIn(f"split: {train} training samples, {test} test samples, 2 classes", ran.stderr)


if __name__ == "__main__":
    unittest.main()
