"""Base classes of the losses."""

from __future__ import annotations

import difflib
import functools
import warnings
from typing import Any, Callable, ClassVar, Optional

import torch
from torch import Tensor

from projnce._operators import PART_NAMES, REDUCTIONS, LossOperator, grad_mask


# Arguments of version 0.1.0 and their present names.
RENAMED_ARGUMENTS = {
    "base_tau": "base_temperature",
    "denom": "denominator",
    "empty_pos": "empty_positives",
    "lam": "lambda_",
}
# Values of options in version 0.1.0 and their present names.
RENAMED_VALUES = {
    "preset": {"loo": "leave_one_out"},
    "r_centroid": {"loo_i": "leave_one_out", "loo_k": "leave_row_out"},
    "r_exclude": {"index": "self"},
}


def _present_value(option: str, value: Any) -> Any:
    """Replaces a deprecated value of an option."""
    present = RENAMED_VALUES.get(option, {}).get(value) if isinstance(value, str) else None
    if present is None:
        return value
    message = f"{option}={value!r} is deprecated, use {present!r}"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return present


def _accept_renamed(init: Callable[..., None]) -> Callable[..., None]:
    """Wraps ``init`` to accept deprecated argument names with a warning."""

    @functools.wraps(init)
    def accepting(self: Any, *arguments: Any, **named: Any) -> None:
        for former in RENAMED_ARGUMENTS.keys() & named.keys():
            present = RENAMED_ARGUMENTS[former]
            if present in named:
                raise TypeError(f"{former} and {present} are both given; {former} is deprecated")
            message = f"the argument {former} is deprecated, use {present}"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            named[present] = named.pop(former)
        init(self, *arguments, **named)

    return accepting


