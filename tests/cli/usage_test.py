"""Invalid command lines: an error message, the nearest valid name, the relevant help; exit status 2."""
import os
import re
import unittest

from made_datasets import MAKERS
from support import CommandLineTest, make_folder, make_clips

COMMANDS = ("train", "launch", "eval", "predict", "embed", "export", "mi", "tsne", "audit", "apply", "report",
            "reproduce", "serve", "data", "loss", "theory", "bench")


class Usage(CommandLineTest):
    def rejection(self, *arguments, env=None):
        """Returns message and hint of a rejected call."""
        before = sorted(self.scratch.rglob("*"))
        ran = self.run_program(*arguments, env=env)
        self.assertEqual(ran.returncode, 2, f"{arguments}: {ran.stdout}{ran.stderr}")
        self.assertEqual(ran.stdout, "")
        self.assertEqual(before, sorted(self.scratch.rglob("*")))
        lines = ran.stderr.splitlines()
        self.assertRegex(lines[0], r"^projnce: ", ran.stderr)
        self.assertLessEqual(len(lines), 2, ran.stderr)
        return lines[0], lines[1] if len(lines) > 1 else ""

    def assert_says(self, *arguments, sentence, hint=""):
        found = self.rejection(*arguments)
        self.assertIn(sentence, found[0])
        self.assertIn(hint, found[1])


class Help(Usage):
    def test_projnce_alone_prints_help(self):
        alone = self.run_program()
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.assertEqual(alone.stdout, self.run_program("--help").stdout)
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", alone.stdout)

    def test_a_group_of_commands_alone_prints_its_help(self):
        alone = self.run_program("data")
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.assertEqual(alone.stdout, self.run_program("data", "--help").stdout)

    def test_help_is_a_command_too(self):
        for command in ((), ("train",), ("data", "info")):
            result = self.run_program("help", *command)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, self.run_program(*command, "--help").stdout)
        self.assert_says("help", "trian", sentence="no command 'trian'", hint="projnce train")

    def test_help_shows_choices_by_name(self):
        for command, choices in (("tsne", "--method {tsne, pca}=tsne"), ("tsne", "--init {pca, random}=pca"),
                                 ("embed", "--split {train, test, all}=all"),
                                 ("loss", "--dtype {float64, float32}=float64"),
                                 ("reproduce", "--scale {full, laptop, smoke}=laptop")):
            self.assertIn(choices, self.run_program(command, "--help").stdout)
        for command in COMMANDS:
            text = self.run_program(command, "--help").stdout
            for words in ("->", "ENUM", "NONNEGATIVE", "POSITIVE", "e+", ":INT", ":FLOAT"):
                self.assertNotIn(words, text.split("Examples:")[0])


