"""What all losses share."""
from typing import Any, ClassVar, Dict, Optional

import torch
from torch import Tensor

import projnce._library  # noqa: F401  the operators must be there


class ContrastiveLoss(torch.nn.Module):
    """A loss whose options are attributes, checked when it is made."""

    _operator: ClassVar[str]  # its name among torch.ops.projnce

    def __init__(self, options: Dict[str, Any]) -> None:
        super().__init__()
        check = getattr(torch.ops.projnce, self._operator + "_options")
        check(**{name: value for name, value in options.items() if value is not None})
        for name, value in options.items():
            setattr(self, name, value)
        self._option_names = list(options)

    def options(self) -> Dict[str, Any]:
        """All options of the loss with the values that hold, defaults included."""
        return getattr(torch.ops.projnce, self._operator + "_options")(**self._given_options())

    def parts(
        self, features: Tensor, labels: Optional[Tensor] = None, **more: Any
    ) -> Dict[str, Tensor]:
        """What the loss is made of, for logs: ``loss`` with its gradient, and without one
        ``alignment`` and ``uniformity`` (they sum up to it), ``valid_anchors``, ``R``, and
        ``mi_bound``, a lower bound on the information about the class in nats, where the loss has
        them. ``more`` are further arguments of the loss, by name."""
        check_tensors(features, labels)
        operator = getattr(torch.ops.projnce, self._operator + "_parts")
        more.update(self._extra_arguments())
        loss, parts = operator(features, labels, **more, **self._given_options())
        return {"loss": loss, **parts}

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self._option_names)

    def _given_options(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in self._option_names}

    def _extra_arguments(self) -> Dict[str, Any]:
        return {}


class RowLoss(ContrastiveLoss):
    """A loss over rows of embeddings; ``normalize`` brings them to unit length first."""

    normalize: bool

    def __init__(self, options: Dict[str, Any], normalize: bool) -> None:
        super().__init__(options)
        self.normalize = normalize

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, normalize={self.normalize}"

    def _extra_arguments(self) -> Dict[str, Any]:
        return {"normalize": self.normalize}


def check_tensors(
    features: Tensor,
    labels: Optional[Tensor],
    instances: Optional[Tensor] = None,
    candidates: Optional[Tensor] = None,
    candidate_labels: Optional[Tensor] = None,
    candidate_instances: Optional[Tensor] = None,
) -> None:
    """The arguments of a loss over rows."""
    check_tensor(features, "features")
    check_optional(labels, "labels")
    check_optional(instances, "instances")
    check_optional(candidates, "candidates")
    check_optional(candidate_labels, "candidate_labels")
    check_optional(candidate_instances, "candidate_instances")


def check_optional(value: Optional[Tensor], name: str) -> None:
    if value is not None:
        check_tensor(value, name)


def check_tensor(value: Tensor, name: str) -> None:
    """TorchScript knows the types already; for Python, a sentence instead of a schema."""
    if not torch.jit.is_scripting():
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name} must be a torch.Tensor, not {type(value).__name__}; "
                "torch.as_tensor makes one of numbers and arrays"
            )
