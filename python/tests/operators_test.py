"""The operators of every loss: schemas, opcheck, fake tensors."""

import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import cases
import projnce

OPERATORS = {name: sample for name, sample in cases.SAMPLES.items() if name != "joint"}
REDUCTIONS = ("mean", "sum", "none")


def detached(arguments):
    return tuple(x.detach() if isinstance(x, torch.Tensor) else x for x in arguments)


class OperatorTest(unittest.TestCase):
    def test_the_table_has_every_loss(self):
        public = {
            thing._operator.name
            for name, thing in vars(projnce).items()
            if isinstance(thing, type) and hasattr(thing, "_operator")
        }
        self.assertEqual(public, {name.split(":")[0] for name in OPERATORS})

    def test_schemas_hold_tensors_and_scalars_only(self):
        plain = {"Tensor", "Optional[Tensor]", "float", "Optional[float]", "int", "bool"}
        for name in OPERATORS:
            for suffix in ("", "_backward", "_parts"):
                schema = getattr(torch.ops.projnce, name.split(":")[0] + suffix).default._schema
                types = {str(argument.type) for argument in (*schema.arguments, *schema.returns)}
                self.assertLessEqual(types, plain, schema)

    def test_opcheck(self):
        for name, sample in OPERATORS.items():
            for reduction in REDUCTIONS:
                with self.subTest(loss=name, reduction=reduction):
                    loss = sample.loss(torch.float32, reduction=reduction)
                    arguments = loss._arguments(*sample.arguments(dtype=torch.float32))
                    torch.library.opcheck(loss._operator.forward, arguments)

    def test_opcheck_without_a_mask_of_gradients(self):
        """Without the gradients of forward, backward evaluates the loss again."""
        for name, sample in OPERATORS.items():
            with self.subTest(loss=name):
                loss = sample.loss()
                arguments = loss._arguments(*sample.arguments())
                torch.library.opcheck(loss._operator.forward, (*arguments[:-1], 0))

    def test_opcheck_of_backward_and_parts(self):
        for name, sample in OPERATORS.items():
            with self.subTest(loss=name):
                loss = sample.loss(reduction="none")
                arguments = detached(loss._arguments(*sample.arguments()))
                grad_loss = torch.ones_like(loss(*sample.arguments()))
                torch.library.opcheck(loss._operator.backward, (grad_loss, *arguments))
                loss.reduction = "mean"
                arguments = loss._arguments(*sample.arguments())
                torch.library.opcheck(loss._operator.parts, arguments)


class FakeTest(unittest.TestCase):
    def test_fake_cuda_tensors(self):
        """Without gradients: torch itself ends a process that records them for a device that it was
        not built for. The shapes of gradients are those of meta tensors, below. Without the variants
        that call further operations of torch, which need CUDA for fake tensors too."""
        for name, sample in cases.SAMPLES.items():
            if name in ("supcon:one", "projnce_mlp:hidden"):
                continue
            for reduction in REDUCTIONS:
                real = sample.inputs(6, torch.float32)
                shape = sample.loss(torch.float32, reduction=reduction)(*real).shape
                case = self.subTest(loss=name, reduction=reduction)
                with case, FakeTensorMode(), torch.no_grad():
                    with torch.device("cuda"):
                        loss = sample.make(reduction=reduction)
                    inputs = [torch.empty(x.shape, dtype=x.dtype, device="cuda") for x in real]
                    value = loss(*inputs)
                    self.assertEqual(value.device, torch.device("cuda:0"))
                    self.assertEqual(value.shape, shape)
                    self.assertEqual(value.dtype, torch.float32)
                    if name == "joint":
                        continue
                    arguments = (*loss._arguments(*inputs)[:-1], 1)
                    gradient = loss._operator.forward(*arguments)[1]
                    self.assertEqual(gradient.device, torch.device("cuda:0"))
                    shape_of_gradient = (0,) if reduction == "none" else arguments[0].shape
                    self.assertEqual(gradient.shape, shape_of_gradient)

    def test_meta_tensors_have_a_shape_and_a_graph(self):
        for name, sample in cases.SAMPLES.items():
            for reduction in REDUCTIONS:
                with self.subTest(loss=name, reduction=reduction):
                    loss = sample.loss(torch.float32, reduction=reduction).to("meta")
                    inputs = [x.to("meta") for x in sample.inputs(6, torch.float32)]
                    inputs[0].requires_grad_()
                    value = loss(*inputs)
                    self.assertEqual((value.device.type, value.dtype), ("meta", torch.float32))
                    value.sum().backward()
                    self.assertEqual(inputs[0].grad.shape, inputs[0].shape)


if __name__ == "__main__":
    unittest.main()
