import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from arrays_test import write_npy
from support import PROGRAM, TINY, CommandLineTest, make_folder, read_safetensors

SOURCES = Path(__file__).resolve().parent.parent.parent / "apps" / "projnce"


class Train(CommandLineTest):
    def test_trains_on_a_folder_and_uses_the_model(self):
        make_folder(self.scratch / "photos", per_class=30)
        summary = self.run_json("train", "--data", "photos", "--out", "run", *TINY, "--set",
                                "train.epochs=8")
        self.assertGreaterEqual(summary["accuracy"]["last"], 0.9)
        samples = summary["samples"]
        self.assertEqual((samples["train"] + samples["test"], samples["skipped"]), (60, 0))
        files = {p.name for p in (self.scratch / "run").iterdir()}
        events, = [name for name in files if name.startswith("events.out.tfevents.")]
        self.assertEqual(files - {events},
                         {"config.toml", "commands.txt", "metrics.jsonl", "checkpoints", "log.txt",
                          "encoder.safetensors", "embeddings.npy", "labels.npy", "tsne.npy",
                          "train_labels.npy", "label_issues.csv", "samples.safetensors",
                          "projector", "projector_config.pbtxt", "report.html", "lock",
                          "summary.json", "split.safetensors", "data.json"})
        self.assertEqual(json.loads((self.scratch / "run/summary.json").read_text()), summary)
        self.check_eval(summary)
        self.check_predict()
        self.check_embed()

    def check_eval(self, summary):
        result = self.run_json("eval", "run")
        self.assertEqual(result["top1"], summary["accuracy"]["last"])
        self.assertEqual([row["name"] for row in result["classes"]], ["lying", "upright"])
        self.assertEqual(sum(map(sum, result["confusion"])), summary["samples"]["test"])
        everything = self.run_json("eval", "run", "--protocol", "all")["protocols"]
        self.assertEqual(list(everything), ["projection", "nearest-centroid", "knn", "probe"])
        for name, protocol in everything.items():
            self.assertAlmostEqual(protocol["top1"], summary["protocols"][name]["top1"], 12)
        self.assertEqual(summary["protocol"], "projection")
        self.assertEqual(summary["accuracy"]["reported_epoch"], "last")
        self.assertEqual(summary["information"]["samples"], summary["samples"]["test"])
        self.assertIn("map_at_r", summary["retrieval"])

    def check_predict(self):
        rows = self.run_json("predict", "run", "photos/lying/000.png", "photos/upright/003.png")
        self.assertEqual([row["class"] for row in rows["predictions"]], ["lying", "upright"])
        (self.scratch / "bad.png").write_bytes(b"no image")
        ran = self.run_program("predict", "run", "bad.png", "photos/lying/000.png")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bad.png", ran.stderr)
        self.assertIn("lying", ran.stdout)

    def check_embed(self):
        result = self.run_json("embed", "run", "photos", "-o", "all.npy")
        self.assertEqual((result["rows"], result["dim"]), (60, 128))
        self.assertEqual((self.scratch / "all.npy").stat().st_size, 128 + 60 * 128 * 4)
        self.assertTrue((self.scratch / "all.labels.npy").exists())
        result = self.run_json("embed", "run", "photos/lying/000.png", "-o", "one.npy")
        self.assertEqual(result["rows"], 1)
        self.assertNotIn("labels", result)

    def test_the_runs_own_config_gives_the_same_numbers(self):
        make_folder(self.scratch / "photos")
        self.run_json("train", "--data", "photos", "--out", "first", *TINY)
        self.run_json("train", "first/config.toml", "--out", "second")
        for name in ("metrics.jsonl", "embeddings.npy"):
            self.assertEqual((self.scratch / "first" / name).read_bytes(),
                             (self.scratch / "second" / name).read_bytes(), name)

    def test_every_loss_trains(self):
        make_folder(self.scratch / "photos")
        for loss in ("ce", "generalized-infonce", "infonce", "joint-projnce", "joint-supcon", "projnce",
                     "projnce-med", "projnce-mlp", "projnce-perp", "rince", "rince-self", "sce",
                     "simclr", "supcon", "symnce"):
            with self.subTest(loss):
                summary = self.run_json("train", "--data", "photos", "--out", loss, *TINY, "--set",
                                        f"loss.name={loss}")
                self.assertEqual(summary["loss"], loss)
                own = {"ce": "logits", "sce": "logits", "projnce-mlp": "projection"}
                self.assertEqual(summary["protocol"], own.get(loss, "nearest-centroid"))
                self.assertEqual("projection" in summary["protocols"], loss in ("projnce-mlp", ))
                self.assertEqual(self.run_json("eval", loss)["top1"], summary["accuracy"]["last"])

    def test_runs_without_out_have_unique_names(self):
        make_folder(self.scratch / "photos")
        first = self.run_json("train", "--data", "photos", *TINY)
        second = self.run_json("train", "--data", "photos/", *TINY)
        self.assertEqual(first["run"], "runs/photos-projnce-mlp")
        self.assertEqual(second["run"], "runs/photos-projnce-mlp-2")

    def test_unreadable_file_among_many_is_skipped_and_logged(self):
        folder = make_folder(self.scratch / "photos", per_class=100)
        (folder / "lying/bad.png").write_bytes(b"no image")
        ran = self.run_program("train", "--data", "photos", "--out", "run", *TINY)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("bad.png", ran.stderr)

    def test_engines_agree_and_the_plain_kernels_train(self):
        make_folder(self.scratch / "photos", per_class=30)
        train = ("train", "--data", "photos", *TINY, "--set", "train.epochs=4")
        native = self.run_program(*train, "--out", "native", "--set", "encoder.engine=native")
        self.assertIn("native engine", native.stderr)
        stock = self.run_program(*train, "--out", "stock", "--set", "encoder.engine=torch")
        self.assertIn("LibTorch's convolutions", stock.stderr)
        self.assertAlmostEqual(self.last_loss("native"), self.last_loss("stock"), delta=0.02)
        plain = self.run_program(*train, "--out", "plain", env={"PROJNCE_ISA": "plain"})
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.assertIn("neither AVX2 nor AVX-512", plain.stderr)
        wrong = self.run_program(*train, "--out", "wrong", env={"PROJNCE_ISA": "mmx"})
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown instruction set 'mmx'", wrong.stderr)

    def last_loss(self, run):
        lines = map(json.loads, (self.scratch / run / "metrics.jsonl").read_text().splitlines())
        return [line["value"]["loss"] for line in lines if line["name"] == "epoch"][-1]

    def test_resumed_run_equals_uninterrupted_run(self):
        self.train_whole()
        process = self.start_and_signal(signal.SIGINT, lines=8)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn("projnce train --resume --out parts", process.log)
        self.assert_resumed_equals_whole()
        again = self.run_program("train", "--resume", "--out", "parts")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("already finished", again.stderr)

    def test_resumed_live_run_equals_uninterrupted_run(self):
        self.train_whole()
        self.start_and_signal(signal.SIGINT, 8, "--live")
        self.assertIn("parts", (self.scratch / "parts/report.html").read_text())
        self.assert_resumed_equals_whole("--live")

    def test_killed_and_resumed_run_equals_uninterrupted_run(self):
        self.train_whole()
        self.assertEqual(self.start_and_signal(signal.SIGKILL, lines=15).returncode, -signal.SIGKILL)
        self.assert_resumed_equals_whole()

    def test_resumed_run_with_micro_batches_equals_uninterrupted_run(self):
        micro = ("--set", "train.micro_batch=10")
        self.train_whole(*micro)
        self.start_and_signal(signal.SIGINT, 8, *micro)
        self.assert_resumed_equals_whole()
        self.assertIn("micro_batch = 10", (self.scratch / "parts/config.toml").read_text())

    def test_resumed_run_with_validation_split_equals_uninterrupted_run(self):
        validation = ("--set", "train.validation=0.2", "--set", "train.learning_rate=0.02")
        self.train_whole(*validation)
        self.start_and_signal(signal.SIGKILL, 20, *validation)
        self.assert_resumed_equals_whole()
        delivered = [json.loads((self.scratch / run / "summary.json").read_text())["delivered"]
                     for run in ("whole", "parts")]
        self.assertEqual(*delivered)

    INSTANCE = ["--set", "loss.name=projnce-perp", "--set", "loss.soft_source=hard", "--set",
                "loss.leave_one_out=instance", "--set", "loss.priors=training"]

    def test_resumed_run_with_instance_leave_one_out_equals_uninterrupted_run(self):
        self.train_whole(*self.INSTANCE)
        self.start_and_signal(signal.SIGINT, 8, *self.INSTANCE)
        self.assert_resumed_equals_whole()
        config = (self.scratch / "parts/config.toml").read_text()
        for line in ("soft_source = 'hard'", "leave_one_out = 'instance'", "priors = 'training'"):
            self.assertIn(line, config)
        summary = json.loads((self.scratch / "parts/summary.json").read_text())
        self.assertEqual(self.run_json("eval", "parts")["top1"], summary["accuracy"]["last"])
        self.assertIn("leave_one_out", (self.scratch / "parts/report.html").read_text())

    def test_unit_centroids_train_and_report_the_general_form(self):
        make_folder(self.scratch / "photos")
        for loss in ("projnce", "joint-projnce", "generalized-infonce"):
            with self.subTest(loss):
                self.run_json("train", "--data", "photos", "--out", loss, *TINY, "--set",
                              f"loss.name={loss}", "--set", "loss.normalize_g=true")
                lines = (self.scratch / loss / "metrics.jsonl").read_text().splitlines()
                values = {line["name"]: line["value"] for line in map(json.loads, lines)}
                self.assertIn("mi_bound", json.dumps(values))
                self.assertIn("mi_bound_class", json.dumps(values))

    def test_a_general_form_without_a_limit_is_shown_as_minus_infinity(self):
        """Class vectors that are far too long for the temperature: e^(z.g/t) overflows."""
        make_folder(self.scratch / "photos")
        write_npy(self.scratch / "g.npy", "<f4", (2, 128), [1000.0] * 128 + [-1000.0] * 128)
        ran = self.run_program("train", "--data", "photos", "--out", "run", *TINY, "--set",
                               "loss.name=generalized-infonce", "--set", "loss.projection_pos=fixed",
                               "--set", "loss.pos.file=g.npy", "--set", "loss.beta=0")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("-inf as in ProjNCE, not informative", ran.stdout)
        self.assertIsNone(json.loads((self.scratch / "run/summary.json").read_text())
                          ["information"]["bounds"]["mi_bound"])

    def test_rejects_contradictory_loss_options(self):
        make_folder(self.scratch / "photos")
        perp = ("train", "--data", "photos", "--set", "loss.name=projnce-perp", "--set")
        self.assert_rejected(*perp, "loss.priors=uniform", says="leave_one_out")
        self.assert_rejected(*perp, "loss.leave_one_out=instance", "--set",
                            "loss.denominator=exclude_self", says="denominator")

    LONG = [*TINY, "--set", "train.epochs=12", "--set", "train.log_every=1"]

    def train_whole(self, *settings):
        make_folder(self.scratch / "photos", per_class=60)
        self.run_json("train", "--data", "photos", "--out", "whole", *self.LONG, *settings)

    def start_and_signal(self, number, lines, *settings):
        """Sends the signal when metrics.jsonl has this many lines."""
        process = subprocess.Popen(
            [PROGRAM, "train", "--data", "photos", "--out", "parts", *self.LONG, *settings],
            cwd=self.scratch, stderr=subprocess.PIPE, text=True)
        self.wait_for_lines(self.scratch / "parts/metrics.jsonl", lines)
        process.send_signal(number)
        _, process.log = process.communicate(timeout=60)
        return process

    def assert_resumed_equals_whole(self, *options):
        resumed = self.run_program("train", "--resume", "--out", "parts", *options)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        for name in ("metrics.jsonl", "embeddings.npy", "labels.npy", "encoder.safetensors"):
            self.assertEqual((self.scratch / "whole" / name).read_bytes(),
                             (self.scratch / "parts" / name).read_bytes(), name)
        whole, parts = ({path.name: read_safetensors(path) for path in sorted(run.glob("checkpoints/*"))}
                        for run in (self.scratch / "whole", self.scratch / "parts"))
        self.assertGreater(len(whole), 2)
        self.assertEqual(list(whole), list(parts))
        for name, checkpoint in whole.items():
            self.assertEqual(list(checkpoint), list(parts[name]), name)
            for tensor, value in checkpoint.items():
                self.assertTrue(value == parts[name][tensor], f"{tensor} of {name} differs")

    def wait_for_lines(self, path, count):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if path.exists() and len(path.read_text().splitlines()) >= count:
                return
            time.sleep(0.01)
        self.fail(f"{path} never had {count} lines")


