"""Commands on .npy files of any origin: eval, mi, tsne."""
import math
import random
import struct
import unittest
from xml.etree import ElementTree

from support import CommandLineTest


def write_npy(path, code, shape, values, fortran=False):
    """Writes a .npy file without numpy; values are in stored order."""
    kind = code[0].replace("|", "<") + {"f2": "e", "f4": "f", "f8": "d", "i2": "h", "i4": "i",
                                        "i8": "q", "b1": "?"}[code[1:]]
    header = f"{{'descr': '{code}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    data = b"".join(struct.pack(kind, value) for value in values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def clouds(count, classes=3, dim=4, spread=0.1, seed=1):
    """Returns rows around the corners of a cube, and their classes."""
    rng = random.Random(seed)
    labels = [i % classes for i in range(count)]
    rows = [[(1.0 if d == label else 0.0) + rng.gauss(0, spread) for d in range(dim)]
            for label in labels]
    return rows, labels


class ArrayCommands(CommandLineTest):
    def write(self, rows, labels, stem="", code="<f4", label_code="<i8", fortran=False):
        ordered = zip(*rows) if fortran else rows
        write_npy(self.scratch / f"{stem}e.npy", code, (len(rows), len(rows[0])),
                  [value for row in ordered for value in row], fortran)
        write_npy(self.scratch / f"{stem}l.npy", label_code, (len(labels),), labels)
        return f"{stem}e.npy", f"{stem}l.npy"


