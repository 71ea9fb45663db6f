"""torchvision's resnet18 beside ours; run by init_test.py under a Python that has it.

    make FILE               random weights, as a safetensors file
    features RUN E.npy      prints how far the run's embeddings are from torchvision's features
"""
import sys
from pathlib import Path

import numpy
import torch
import torchvision

from support import read_safetensors, stripes, write_safetensors

TYPES = {"F32": numpy.float32, "I64": numpy.int64}
MEAN, STD = (numpy.array(v, numpy.float32)[:, None, None]
             for v in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))


def make(path):
    torch.manual_seed(3)
    state = torchvision.models.resnet18().state_dict()
    for name, tensor in state.items():  # fresh statistics would not show whether they are taken
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 2)
    write_safetensors(Path(path), {
        name: ("F32" if tensor.is_floating_point() else "I64", tensor.shape, tensor.numpy().tobytes())
        for name, tensor in state.items()})


def pictures(size=16, per_class=20):
    """What make_folder() draws, standardised as for ImageNet."""
    grey = numpy.array([[[stripes(kind, number)(x, y) for x in range(size)] for y in range(size)]
                        for kind in ("lying", "upright") for number in range(per_class)], numpy.float32)
    return torch.from_numpy((grey[:, None] / 255 - MEAN) / STD)


def features(run, embeddings):
    model = torchvision.models.resnet18()
    model.fc = torch.nn.Identity()
    state = {name: torch.from_numpy(numpy.frombuffer(data, TYPES[kind]).reshape(shape).copy())
             for name, (kind, shape, data) in read_safetensors(run + "/encoder.safetensors").items()
             if name != "class_centroids" and not name.startswith("loss.")}
    model.load_state_dict(state)
    with torch.no_grad():
        expected = torch.nn.functional.normalize(model.eval()(pictures()))
    print(float((expected - torch.from_numpy(numpy.load(embeddings))).abs().max()))


if __name__ == "__main__":
    {"make": make, "features": features}[sys.argv[1]](*sys.argv[2:])