class Help(CommandLineTest):
    def test_every_command_has_help(self):
        commands = sorted(path.name[:-len("_command.cpp")] for path in SOURCES.glob("*_command.cpp"))
        listed = self.run_program("--help").stdout.split("Subcommands:\n")[1]
        self.assertEqual(sorted(re.findall(r"^  (\w+) ", listed, re.MULTILINE)), commands)
        for command in commands:
            with self.subTest(command):
                ran = self.run_program(command, "--help")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("projnce " + command, ran.stdout)
                self.assertIn("Examples:", ran.stdout)

    def test_version(self):
        self.assertRegex(self.run_program("--version").stdout, r"^\d+\.\d+\.\d+\n$")


class Data(CommandLineTest):
    def test_list_shows_search_paths(self):
        result = self.run_json("data", "list")
        self.assertIn("fashion-mnist", [row["name"] for row in result["datasets"]])

    def test_info_counts(self):
        make_folder(self.scratch / "photos")
        result = self.run_json("data", "info", "photos")
        for name in ("lying", "upright"):
            parts = [result[part]["classes"][name] for part in ("train", "test")]
            self.assertEqual(sum(parts), 20)
            self.assertGreater(min(parts), 0)
        self.assertEqual(result["train"]["width"], {"min": 16, "median": 16, "max": 16})

    def test_verify_lists_what_is_corrupt(self):
        folder = make_folder(self.scratch / "photos")
        self.assertEqual(self.run_program("data", "verify", "photos").returncode, 0)
        (folder / "lying/bad.png").write_bytes(b"no image")
        ran = self.run_program("data", "verify", "photos")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bad.png", ran.stdout)

    @unittest.skipUnless(os.path.isdir("/usr/share/datasets/fashion-mnist"),
                         "the package dataset-fashion-mnist is not installed")
    def test_fashion_mnist_is_complete(self):
        result = self.run_json("data", "info", "fashion-mnist")
        self.assertEqual((result["train"]["samples"], result["test"]["samples"]), (60000, 10000))
        self.assertTrue(result["valid"])


if __name__ == "__main__":
    unittest.main()
