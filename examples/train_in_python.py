#!/usr/bin/env python3
"""A contrastive training loop, as in SupContrast, with a loss of projnce.

    PYTHONPATH=python script/python examples/train_in_python.py --loss projnce

Trains a small network on Fashion-MNIST (Debian's package dataset-fashion-mnist) and prints the
accuracy of the nearest class centroid on the test images.
"""
import argparse
import gzip
import time
from pathlib import Path

import numpy as np
import projnce
import torch
from torch import nn
from torch.nn.functional import normalize, pad

LOSSES = {
    "supcon": projnce.SupConLoss,
    "projnce": projnce.ProjNCELoss,
    "projnce-perp": projnce.ProjNCEPerpLoss,
    "projnce-med": projnce.ProjNCEMedLoss,
    "projnce-mlp": lambda temperature: projnce.ProjNCEMLPLoss(10, 64, temperature),
    "rince": projnce.RINCELoss,
    "symnce": projnce.SymNCELoss,
}


def read_split(folder, split, count):
    """Returns images [N, 1, 28, 28] in 0..1, and labels [N]."""
    def numbers(kind, skip):
        data = gzip.open(folder / f"{split}-{kind}-ubyte.gz").read()
        return torch.from_numpy(np.frombuffer(data, np.uint8, offset=skip).copy())

    images = numbers("images-idx3", 16).reshape(-1, 1, 28, 28)[:count].float() / 255
    return images, numbers("labels-idx1", 8)[:count].long()


def make_encoder():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, stride=2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1, stride=2), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1, stride=2), nn.BatchNorm2d(64), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(256, 64),
    )


def random_view(images):
    """Random shift by up to 3 pixels, horizontal flip, and brightness change."""
    down, right = torch.randint(0, 7, (2,)).tolist()
    view = pad(images, (3, 3, 3, 3))[:, :, down : down + 28, right : right + 28]
    mirrored = torch.rand(len(view), 1, 1, 1) < 0.5
    return torch.where(mirrored, view.flip(3), view) * (0.8 + 0.4 * torch.rand(len(view), 1, 1, 1))


def train(criterion, images, labels, epochs, batch_size=256, seed=0):
    torch.manual_seed(seed)
    encoder = make_encoder()
    parameters = [*encoder.parameters(), *criterion.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=3e-3, weight_decay=1e-4)
    for epoch in range(epochs):
        for rows in torch.randperm(len(labels)).split(batch_size):
            views = torch.cat([random_view(images[rows]), random_view(images[rows])])
            first, second = normalize(encoder(views)).split(len(rows))
            features = torch.stack([first, second], dim=1)  # [batch, views, dim]
            loss = criterion(features, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}", flush=True)
    return encoder


@torch.no_grad()
def accuracy(encoder, reference, reference_labels, test, test_labels):
    encoder.eval()
    reference, test = normalize(encoder(reference)), normalize(encoder(test))
    centroids = torch.stack([reference[reference_labels == c].mean(0) for c in range(10)])
    return ((test @ normalize(centroids).t()).argmax(1) == test_labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--loss", choices=LOSSES, default="projnce")
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)  # Debian's torch defaults to one thread
    images, labels = read_split(arguments.data, "train", arguments.samples)
    started = time.perf_counter()
    encoder = train(LOSSES[arguments.loss](temperature=arguments.temperature), images, labels, arguments.epochs)
    result = accuracy(encoder, images, labels, *read_split(arguments.data, "t10k", 10000))
    print(f"{arguments.loss}: {100 * result:.2f} % accuracy after {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