class Loss(torch.nn.Module):
    """Base class of all losses. Options are attributes; they are validated in the constructor and
    when an attribute is set, not in each call.

    Args:
        options: options of the loss by name; ``None`` is the default.
        settings: options that all losses of a kind share: ``reduction``, ``normalize``.

    Raises:
        ValueError: if an option is unknown or out of range.
    """

    _operator: ClassVar[LossOperator]
    _fixed: ClassVar[tuple[str, ...]] = ()  # options that shape the parameters
    _given: dict[str, Any]
    _settings: dict[str, Any]
    _scalars: tuple[Any, ...]  # the last arguments of the operator but one
    reduction: str

    def __init_subclass__(cls, operator: Optional[str] = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__init__" in cls.__dict__:
            setattr(cls, "__init__", _accept_renamed(cls.__init__))
        if operator is not None:
            cls._operator = LossOperator(operator)

    def __init__(self, options: dict[str, Any], **settings: Any) -> None:
        super().__init__()
        self._configure(options, settings)

    def __setattr__(self, name: str, value: Any) -> None:
        given, settings = self.__dict__.get("_given", {}), self.__dict__.get("_settings", {})
        if name in self._fixed and name in given:
            raise AttributeError(f"{name} cannot be changed: the shapes of the parameters depend on it")
        if name in given:
            self._configure({**given, name: value}, settings)
        elif name in settings:
            self._configure(given, {**settings, name: value})
        else:
            super().__setattr__(name, value)

    def options(self) -> dict[str, Any]:
        """Returns all options of the loss and their values, including defaults."""
        return {name: getattr(self, name) for name in self._operator.option_names}

    def parts(
        self, features: Tensor, labels: Optional[Tensor] = None, **more: Any
    ) -> dict[str, Tensor]:
        """Computes the loss and its terms, for logging.

        Args:
            features: as in ``forward``.
            labels: as in ``forward``.
            more: further arguments of ``forward``, by name.

        Returns:
            ``loss``, with gradient, and without gradient the terms that the loss has, as means over
            the anchors: ``alignment`` and ``uniformity``, whose sum is the loss, ``valid_anchors``
            and ``R``. None of them is a bound on the mutual information with the class; see
            :func:`projnce.mi_bounds`.

        Raises:
            TypeError: if an argument is not a tensor.
            ValueError: if shapes, types or devices do not match.
        """
        arguments = self._arguments(features, labels, **more)
        mean = (*arguments[:-2], REDUCTIONS["mean"], arguments[-1])
        loss, *_, values, exists = self._operator.parts(*mean)
        if self.reduction != "mean":
            loss = self._operator(*arguments)
        found = zip(PART_NAMES, values.unbind(), exists.tolist())
        return {"loss": loss, **{name: value for name, value, there in found if there}}

    def extra_repr(self) -> str:
        return ", ".join(
            f"{name}={value!r}" for name, value in {**self._given, **self._settings}.items()
        )

    def _arguments(self, *given: Any, **more: Any) -> tuple[Any, ...]:
        """The arguments of the operator, from those of ``forward``."""
        raise NotImplementedError

    def _evaluate(self, *given: Any) -> Tensor:
        return self._operator(*self._arguments(*given))

    def _configure(self, given: dict[str, Any], settings: dict[str, Any]) -> None:
        """Sets options and settings if all are valid."""
        names = self._operator.option_names
        given = {name: _present_value(name, value) for name, value in given.items()}
        known = {name: value for name, value in given.items() if value is not None}
        completed = self._operator.options(**known) or ()
        *leading, reduction = settings.values()
        scalars = (*leading, *completed[len(names) :], _reduction_code(reduction))
        self.__dict__.update(zip(names, completed))
        self.__dict__.update(settings, _given=given, _settings=settings, _scalars=scalars)


class ContrastiveLoss(Loss):
    """Base class of the losses that compare embeddings with each other or with class vectors.

    Args:
        options: options of the loss by name; ``None`` is the default.
        settings: ``reduction`` and, for losses of embeddings, ``normalize``.

    Raises:
        ValueError: if an option is unknown or out of range.
    """


class RowLossBase(ContrastiveLoss):
    """Base class of losses of embeddings and labels. ``normalize`` L2-normalizes the embeddings first."""

    normalize: bool

    def __init__(self, options: dict[str, Any], normalize: bool, reduction: str) -> None:
        super().__init__(options, normalize=bool(normalize), reduction=reduction)

    def _row_arguments(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
        *more: Optional[Tensor],
    ) -> tuple[Any, ...]:
        check_tensor(features, "features")
        if labels is not None:
            check_tensor(labels, "labels")
        if instances is not None:
            check_tensor(instances, "instances")
        if candidates is not None:
            check_tensor(candidates, "candidates")
        if candidate_labels is not None:
            check_tensor(candidate_labels, "candidate_labels")
        if candidate_instances is not None:
            check_tensor(candidate_instances, "candidate_instances")
        more += self._own_inputs()
        return (
            features,
            labels,
            instances,
            candidates,
            candidate_labels,
            candidate_instances,
            *more,
            anchor_offset,
            *self._scalars,
            grad_mask(features, candidates, *more),
        )

    def _own_inputs(self) -> tuple[Tensor, ...]:
        """Inputs of the operator that belong to the loss itself: its class vectors."""
        return ()


class RowLoss(RowLossBase):
    """A loss of embeddings, labels and instances."""

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Computes the loss.

        Args:
            features: ``[N, D]``, or ``[B, V, D]`` for V views of B samples.
            labels: ``[N]`` integers, or ``[B]`` for views.
            instances: ``[N]`` integers, equal for views of one sample; not needed for
                ``[B, V, D]``.
            candidates: rows to compare the features with, such as the gathered rows of all processes;
                default: the features. They have the layout of ``features`` and contain them from
                row ``anchor_offset`` on.
            candidate_labels: labels of the candidates.
            candidate_instances: instances of the candidates.
            anchor_offset: index of the first row of ``features`` among the candidates.

        Returns:
            A scalar, or ``[N]`` with ``reduction="none"`` (``[B * V]`` for views); float32 for
            half-precision features.

        Raises:
            TypeError: if an argument is not a tensor.
            ValueError: if shapes, types or devices do not match, or a required argument is missing.
        """
        return self._evaluate(
            features,
            labels,
            instances,
            candidates,
            candidate_labels,
            candidate_instances,
            anchor_offset,
        )

    _arguments = RowLossBase._row_arguments


def check_tensor(value: Any, name: str) -> None:
    """Raises a clearer error than the operator's schema would."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, not {type(value).__name__}; "
            "convert numbers and arrays with torch.as_tensor"
        )


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> None:
    if value in choices:
        return
    nearest = difflib.get_close_matches(str(value), choices, 1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise ValueError(f"{name} = {value!r} is not one of {', '.join(map(repr, choices))}{hint}")


def _reduction_code(reduction: str) -> int:
    check_choice(reduction, "reduction", tuple(REDUCTIONS))
    return REDUCTIONS[reduction]
