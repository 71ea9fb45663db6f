"""torch.compile, dynamic shapes and torch.export for every loss."""

import os
import tempfile
import unittest

_CACHE = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _CACHE.name

import torch  # noqa: E402
from torch._dynamo.testing import CompileCounterWithBackend  # noqa: E402

import cases  # noqa: E402
import projnce  # noqa: E402


class CompileTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        self.addCleanup(torch._dynamo.reset)

    def compare(self, backend, reduction, wrap):
        """``wrap`` makes the module that is compiled from a loss and the width of its input."""
        for name, sample in cases.SAMPLES.items():
            with self.subTest(loss=name):
                torch._dynamo.reset()
                arguments = sample.arguments(dtype=torch.float32)
                loss = sample.loss(torch.float32, reduction=reduction)
                model = wrap(loss, arguments[0].shape[-1])
                compiled = torch.compile(model, fullgraph=True, backend=backend)
                expected = model(*arguments)
                weights = torch.rand_like(expected)
                _, expected_gradients = cases.gradients(model, arguments, weights)
                found = compiled(*arguments)
                leaves = [x for x in (*arguments, *model.parameters()) if x.requires_grad]
                found_gradients = torch.autograd.grad((found * weights).sum(), leaves)
                torch.testing.assert_close(found, expected)
                torch.testing.assert_close(found_gradients, expected_gradients)

    def test_aot_eager(self):
        self.compare("aot_eager", "mean", cases.Model)

    def test_aot_eager_of_each_anchor(self):
        self.compare("aot_eager", "none", cases.Model)

    # Inductor compiles C++ for the layers around a loss, which takes seconds for each: the losses
    # are compiled alone, and one of them behind a layer.

    def test_inductor(self):
        self.compare("inductor", "mean", lambda loss, dim: loss)

    def test_inductor_of_each_anchor(self):
        self.compare("inductor", "none", lambda loss, dim: loss)

    def test_inductor_with_a_layer(self):
        arguments = cases.SAMPLES["projnce"].arguments(dtype=torch.float32)
        model = cases.Model(cases.SAMPLES["projnce"].loss(torch.float32), arguments[0].shape[-1])
        compiled = torch.compile(model, fullgraph=True)
        torch.testing.assert_close(
            cases.gradients(compiled, arguments), cases.gradients(model, arguments)
        )

    def test_without_gradient(self):
        for name, sample in cases.SAMPLES.items():
            with self.subTest(loss=name), torch.no_grad():
                loss, arguments = sample.loss(), sample.arguments()
                compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
                torch.testing.assert_close(compiled(*arguments), loss(*arguments))

    def test_dynamic_shapes_compile_once(self):
        for name, sample in cases.SAMPLES.items():
            with self.subTest(loss=name):
                torch._dynamo.reset()
                loss = sample.loss()
                counter = CompileCounterWithBackend("aot_eager")
                compiled = torch.compile(loss, fullgraph=True, dynamic=True, backend=counter)
                for samples in (8, 12, 20):
                    arguments = sample.arguments(samples)
                    found = cases.gradients(compiled, arguments)
                    torch.testing.assert_close(found, cases.gradients(loss, arguments))
                self.assertEqual(counter.frame_count, 1)

    def test_marked_dimensions_compile_once(self):
        for name, sample in cases.SAMPLES.items():
            with self.subTest(loss=name):
                torch._dynamo.reset()
                loss = sample.loss(reduction="none")
                counter = CompileCounterWithBackend("aot_eager")
                compiled = torch.compile(loss, fullgraph=True, backend=counter)
                for samples in (8, 12):
                    arguments = sample.arguments(samples)
                    for tensor in arguments:
                        torch._dynamo.mark_dynamic(tensor, 0)
                    torch.testing.assert_close(compiled(*arguments), loss(*arguments))
                self.assertEqual(counter.frame_count, 1)

    def test_gathered_candidates(self):
        loss = projnce.ProjNCELoss(0.3)
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        rows, labels = cases.unit_rows(8, 6), torch.arange(8) % 3
        for first in (0, 4):
            given = (rows[first : first + 4].clone(), labels[first : first + 4], None, rows.clone())
            given[0].requires_grad_()
            given[3].requires_grad_()
            values = [f(*given, labels, None, first) for f in (compiled, loss)]
            torch.testing.assert_close(*values)
            found, expected = (torch.autograd.grad(value, (given[0], given[3])) for value in values)
            torch.testing.assert_close(found, expected)

    def test_an_option_may_be_changed(self):
        loss = projnce.SupConLoss(0.3)
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        arguments = cases.SAMPLES["supcon"].arguments()
        for temperature in (0.3, 0.2, 0.1, 0.05):
            loss.temperature = temperature
            expected = projnce.SupConLoss(temperature)(*arguments)
            torch.testing.assert_close(compiled(*arguments), expected)


class ExportTest(unittest.TestCase):
    def test_export(self):
        for name, sample in cases.SAMPLES.items():
            with self.subTest(loss=name):
                loss = sample.loss(torch.float32)
                arguments = sample.arguments(8, torch.float32, requires_grad=False)
                samples = torch.export.Dim("samples", min=3, max=64)
                program = torch.export.export(
                    loss, arguments, dynamic_shapes=tuple({0: samples} for _ in arguments)
                )
                targets = {str(node.target) for node in program.graph.nodes}
                names = {"supcon", "simclr"} if name == "joint" else {name.split(":")[0]}
                self.assertLessEqual({f"projnce.{n}.default" for n in names}, targets)
                other = sample.arguments(12, torch.float32, requires_grad=False)
                torch.testing.assert_close(program.module()(*other), loss(*other))

    def test_an_exported_program_is_saved_and_loaded(self):
        sample = cases.SAMPLES["projnce"]
        arguments = sample.arguments(8, requires_grad=False)
        program = torch.export.export(sample.loss(), arguments)
        with tempfile.TemporaryDirectory() as folder:
            torch.export.save(program, folder + "/loss.pt2")
            loaded = torch.export.load(folder + "/loss.pt2").module()
        self.assertEqual(loaded(*arguments).item(), sample.loss()(*arguments).item())


if __name__ == "__main__":
    unittest.main()
