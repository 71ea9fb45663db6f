"""Training of a linear projection head on fixed features."""
from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import torch

from projnce.losses.class_vectors import ProjNCEMLPLoss

_MIN_STEPS = 200
_MAX_STEPS = 2000
_EPOCHS = 20


class Head(NamedTuple):
    """A trained head: ``normalize(features @ weight.T + bias)``, and unit class vectors."""

    weight: np.ndarray
    """[dim, features] float64."""
    bias: np.ndarray
    """[dim] float64."""
    class_vectors: np.ndarray
    """[classes, dim] float64."""


def count_steps(rows: int, batch_size: int, epochs: Optional[int]) -> int:
    in_epoch = max(rows // batch_size, 1)
    if epochs is not None:
        return epochs * in_epoch
    return min(max(_EPOCHS * in_epoch, _MIN_STEPS), _MAX_STEPS)


def train_head(
    features: np.ndarray,
    labels: np.ndarray,
    num_classes: int,
    *,
    dim: int,
    temperature: float,
    epochs: Optional[int],
    batch_size: int,
    learning_rate: float,
    seed: int,
) -> Head:
    """Trains with ProjNCE with learned class vectors, AdamW and a cosine schedule."""
    mean = features.mean(axis=0)
    scale = max(float(np.sqrt(np.mean((features - mean) ** 2))), 1e-12)
    rows = torch.from_numpy(((features - mean) / scale).astype(np.float32))
    numbers = torch.from_numpy(labels.astype(np.int64))
    steps = count_steps(len(rows), batch_size, epochs)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        linear = torch.nn.Linear(rows.shape[1], dim)
        loss = ProjNCEMLPLoss(num_classes=num_classes, embedding_dim=dim, temperature=temperature)
        parameters = [*linear.parameters(), *loss.parameters()]
        optimizer = torch.optim.AdamW(parameters, lr=learning_rate)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        order = torch.empty(0, dtype=torch.long)
        for _ in range(steps):
            if len(order) < min(batch_size, len(rows)):
                order = torch.randperm(len(rows))
            batch, order = order[:batch_size], order[batch_size:]
            embeddings = torch.nn.functional.normalize(linear(rows[batch]), dim=1)
            optimizer.zero_grad()
            loss(embeddings, numbers[batch]).backward()
            optimizer.step()
            schedule.step()
        weight = linear.weight.detach().double().numpy() / scale
        bias = linear.bias.detach().double().numpy() - weight @ mean
        vectors = loss.class_vectors().detach().double().numpy()
    return Head(weight, bias, unit_rows(vectors))


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
