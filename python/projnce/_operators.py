"""Operators of the losses: fake kernels and autograd formulas on top of the C++ kernels.

Each loss is an opaque operator that returns its value and the gradients of its inputs::

    NAME(tensors..., scalars..., reduction, grad_mask) -> (loss, grad of each input)

"Input" means a differentiable one: a tensor ``x`` for which the schema returns ``grad_x``. Bit i
of ``grad_mask`` requests the gradient of input i. The backward formula multiplies the gradients by
that of the loss. If there are none (``reduction="none"``, or a mask without the bit),
``NAME_backward`` evaluates the loss again and returns the vector-Jacobian product.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

import projnce._library  # noqa: F401  loads the operators

REDUCTIONS = {"mean": 0, "sum": 1, "none": 2}
_NONE = REDUCTIONS["none"]
_NO_SECOND_DERIVATIVE = (
    "projnce losses have no second derivative; call backward or torch.autograd.grad without "
    "create_graph=True"
)

PART_NAMES: list[str] = torch.ops.projnce.part_names()


def _compute_dtype(tensor: Tensor) -> torch.dtype:
    """Half precision is computed in float32."""
    half = tensor.dtype in (torch.float16, torch.bfloat16)
    return torch.float32 if half else tensor.dtype


class LossOperator:
    """The operators of one loss.

    Args:
        name: name of the operator in ``torch.ops.projnce``.
    """

    def __init__(self, name: str) -> None:
        namespace = torch.ops.projnce
        self.name = name
        self.forward = getattr(namespace, name).default
        self.eager = getattr(namespace, name + "_eager").default
        self.backward = getattr(namespace, name + "_backward").default
        self.parts = getattr(namespace, name + "_parts").default
        self.options = getattr(namespace, name + "_options").default
        self.option_names = [argument.name for argument in self.options._schema.arguments]

        schema = self.forward._schema
        names = [argument.name for argument in schema.arguments]
        self._names = names
        self._num_tensors = sum("Tensor" in str(a.type) for a in schema.arguments)
        gradients = [r.name for r in schema.returns if r.name.startswith("grad_")]
        self._inputs = [names.index(name.removeprefix("grad_")) for name in gradients]
        self._register()

    def _register(self) -> None:
        register_fake, register_autograd = (
            torch.library.register_fake,
            torch.library.register_autograd,
        )
        register_fake(self.forward, self._fake_forward)
        register_fake(self.backward, self._fake_backward)
        register_fake(self.parts, self._fake_parts)
        for operator in (self.forward, self.parts):
            register_autograd(operator, self._differentiate, setup_context=self._setup_context)
        register_autograd(self.backward, _reject_derivative, setup_context=_save_nothing)

    # Fake kernels: shapes and types for tensors without values.

    def _check(self, arguments: tuple[Any, ...]) -> None:
        """Raises the errors of the C++ kernels that depend only on shapes, types and devices."""
        first = arguments[0]
        for name, tensor in zip(self._names, arguments[: self._num_tensors]):
            if tensor is not None and tensor.device != first.device:
                raise ValueError(
                    f"{self._names[0]} are on {first.device}, {name} on {tensor.device}; move them "
                    "to one device"
                )
        if first.dim() < 2 or not first.is_floating_point():
            raise ValueError(
                f"{self._names[0]} are {list(first.shape)} of type {first.dtype}, expected a "
                "floating-point tensor [rows, dim] or [samples, views, dim]"
            )

    def _fake_gradients(self, arguments: tuple[Any, ...], mask: int) -> tuple[Tensor, ...]:
        gradients = []
        for bit, index in enumerate(self._inputs):
            tensor = arguments[index]
            wanted = tensor is not None and mask >> bit & 1
            like = arguments[0] if tensor is None else tensor
            shape = like.shape if wanted else (0,)
            gradients.append(like.new_empty(shape, dtype=_compute_dtype(like)))
        return tuple(gradients)

    def _fake_forward(self, *arguments: Any) -> tuple[Tensor, ...]:
        self._check(arguments)
        first, (reduction, mask) = arguments[0], arguments[-2:]
        shape: tuple[int, ...] = ()
        if reduction == _NONE:
            rows = first.shape[0] if first.dim() == 2 else first.shape[0] * first.shape[1]
            shape, mask = (rows,), 0
        loss = first.new_empty(shape, dtype=_compute_dtype(first))
        return (loss, *self._fake_gradients(arguments, mask))

    def _fake_backward(self, grad_loss: Tensor, *arguments: Any) -> Any:
        self._check(arguments)
        gradients = self._fake_gradients(arguments, arguments[-1])
        return gradients if len(gradients) > 1 else gradients[0]

    def _fake_parts(self, *arguments: Any) -> tuple[Tensor, ...]:
        values = self._fake_forward(*arguments)
        parts = values[0].new_empty((len(PART_NAMES),))
        exists = parts.new_empty((len(PART_NAMES),), dtype=torch.bool)
        return (*values, parts, exists)

    # Calls and autograd formulas.

    def __call__(self, *arguments: Any) -> Tensor:
        """Computes the loss. The autograd formula of ``register_autograd`` adds about 0.2 ms to a call
        with this many arguments (torch 2.13 fills in defaults in quadratic time) and does not run
        under ``torch.func``, so eager mode uses the same formula in C++."""
        if torch.compiler.is_compiling():
            return self.forward(*arguments)[0]
        if _transforms_active():
            return _Functional.apply(self, *arguments)[0]
        return self.eager(*arguments)

    def _setup_context(
        self, ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...], first: int = 0
    ) -> None:
        """``first`` is the index of ``inputs[0]`` among the arguments that autograd sees."""
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)
        reduction, mask = inputs[-2:]
        bits = [bit for bit, i in enumerate(self._inputs) if ctx.needs_input_grad[first + i]]
        ctx.indices = [self._inputs[bit] for bit in bits]
        if reduction != _NONE and all(mask >> bit & 1 for bit in bits):
            ctx.scalars = None
            tensors = [inputs[index] for index in ctx.indices]
            ctx.save_for_backward(*tensors, *[output[1 + bit] for bit in bits])
        else:
            ctx.scalars = inputs[self._num_tensors : -1]
            ctx.save_for_backward(*inputs[: self._num_tensors])

    def _differentiate(self, ctx: Any, grad_loss: Optional[Tensor], *_: Any) -> tuple[Any, ...]:
        result: list[Optional[Tensor]] = [None] * len(self._names)
        if grad_loss is None:
            return tuple(result)
        saved = ctx.saved_tensors
        if ctx.scalars is None:
            count = len(ctx.indices)
            for index, tensor, gradient in zip(ctx.indices, saved[:count], saved[count:]):
                gradient = gradient * grad_loss
                if gradient.dtype != tensor.dtype:
                    gradient = gradient.to(tensor.dtype)
                if torch.is_grad_enabled():  # create_graph=True
                    gradient = _Once.apply(_copy, gradient, tensor)
                result[index] = gradient
            return tuple(result)
        mask = sum(1 << self._inputs.index(index) for index in ctx.indices)
        arguments = (grad_loss, *saved, *ctx.scalars, mask)
        if torch.is_grad_enabled():
            gradients = _Once.apply(self.backward, *arguments)
        else:
            gradients = self.backward(*arguments)
        if isinstance(gradients, Tensor):
            gradients = (gradients,)
        for index in ctx.indices:
            gradient = gradients[self._inputs.index(index)]
            result[index] = gradient.to(saved[index].dtype)
        return tuple(result)


def _copy(gradient: Tensor, tensor: Tensor) -> Tensor:
    """Returns a copy of ``gradient`` that depends on ``tensor`` in the graph."""
    return gradient.clone()


def _save_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    del ctx, inputs, output


def _reject_derivative(ctx: Any, *gradients: Any) -> Any:
    raise RuntimeError(_NO_SECOND_DERIVATIVE)


class _Once(torch.autograd.Function):
    """``function(*arguments)`` that raises if it is differentiated."""

    @staticmethod
    def forward(function: Any, *arguments: Any) -> Any:
        return function(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _reject_derivative(ctx, *gradients)


class _Functional(torch.autograd.Function):
    """A loss under the transforms of ``torch.func``, which the formulas of
    ``torch.library.register_autograd`` do not support."""

    @staticmethod
    def forward(operator: LossOperator, *arguments: Any) -> Any:
        return operator.forward(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.operator = inputs[0]
        ctx.operator._setup_context(ctx, inputs[1:], output, first=1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.operator._differentiate(ctx, *gradients))


_transforms_active = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)


def grad_mask(*inputs: Optional[Tensor]) -> int:
    """Returns a mask in which bit i is set if input i requires a gradient."""
    if not torch.is_grad_enabled():
        return 0
    mask = 0
    for bit, tensor in enumerate(inputs):
        if tensor is not None and tensor.requires_grad:
            mask |= 1 << bit
    return mask
