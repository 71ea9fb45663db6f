"""ResNet-18 in plain torch operations with torchvision's parameter names, to compare features with.

    reference_resnet.py --record    writes torchvision's features of made-up weights and images to
                                    tests/cli/torchvision_resnet18.json; needs torchvision

The recorded features show that this file computes what torchvision computes.
"""
import json
import math
import sys
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

RECORDED = Path(__file__).with_name("torchvision_resnet18.json")
WIDTHS = (64, 128, 256, 512)


def shapes():
    """Returns all parameters and buffers of the encoder by name, without `fc`."""
    def norm(name, width):
        parts = {f"{name}.{part}": [width] for part in ("weight", "bias", "running_mean", "running_var")}
        return {**parts, f"{name}.num_batches_tracked": []}

    found = {"conv1.weight": [64, 3, 7, 7], **norm("bn1", 64)}
    before = 64
    for stage, width in enumerate(WIDTHS, 1):
        for block in (0, 1):
            name = f"layer{stage}.{block}"
            found[f"{name}.conv1.weight"] = [width, before, 3, 3]
            found.update(norm(f"{name}.bn1", width))
            found[f"{name}.conv2.weight"] = [width, width, 3, 3]
            found.update(norm(f"{name}.bn2", width))
            if before != width:
                found[f"{name}.downsample.0.weight"] = [width, before, 1, 1]
                found.update(norm(f"{name}.downsample.1", width))
            before = width
    return found


def waves(shape, number):
    """Returns deterministic values in [-1, 1] that differ between tensors."""
    steps = numpy.arange(math.prod(shape), dtype=numpy.float64)
    return numpy.sin(0.7 * number + 1.61803398875 * steps + 1e-3 * steps ** 2).reshape(shape)


def made_up_weights():
    """Returns the same weights on every machine, with running statistics unlike those of a new network."""
    weights = {}
    for number, (name, shape) in enumerate(shapes().items()):
        values = waves(shape, number)
        if name.endswith("num_batches_tracked"):
            weights[name] = torch.tensor(3)
            continue
        if len(shape) == 4:
            values = values * math.sqrt(1 / math.prod(shape[1:]))
        elif name.endswith(("running_var", "weight")):
            values = 1.25 + 0.75 * values
        else:
            values = 0.1 * values
        weights[name] = torch.from_numpy(values).float()
    return weights


def made_up_images():
    return torch.from_numpy(waves([2, 3, 40, 40], 999)).float()


def features(weights, images):
    """[batch, 3, height, width] -> [batch, 512], with running statistics, without `fc`."""
    def norm(x, name):
        return F.batch_norm(x, *(weights[f"{name}.{part}"] for part in
                                 ("running_mean", "running_var", "weight", "bias")))

    def block(x, name, stride):
        y = F.conv2d(x, weights[f"{name}.conv1.weight"], stride=stride, padding=1)
        y = F.relu(norm(y, f"{name}.bn1"))
        y = norm(F.conv2d(y, weights[f"{name}.conv2.weight"], padding=1), f"{name}.bn2")
        if f"{name}.downsample.0.weight" in weights:
            x = norm(F.conv2d(x, weights[f"{name}.downsample.0.weight"], stride=stride),
                     f"{name}.downsample.1")
        return F.relu(x + y)

    with torch.no_grad():
        x = F.relu(norm(F.conv2d(images, weights["conv1.weight"], stride=2, padding=3), "bn1"))
        x = F.max_pool2d(x, 3, stride=2, padding=1)
        for stage in range(1, 5):
            x = block(x, f"layer{stage}.0", 1 if stage == 1 else 2)
            x = block(x, f"layer{stage}.1", 1)
        return x.mean((2, 3))


def record():
    import torchvision
    model = torchvision.models.resnet18()
    model.fc = torch.nn.Identity()
    model.load_state_dict(made_up_weights(), strict=True)
    with torch.no_grad():
        found = model.eval()(made_up_images())
    rows = [[round(value, 7) for value in row] for row in found.tolist()]
    RECORDED.write_text(json.dumps({"torchvision": torchvision.__version__, "torch": torch.__version__,
                                    "features": rows}) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--record"]:
        sys.exit("expected --record")
    record()