class UnknownNames(Usage):
    def test_commands(self):
        self.assert_says("trian", "--data", "photos", sentence="projnce has no command 'trian'",
                         hint="did you mean 'projnce train'? see 'projnce --help'")
        self.assert_says("data", "lst", sentence="projnce data has no command 'lst'",
                         hint="did you mean 'projnce data list'? see 'projnce data --help'")
        self.assert_says("xylophone", sentence="no command 'xylophone'", hint="commands: train, ")
        self.assert_says("--json", sentence="projnce has no option '--json'", hint="see 'projnce --help'")

    def test_options(self):
        for arguments, sentence, hint in (
                (("train", "--dta", "photos"), "projnce train has no option '--dta'",
                 "did you mean --data? see 'projnce train --help'"),
                (("train", "--dta=photos"), "has no option '--dta'", "--data"),
                (("embed", "run", "photos", "--ouput", "e.npy"), "projnce embed has no option '--ouput'",
                 "did you mean --output? see 'projnce embed --help'"),
                (("eval", "--embed", "e.npy"), "no option '--embed'", "did you mean --embeddings?"),
                (("audit", "run", "--fold", "3"), "no option '--fold'", "did you mean --folds?"),
                (("data", "info", "photos", "--shet", "a.png"), "projnce data info has no option '--shet'",
                 "did you mean --sheet? see 'projnce data info --help'"),
                (("bench", "-j", "3"), "projnce bench has no option '-j'", "see 'projnce bench --help'"),
                (("launch", "-n", "2", "train", "--data", "photos"), "projnce launch has no option '--data'",
                 "put -- before the command")):
            with self.subTest(arguments):
                self.assert_says(*arguments, sentence=sentence, hint=hint)

    def test_settings_that_are_written_as_options(self):
        for option, setting in (("--epochs", "train.epochs"), ("--epoch", "train.epochs"),
                                ("--batch-size", "train.batch_size"), ("--seed", "seed"),
                                ("--threads", "threads"), ("--loss", "loss.name"),
                                ("--temperature", "loss.temperature"), ("--encoder=mlp", "encoder.name")):
            self.assert_says("train", "--data", "photos", option, sentence="no option '--",
                             hint=f"did you mean --set {setting}=VALUE?")

    def test_settings(self):
        make_folder(self.scratch / "photos", per_class=2)
        for setting, sentence, hint in (
                ("epochs=3", "unknown key 'epochs'", "did you mean 'train.epochs'?"),
                ("temperature=3", "unknown key 'temperature'", "did you mean 'loss.temperature'?"),
                ("train.epoch=3", "unknown key 'epoch' in [train]", "did you mean 'epochs'?"),
                ("trian.epochs=3", "unknown key 'trian'", "did you mean 'train'?"),
                ("sed=3", "unknown key 'sed'", "did you mean 'seed'?"),
                ("train.schedule=cosin", "'cosin' is not one of constant, cosine", "did you mean 'cosine'?"),
                ("loss.name=supcn", "unknown loss 'supcn'", "did you mean 'supcon'? known: "),
                ("encoder.name=resnet-smal", "'resnet-smal'", "did you mean 'resnet-small'? known: "),
                ("dataset.name=fashionmnist", "'fashionmnist'", "did you mean 'fashion-mnist'? known: "),
                ("dataset.label_noise.mode=uniform", "'uniform' is not one of uniform_other", ""),
                ("train.epochs=many", "epochs = 'many' has the wrong type, expected an integer", ""),
                ("threads=9999", "threads = 9999 is out of range, expected between 0 and 1024", "")):
            with self.subTest(setting):
                data = () if setting.startswith("dataset.name") else ("--data", "photos")
                self.assert_says("train", *data, "--set", setting, sentence=sentence, hint=hint)

    def test_choices(self):
        for arguments, sentence, hint in (
                (("tsne", "e.npy", "--method", "tsn"), "--method = 'tsn' is not one of tsne, pca",
                 "did you mean 'tsne'?"),
                (("tsne", "e.npy", "--method", "0"), "--method = '0' is not one of tsne, pca", ""),
                (("tsne", "e.npy", "--init", "1"), "--init = '1' is not one of pca, random", ""),
                (("embed", "run", "photos", "-o", "e.npy", "--split", "trian"),
                 "--split = 'trian' is not one of train, test, all", "did you mean 'train'?"),
                (("loss", "x.json", "--dtype", "float16"), "is not one of float64, float32", "did you mean"),
                (("reproduce", "table1", "--scale", "lptop"), "--scale = 'lptop' is not one of full, laptop, smoke",
                 "did you mean 'laptop'?"),
                (("reproduce", "tabel1"), "unknown table or figure 'tabel1'", "did you mean 'table1'?"),
                (("reproduce", "table1", "--only", "supcn", "--dataset", "mnist"), "'supcn'", "did you mean 'supcon'?"),
                (("data", "info", "photos", "--dataset", "fodler"), "'fodler'", "folder")):
            with self.subTest(arguments):
                make_folder(self.scratch / "photos", per_class=2)
                self.assert_says(*arguments, sentence=sentence, hint=hint)