class Mi(ArrayCommands):
    def test_separated_classes_have_full_information(self):
        rows, labels = clouds(300)
        result = self.run_json("mi", *self.write(rows, labels))
        self.assertAlmostEqual(result["label_entropy"], math.log(3), 12)
        digamma = -0.57721566490153286 + sum(1 / m for m in range(1, 100))
        self.assertAlmostEqual(result["mixed_ksg"], math.log(300) - digamma, 9)
        self.assertEqual((result["samples"], result["classes"], result["k"]), (300, 3, 5))
        bounds = result["bounds"]
        self.assertEqual((bounds["rows"], result["folds"], result["priors"]), (300, 5, "estimated"))
        for name in ("mi_bound_class_fitted", "mi_bound_class", "mi_bound_normalized", "mi_bound"):
            self.assertGreater(bounds[name], 0.85 * math.log(3), name)
            self.assertLessEqual(bounds[name], bounds["entropy"], name)
            self.assertGreaterEqual(bounds[name + "_se"], 0, name)

    def test_types_orders_and_names_of_classes_do_not_matter(self):
        rows, labels = clouds(200, spread=0.6)
        rows = [[float(struct.unpack("<f", struct.pack("<f", v))[0]) for v in row] for row in rows]
        plain = self.run_json("mi", *self.write(rows, labels))
        for stem, code, label_code, fortran in (("a", "<f8", "<i4", False), ("b", "<f4", "<i8", True),
                                                ("c", "<f8", "<i4", True)):
            other = self.run_json("mi", *self.write(rows, [1000 - 7 * l for l in labels], stem, code,
                                                    label_code, fortran))
            self.assertAlmostEqual(other["mixed_ksg"], plain["mixed_ksg"], 9)
            for name in ("mi_bound_class_fitted", "mi_bound_class", "mi_bound"):
                self.assertAlmostEqual(other["bounds"][name], plain["bounds"][name], 5)

    def test_reads_float16_and_big_endian_arrays(self):
        rows, labels = clouds(200, spread=0.6)
        rows = [[struct.unpack("<e", struct.pack("<e", v))[0] for v in row] for row in rows]
        plain = self.run_json("mi", *self.write(rows, labels))
        for code, label_code, fortran in (("<f2", ">i8", False), (">f4", ">i2", True)):
            self.assertEqual(self.run_json("mi", *self.write(rows, labels, "a", code, label_code,
                                                             fortran)), plain)

    def test_random_labels_have_no_information(self):
        rows, labels = clouds(600)
        random.Random(5).shuffle(labels)
        result = self.run_json("mi", *self.write(rows, labels))
        low, high = result["interval"]
        self.assertLess(low, 0.02)
        self.assertGreater(high, -0.02)
        for name in ("mi_bound_class_fitted", "mi_bound_class", "mi_bound_normalized", "mi_bound"):
            self.assertLess(result["bounds"][name], 0.01, name)
        self.assertIn("not informative", self.run_program("mi", *self.write(rows, labels)).stdout)

    def test_views_of_random_labels_with_many_classes_have_no_information(self):
        rng = random.Random(6)
        samples = [[rng.gauss(0, 1) for _ in range(16)] for _ in range(200)]
        names = [rng.randrange(100) for _ in samples]
        rows = [[v + rng.gauss(0, 0.3) for v in row] for row in samples for _ in range(2)]
        labels = [name for name in names for _ in range(2)]
        write_npy(self.scratch / "ids.npy", "<i8", (400,), [i // 2 for i in range(400)])
        result = self.run_json("mi", *self.write(rows, labels), "--instances", "ids.npy", "--k", "1")
        self.assertEqual((result["samples"], result["bounds"]["rows"]), (200, 400))
        for name in ("mi_bound_class_fitted", "mi_bound_class", "mi_bound_normalized", "mi_bound"):
            self.assertLess(result["bounds"][name], 0.01, name)

    def test_uniform_priors_need_the_number_of_classes_if_some_have_no_rows(self):
        """Two views of 512 samples, whose labels are 1000 classes at random: no information."""
        rng = random.Random(7)
        samples = [[rng.gauss(0, 1) for _ in range(32)] for _ in range(512)]
        names = [rng.randrange(1000) for _ in samples]
        rows = [[v + rng.gauss(0, 1) for v in row] for row in samples for _ in range(2)]
        write_npy(self.scratch / "ids.npy", "<i8", (1024,), [i // 2 for i in range(1024)])
        files = (*self.write(rows, [name for name in names for _ in range(2)]), "--instances", "ids.npy")
        uniform = ("--priors", "uniform", "--num-classes")
        result = self.run_json("mi", *files, *uniform, "1000")
        self.assertEqual(result["num_classes"], 1000)
        self.assertLess(result["classes"], 500)
        for name in ("mi_bound_class_fitted", "mi_bound_class", "mi_bound_normalized", "mi_bound"):
            self.assertLessEqual(result["bounds"][name], 0, name)
        text = self.run_program("mi", *files, *uniform, "1000").stdout
        self.assertIn("priors: uniform over 1000 classes", text)
        self.assertIn("and the population has 1000 equally frequent classes", text)
        self.assertRegex(text, r"H\(C\) by the priors, upper limit +6\.9078")
        self.assertEqual(text.count("not informative"), 4)
        self.assert_rejected("mi", *files, "--priors", "uniform", says="classes without rows count too")
        self.assert_rejected("mi", *files, *uniform, "300", says="--num-classes = 300, but l.npy has")
        self.assert_rejected("mi", *files, *uniform, "0", says="--num-classes")
        write_npy(self.scratch / "priors.npy", "<f8", (1000,), [1 / 1000] * 1000)
        self.assert_rejected("mi", *files, "--priors", "priors.npy", "--num-classes", "1000",
                            says="--num-classes has no effect with priors.npy")

    def test_one_instance_is_rejected(self):
        files = self.write(*clouds(30))
        write_npy(self.scratch / "ids.npy", "<i8", (30,), [4] * 30)
        self.assert_rejected("mi", *files, "--instances", "ids.npy", says="ids.npy has only one instance")

    def test_priors_are_estimated_uniform_or_given(self):
        rows, labels = clouds(300)
        files = self.write(rows, labels)
        uniform = self.run_json("mi", *files, "--priors", "uniform", "--folds", "3")["bounds"]
        self.assertAlmostEqual(uniform["entropy"], math.log(3), 9)
        write_npy(self.scratch / "priors.npy", "<f8", (3,), [1 / 3] * 3)
        given = self.run_json("mi", *files, "--priors", "priors.npy", "--folds", "3")["bounds"]
        for name in ("mi_bound_class", "mi_bound"):
            self.assertAlmostEqual(given[name], uniform[name], 5)
        write_npy(self.scratch / "wrong.npy", "<f8", (3,), [0.3, 0.3, 0.3])
        self.assert_rejected("mi", *files, "--priors", "wrong.npy", says="wrong.npy: class priors: they sum to 0.9")
        write_npy(self.scratch / "none.npy", "<f8", (3,), [0.5, 0.5, 0])
        self.assert_rejected("mi", *files, "--priors", "none.npy", says="none.npy: class priors: the prior of class 2 is 0")
        write_npy(self.scratch / "short.npy", "<f8", (2,), [0.5, 0.5])
        self.assert_rejected("mi", *files, "--priors", "short.npy", says="short.npy has the priors of 2 classes, expected at least 3")
        write_npy(self.scratch / "column.npy", "<f8", (3, 1), [1 / 3] * 3)
        self.assert_rejected("mi", *files, "--priors", "column.npy", says="2-dimensional array")
        self.assert_rejected("mi", *files, "--priors", "unifrom", says="uniform, estimated or a .npy")
        self.assert_rejected("mi", *files, "--folds", "1", says="--folds")
        self.assert_rejected("mi", *files, "--tau", "0", says="above 0")
        write_npy(self.scratch / "ids.npy", "<i8", (3,), [1, 2, 3])
        self.assert_rejected("mi", *files, "--instances", "ids.npy", says="3 instance ids")

    def test_text_contains_labels(self):
        ran = self.run_program("mi", *self.write(*clouds(240)), "--k", "3")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for words in ("label entropy H(C)", "lower bounds on I(Z;C)", "class form, fitted",
                      "normalized pair form, temperature 0.07", "± ", "Mixed KSG, k = 3",
                      "not a bound", "95 % interval", "was not trained on these rows"):
            self.assertIn(words, ran.stdout)

    def test_classes_smaller_than_their_neighborhoods_have_no_estimate(self):
        rng = random.Random(3)
        rows = [[rng.gauss(0, 1) for _ in range(16)] for _ in range(30)]
        files = self.write(rows, [i % 10 for i in range(30)])
        result = self.run_json("mi", *files)
        self.assertEqual((result["mixed_ksg"], result["share"], result["interval"]), (None,) * 3)
        self.assertIn("the smallest class has 3 samples", result["withheld"])
        self.assertIn("no estimate: the smallest class has 3 samples",
                      self.run_program("mi", *files).stdout)
        fewer = self.run_json("mi", *files, "--k", "2")
        self.assertIsNone(fewer["withheld"])
        self.assertLess(fewer["mixed_ksg"], 0.3)

    def test_equal_rows_have_no_information(self):
        files = self.write([[1.0, 0.0]] * 30, [0, 1] * 15)
        self.assertLess(self.run_json("mi", *files)["mixed_ksg"], 0.05)


class Eval(ArrayCommands):
    def test_every_protocol_classifies_separated_classes(self):
        known = self.write(*clouds(150), stem="known")
        test = self.write(*clouds(60, seed=2), stem="test")
        result = self.run_json("eval", "--embeddings", known[0], "--labels", known[1],
                               "--test-embeddings", test[0], "--test-labels", test[1],
                               "--protocol", "all")
        self.assertEqual(list(result["protocols"]), ["nearest-centroid", "knn", "probe"])
        for name, protocol in result["protocols"].items():
            self.assertEqual(protocol["top1"], 1, name)
            low, high = protocol["top1_interval"]
            self.assertAlmostEqual(low, 0.025 ** (1 / 60), 9)
            self.assertEqual(high, 1)
            self.assertEqual("calibration_error" in protocol, name != "nearest-centroid")
            self.assertEqual([c["samples"] for c in protocol["classes"]], [20, 20, 20])
            self.assertEqual([c["name"] for c in protocol["classes"]], ["0", "1", "2"])
        self.assertEqual(result["samples"], 60)
        self.assertEqual(result["retrieval"]["recall_at_1"], 1)
        self.assertAlmostEqual(result["retrieval"]["map_at_r"], 1)
        self.assertAlmostEqual(result["retrieval"]["nmi"], 1)

    def test_holds_out_a_fifth_without_test_files(self):
        files = self.write(*clouds(150, spread=0.8))
        result = self.run_json("eval", "--embeddings", files[0], "--labels", files[1],
                               "--protocol", "knn,nearest-centroid", "--k", "7")
        self.assertEqual(result["samples"], 30)
        self.assertEqual(result["protocol"], "knn")
        low, high = result["top1_interval"]
        self.assertTrue(low < result["top1"] < high, result["top1_interval"])
        self.assertEqual(sum(map(sum, result["confusion"])), 30)

    def test_the_papers_name_of_nearest_centroid_is_accepted(self):
        files = self.write(*clouds(60))
        result = self.run_json("eval", "--embeddings", files[0], "--labels", files[1],
                               "--protocol", "zero-shot")
        self.assertEqual(result["protocol"], "nearest-centroid")

    def test_text_has_a_row_for_each_protocol(self):
        files = self.write(*clouds(60))
        ran = self.run_program("eval", "--embeddings", files[0], "--labels", files[1], "--protocol",
                               "all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for words in ("nearest-centroid", "knn", "probe", "most confused with", "map_at_r", "4*",
                      "fewer than 10 test samples"):
            self.assertIn(words, ran.stdout)

    def test_rejects_protocols_that_do_not_apply(self):
        files = self.write(*clouds(60))
        arrays = ("eval", "--embeddings", files[0], "--labels", files[1])
        self.assert_rejected(*arrays, "--protocol", "logits", says="'logits' does not apply")
        self.assert_rejected(*arrays, "--protocol", "projection", says="'projection' does not apply")
        self.assert_rejected(*arrays, "--protocol", "zeroshot", says="nearest-centroid")
        self.assert_rejected(*arrays, "--protocol", "knn", "--k", "49", says="neighbors = 49, expected 1 to the 48 available rows")
        self.assert_rejected("eval", says="the directory of a run")
        self.assert_rejected(*arrays, "--test-embeddings", files[0], says="--test-labels")


class Tsne(ArrayCommands):
    QUICK = ("--iterations", "60", "--perplexity", "5")

    def test_extension_selects_positions_or_image(self):
        files = self.write(*clouds(60))
        result = self.run_json("tsne", files[0], "--labels", files[1], *self.QUICK, "-o", "map.npy",
                               "-o", "map.svg", "-o", "map.png", "-o", "map.html")
        self.assertEqual((result["samples"], result["iterations"]), (60, 60))
        self.assertGreater(result["kl"], 0)
        self.assertEqual((self.scratch / "map.npy").stat().st_size, 128 + 60 * 2 * 4)
        ElementTree.parse(self.scratch / "map.svg")
        self.assertEqual((self.scratch / "map.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("<svg", (self.scratch / "map.html").read_text())

    def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads(self):
        files = self.write(*clouds(200))
        for name, seed, threads in (("a", 1, "1"), ("b", 1, "2"), ("c", 2, "1")):
            ran = self.run_program("tsne", files[0], "--init", "random", "--seed", seed, *self.QUICK,
                                   "-o", f"{name}.npy", env={"OMP_NUM_THREADS": threads})
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn("KL divergence", ran.stdout)
        a, b, c = ((self.scratch / f"{name}.npy").read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_pca(self):
        files = self.write(*clouds(30))
        result = self.run_json("tsne", files[0], "--method", "pca", "-o", "pca.npy")
        self.assertEqual(result["method"], "pca")
        self.assertNotIn("kl", result)

    def test_maps_equal_rows(self):
        files = self.write([[1.0, 2.0]] * 40, [0, 1] * 20)
        result = self.run_json("tsne", files[0], "--labels", files[1], *self.QUICK, "-o", "map.svg")
        self.assertTrue(math.isfinite(result["kl"]))

    def test_rows_without_clusters_fill_the_plane(self):
        rng = random.Random(3)
        rows = [[rng.gauss(0, 1) for _ in range(16)] for _ in range(2000)]
        files = self.write(rows, [0] * 2000)
        result = self.run_json("tsne", files[0], "--iterations", "300", "-o", "map.npy")
        self.assertLess(result["kl"], 3)  # 3.9 if all points coincide
        values = struct.unpack("<4000f", (self.scratch / "map.npy").read_bytes()[128:])
        for axis in (values[::2], values[1::2]):
            self.assertGreater(max(axis) - min(axis), 20)

    def test_few_rows_are_mapped(self):
        for count in (4, 5, 10):
            files = self.write(*clouds(count), stem=f"{count}")
            result = self.run_json("tsne", files[0], "--iterations", "300", "-o", "map.npy")
            self.assertTrue(math.isfinite(result["kl"]))
            self.assertAlmostEqual(result["perplexity"], (count - 1) / 3)

    def test_rejects_inputs_that_cannot_be_mapped(self):
        files = self.write(*clouds(30))
        self.assert_rejected("tsne", files[0], "-o", "map.gif", says=".svg")
        self.assert_rejected("tsne", files[0], says="-o FILE.npy")
        self.assert_rejected("tsne", files[0], "--perplexity", "30", "-o", "a.npy", says="perplexity")
        self.assert_rejected("tsne", files[0], "--theta", "2", "-o", "a.npy", says="theta")
        few = self.write(*clouds(2), stem="few")
        self.assert_rejected("tsne", few[0], "-o", "a.npy", says="rows")


class WrongArrays(ArrayCommands):
    """Errors that all commands on arrays share."""
    one_class = False  # whether the command accepts a single class

    def commands(self, embeddings, labels):
        yield "mi", embeddings, labels
        yield "eval", "--embeddings", embeddings, "--labels", labels
        if not self.one_class:
            yield "tsne", embeddings, "--labels", labels, "-o", "map.svg"

    def rejected(self, says, embeddings="e.npy", labels="l.npy"):
        for command in self.commands(embeddings, labels):
            with self.subTest(command[0]):
                self.assert_rejected(*command, says=says)

    def test_invalid_number(self):
        rows, labels = clouds(20)
        for value in (math.nan, math.inf):
            rows[7][2] = value
            self.write(rows, labels)
            self.rejected("e.npy has a non-finite value in row 7")

    def test_lengths_that_differ(self):
        self.write(clouds(20)[0], clouds(19)[1])
        self.rejected("l.npy holds 19 labels and e.npy 20 rows")

    def test_one_class(self):
        self.write(clouds(20)[0], [4] * 20)
        self.one_class = True
        self.rejected("only one class, expected two or more")

    def test_more_neighbors_than_samples(self):
        files = self.write(*clouds(6))
        self.assert_rejected("mi", *files, "--k", "6", says="k = 6, expected between 1 and 5")
        self.assert_rejected("mi", *files, "--k", "0", says="k = 0")

    def test_types_that_are_not_read(self):
        rows, labels = clouds(20)
        self.write(rows, labels, code="|b1")
        self.rejected("the array type '|b1', expected float16, float32 or float64")
        self.write(rows, labels, label_code="|b1")
        self.rejected("the array type '|b1'")
        self.write(rows, labels, label_code="<f8")
        self.rejected("float64 numbers, expected integers")

    def test_negative_labels(self):
        self.write(clouds(3)[0], [0, 1, -1])
        self.rejected("l.npy contains -1 in row 2")

    def test_pickled_objects_are_never_loaded(self):
        self.write(*clouds(20))
        header = b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n"
        (self.scratch / "e.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                                             header + b"cos\nsystem\n(S'touch owned'\ntR.")
        self.rejected("pickled Python objects")

    def test_shapes_that_do_not_fit(self):
        self.write(*clouds(20))
        self.rejected("expected a 1-dimensional array of labels", labels="e.npy")
        self.rejected("expected a matrix", embeddings="l.npy")
        write_npy(self.scratch / "e.npy", "<f4", (0, 4), [])
        self.rejected("an empty")

    def test_missing_and_corrupt_files(self):
        self.write(*clouds(20))
        self.rejected("none.npy", embeddings="none.npy")
        whole = (self.scratch / "e.npy").read_bytes()
        (self.scratch / "e.npy").write_bytes(whole[:-3])
        self.rejected("bytes of data, expected")


if __name__ == "__main__":
    unittest.main()
