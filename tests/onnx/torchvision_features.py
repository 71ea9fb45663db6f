"""Loads exported weights into torchvision's resnet18 and prints its features as JSON.

  torchvision_features.py WEIGHTS IMAGES.f32 BATCHxCHANNELSxHEIGHTxWIDTH

The images are raw float32, already standardised. Needs torch, torchvision and numpy.
"""
import json
import sys

import numpy as np
import torch
import torchvision


def read_safetensors(path):
    """Every tensor of the file by name, and its metadata."""
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    metadata = header.pop("__metadata__")
    types = {"F32": np.float32, "I64": np.int64}
    tensors = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        values = np.frombuffer(data[begin + first:begin + end], dtype=types[entry["dtype"]])
        tensors[name] = torch.from_numpy(values.reshape(entry["shape"]).copy())
    return tensors, metadata


def main(weights, images, sides):
    tensors, metadata = read_safetensors(weights)
    model = torchvision.models.resnet18()
    model.fc = torch.nn.Identity()
    model.load_state_dict(tensors, strict=True)
    model.eval()
    batch = np.fromfile(images, dtype=np.float32).reshape([int(side) for side in sides.split("x")])
    with torch.no_grad():
        features = model(torch.from_numpy(batch))
    print(json.dumps({"features": features.flatten().tolist(), "metadata": metadata}))


if __name__ == "__main__":
    main(*sys.argv[1:])