class Arguments(Usage):
    def test_data_in_place_of_a_configuration(self):
        make_folder(self.scratch / "photos", per_class=2)
        (self.scratch / "photos.tar.gz").write_bytes(b"")
        (self.scratch / "runs" / "a").mkdir(parents=True)
        (self.scratch / "runs" / "a" / "config.toml").write_text("")
        for data in ("photos", "photos.tar.gz", "fashion-mnist"):
            self.assert_says("train", data, sentence="expected a configuration file (TOML)",
                             hint=f"did you mean --data {data}?")
        self.assert_says("train", "runs/a", sentence="runs/a is a run directory",
                         hint="did you mean --resume --out runs/a, or runs/a/config.toml?")
        self.assert_says("train", "nowhere", sentence="nowhere")
        self.assert_says("train", "a.toml", "photos", sentence="unexpected argument 'photos'",
                         hint="did you mean --data photos?")

    def test_missing_dependencies_are_named(self):
        for command, missing in (("predict", "RUN"), ("embed", "RUN"), ("export", "RUN"),
                                 ("mi", "EMBEDDINGS"), ("tsne", "EMBEDDINGS"), ("report", "RUN"),
                                 ("reproduce", "NAME"), ("serve", "RUNS"), ("loss", "FILE"),
                                 ("launch", "COMMAND")):
            self.assert_says(command, sentence=f"projnce {command} requires {missing}: ",
                             hint=f"see 'projnce {command} --help'")
        self.assert_says("data", "info", sentence="projnce data info requires WHAT: ",
                         hint="see 'projnce data info --help'")
        self.assert_says("train", "--data", sentence="projnce train: --data requires a value",
                         hint="see 'projnce train --help'")
        self.assert_says("train", sentence="no training data given", hint="--data FOLDER")
        for command in ("eval", "audit"):
            self.assert_says(command, sentence="expected the directory of a run")

    def test_arguments_that_exclude_or_need_each_other(self):
        self.assert_says("audit", "run", "--embeddings", "e.npy", "--labels", "l.npy", sentence="not both")
        self.assert_says("eval", "--embeddings", "e.npy", sentence="--embeddings requires --labels")

    def test_numbers_out_of_range(self):
        (self.scratch / "run").mkdir()
        for arguments, most in ((("bench", "--threads"), True), (("bench", "--rows"), True),
                                (("audit", "run", "--folds"), True), (("launch", "-n"), True),
                                (("launch", "--max-restarts"), True), (("reproduce", "table1", "--jobs"), True),
                                (("reproduce", "table1", "--seeds"), True), (("serve", "run", "--port"), True),
                                (("tsne", "e.npy", "--perplexity"), False), (("tsne", "e.npy", "--iterations"), True),
                                (("tsne", "e.npy", "--theta"), True), (("tsne", "e.npy", "--exaggeration"), False),
                                (("tsne", "e.npy", "--seed"), False), (("audit", "run", "--seed"), False),
                                (("mi", "e.npy", "l.npy", "--k"), False), (("eval", "run", "--k"), False),
                                (("mi", "e.npy", "l.npy", "--temperature"), False),
                                (("eval", "run", "--knn-temperature"), False)):
            name = {"-n": "--ranks"}.get(arguments[-1], arguments[-1])
            last = ("--", "train") if arguments[0] == "launch" else ()
            for value in ("-1", *(("1000000000",) if most else ())):
                self.assert_says(*arguments, value, *last,
                                 sentence=f"{name} = {value} is out of range, expected ")
            unlimited = name in ("--perplexity", "--exaggeration", "--temperature", "--knn-temperature")
            for value in ("abc", "", "1x", "nan", *(() if unlimited else ("99999999999999999999999",))):
                found = self.rejection(*arguments, value, *last)[0]
                self.assertRegex(found, rf"{name} = '?{value}'? is (not a number|not an integer|out of range), expected")

    def test_more_threads_than_cores_measure_nothing(self):
        cores = len(os.sched_getaffinity(0))
        self.assert_says("bench", "--threads", "9999",
                         sentence=f"--threads = 9999 is out of range, expected between 0 and {cores}")

    def test_paths_that_do_not_exist(self):
        calls = (("train", "--data", "nowhere"), ("train", "nowhere.toml"), ("eval", "nowhere"),
                 ("predict", "nowhere", "a.png"), ("embed", "nowhere", "photos", "-o", "e.npy"),
                 ("export", "nowhere", "--onnx", "m.onnx"), ("mi", "nowhere.npy", "l.npy"),
                 ("tsne", "nowhere.npy", "-o", "m.svg"), ("tsne", "nowhere"), ("audit", "nowhere"),
                 ("audit", "--embeddings", "nowhere.npy", "--labels", "l.npy", "-o", "s.csv"),
                 ("report", "nowhere"), ("reproduce", "nowhere.toml"), ("serve", "nowhere"),
                 ("reproduce", "table1", "--dataset", "nowhere"), ("data", "info", "nowhere"),
                 ("data", "verify", "nowhere"), ("loss", "nowhere.json"),
                 ("train", "--resume", "--out", "nowhere"))
        for arguments in calls:
            with self.subTest(arguments):
                self.assert_says(*arguments, sentence="nowhere")

    def test_files_instead_of_folders_and_vice_versa(self):
        (self.scratch / "file").write_text("no run")
        (self.scratch / "empty").mkdir()
        calls = (("train", "--data", "{}"), ("eval", "{}"), ("predict", "{}", "a.png"),
                 ("embed", "{}", "photos", "-o", "e.npy"), ("export", "{}", "--onnx", "m.onnx"),
                 ("mi", "{}", "l.npy"), ("tsne", "{}", "-o", "m.svg"), ("audit", "{}"), ("report", "{}"),
                 ("data", "info", "{}"), ("data", "verify", "{}"), ("loss", "{}"), ("train", "{}"),
                 ("audit", "--embeddings", "{}", "--labels", "{}", "-o", "s.csv"),
                 ("eval", "--embeddings", "{}", "--labels", "{}"),
                 ("train", "--data", "photos", "--init", "{}"))
        make_folder(self.scratch / "photos", per_class=4)
        for arguments in calls:
            for path in ("file", "empty"):
                if path == "file" and arguments[0] == "data":
                    continue  # a single file is valid data
                with self.subTest(arguments, path=path):
                    self.assert_says(*[word.format(path) for word in arguments], sentence=path)
        self.assert_says("serve", "file", sentence="file")


class ReproduceUsage(Usage):
    def test_suggests_available_datasets(self):
        data = self.scratch / "data"
        env = {"PROJNCE_DATA": str(data), "HOME": str(data)}
        data.mkdir()
        hint = self.rejection("reproduce", "table1", "--scale", "smoke", env=env)[1]
        self.assertIn("--dataset FOLDER", hint)
        self.assertNotIn("cifar10", hint)
        MAKERS["mnist"](data)
        sentence, hint = self.rejection("reproduce", "table1", "--scale", "smoke", env=env)
        self.assertIn("CIFAR-10 is not on this machine", sentence)
        self.assertIn("--dataset mnist", hint)
        self.assertNotIn("cifar10", hint)

    def test_skips_cells_that_cannot_be_trained(self):
        data = self.scratch / "data"
        MAKERS["mnist"](data)
        env = {"PROJNCE_DATA": str(data), "HOME": str(data)}
        ran = self.run_program("reproduce", "table1", "--scale", "smoke", "--dataset", "mnist", "--dry-run", env=env)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, r"MNIST.*, trained on vehicle and animal: skipping 2 cells that "
                                     r"cannot be trained: .*unknown key 'coarse_training'")
        self.assertNotIn("vehicle", ran.stdout)
        self.assertEqual(len(re.findall("^to train", ran.stdout, re.MULTILINE)), 4)
        trained = self.run_program("reproduce", "table1", "--scale", "smoke", "--dataset", "mnist", "--only",
                                   "supcon", "--out", "out", env=env)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        page = (self.scratch / "out/smoke/table1-mnist.md").read_text()
        self.assertIn("coarse_training", page)

    def test_rejects_a_table_without_trainable_cells(self):
        make_clips(self.scratch / "clips", per_class=20)
        self.assert_says("reproduce", "table5", "--scale", "smoke", "--dataset", "clips",
                         sentence="no cell of this table can be trained")


if __name__ == "__main__":
    unittest.main()
