#!/usr/bin/env python3
"""Writes tests/golden/projnce_perp_instance.json: projnce-perp with leave_one_out = "instance".

The formula of projnce/loss/projnce_perp.h in NumPy, by loops over anchors and classes. Gradients are complex-step
derivatives, exact to rounding: the loss is an analytic function of the rows wherever it is differentiable.
"""
import json
from pathlib import Path

import numpy as np

STEP = 1e-30
DIGITS = 6  # of inputs
TOLERANCE = {"f64_rel": 1e-9, "f64_abs": 1e-12, "f32_rel": 2e-4, "f32_abs": 1e-5}


def nadaraya_watson(z, labels, classes, bandwidth):
    """Soft labels by the Epanechnikov kernel and the cosine distance, the row itself included."""
    unit = z / np.sqrt((z * z).sum(1, keepdims=True))
    distance = (0.5 - 0.5 * unit @ unit.T) / bandwidth
    kernel = np.where(distance.real < 1, 1 - distance**2, 0)
    np.fill_diagonal(kernel, 1)
    one_hot = np.eye(classes)[labels]
    return (kernel @ one_hot) / kernel.sum(1, keepdims=True)


def soft_labels(case, z):
    params, inputs = case["params"], case["inputs"]
    labels, classes = np.array(inputs["labels"]), params["num_classes"]
    if params["soft_source"] == "hard":
        return np.eye(classes)[labels]
    if params["soft_source"] == "given":
        return np.array(inputs["soft_labels"])
    rows = z.real if params["detach_q"] else z
    return nadaraya_watson(rows, labels, classes, params["bandwidth"])


def class_vectors(z, q, others, normalize):
    """{class: vector} of the classes with soft labels among the rows `others`."""
    vectors = {}
    for c in range(q.shape[1]):
        if not (q[others, c].real > 0).any():
            continue
        vector = q[others, c] @ z[others]
        if normalize:
            length = np.sqrt((vector * vector).sum())
            vectors[c] = vector / length if abs(length) > 1e-12 else 0 * vector
        else:
            vectors[c] = vector / q[others, c].sum()
    return vectors


def prior(case, q, others, c):
    source = case["params"]["priors"]
    if source == "batch":
        return q[others, c].sum() / len(others)
    if source == "uniform":
        return 1.0
    return case["inputs"]["class_priors"][c]


def anchor_loss(case, z, q, vectors_from, i):
    """``vectors_from``: the rows that class vectors are made of; constants for detach_g."""
    params, inputs = case["params"], case["inputs"]
    labels = np.array(inputs["labels"])
    instance = np.array(inputs.get("instance", np.arange(len(labels))))
    others = np.flatnonzero(instance != instance[i])
    vectors = class_vectors(vectors_from, q, others, params["normalize_g"]) if len(others) else {}
    if labels[i] not in vectors:
        return 0.0
    scores = {c: z[i] @ vector / params["tau"] for c, vector in vectors.items()}
    weights = {c: prior(case, q, others, c) for c in vectors}
    largest = max(score.real for score in scores.values())
    total = sum(weights[c] * np.exp(scores[c] - largest) for c in vectors) / sum(weights.values())
    return -scores[labels[i]] + largest + np.log(total)


def loss_of(case, z):
    detach = case["params"]["detach_g"]
    q = soft_labels(case, z)
    q = q.real if detach else q
    vectors_from = z.real if detach else z
    return sum(anchor_loss(case, z, q, vectors_from, i) for i in range(len(z))) / len(z)


def expected_of(case):
    z = np.array(case["inputs"]["z"], dtype=complex)
    gradient = np.zeros(z.shape)
    for index in np.ndindex(*z.shape):
        moved = z.copy()
        moved[index] += 1j * STEP
        gradient[index] = np.imag(loss_of(case, moved)) / STEP
    return {"loss": float(np.real(loss_of(case, z))), "grad_z": gradient.tolist()}


def make_case(name, seed, rows, classes, dim, **params):
    """Two views of rows / 2 samples, unless ``views`` is 1; labels of samples are drawn."""
    views = params.pop("views", 2)
    labels = params.pop("labels", None)
    random = np.random.default_rng(seed)
    z = random.normal(size=(rows, dim))
    z = np.round(z / np.linalg.norm(z, axis=1, keepdims=True), DIGITS)
    samples = rows // views
    of_samples = random.integers(classes, size=samples) if labels is None else np.array(labels)
    inputs = {"z": z.tolist(), "labels": np.tile(of_samples, views).tolist()}
    if views > 1:
        inputs["instance"] = np.tile(np.arange(samples) * 3 + 5, views).tolist()
    if params.get("soft_source") == "given":
        q = np.round(random.uniform(size=(rows, classes)) ** 3, DIGITS)
        q[:, random.integers(classes)] = 0  # a class without soft labels
        inputs["soft_labels"] = q.tolist()
    if params.get("priors") == "training":
        pi = random.uniform(0.2, 1, size=classes)
        inputs["class_priors"] = (pi / pi.sum()).tolist()
    base = {"tau": 0.2, "num_classes": classes, "soft_source": "hard", "leave_one_out": "instance",
            "priors": "batch", "normalize_g": False, "detach_g": False}
    return {"id": name, "params": {**base, **params}, "inputs": inputs}


def all_cases():
    nw = {"soft_source": "nw", "metric": "cosine", "bandwidth": 0.7}
    return [
        make_case("hard-batch", 1, 16, 3, 5),
        make_case("hard-uniform", 2, 16, 3, 5, priors="uniform", tau=0.07),
        make_case("hard-training", 3, 16, 4, 5, priors="training"),
        make_case("hard-one-view", 4, 9, 3, 4, views=1),
        make_case("hard-many-classes", 5, 20, 12, 6, priors="training"),
        make_case("hard-four-views", 6, 24, 3, 4, views=4, priors="uniform"),
        make_case("hard-unit", 7, 16, 3, 5, normalize_g=True),
        make_case("hard-unit-training", 8, 16, 4, 5, normalize_g=True, priors="training"),
        make_case("hard-detached", 9, 16, 3, 5, detach_g=True),
        make_case("hard-one-class", 10, 8, 3, 4, labels=[1, 1, 1, 1]),
        make_case("hard-each-class-once", 11, 4, 4, 3, views=1, labels=[2, 0, 3, 1]),
        make_case("hard-one-row", 12, 1, 3, 4, views=1, labels=[2]),
        make_case("given-batch", 13, 14, 4, 5, soft_source="given"),
        make_case("given-uniform", 14, 14, 4, 5, soft_source="given", priors="uniform"),
        make_case("given-training", 15, 14, 4, 5, soft_source="given", priors="training", tau=0.07),
        make_case("given-unit", 16, 14, 4, 5, soft_source="given", normalize_g=True),
        make_case("nw-batch", 17, 12, 3, 5, **nw, detach_q=True),
        make_case("nw-through-q", 18, 12, 3, 5, **nw, detach_q=False, priors="uniform"),
        make_case("nw-unit-detached", 19, 12, 3, 5, **nw, detach_q=True, normalize_g=True, detach_g=True),
    ]


def main():
    cases = [{**case, "tol": TOLERANCE, "expected": expected_of(case)} for case in all_cases()]
    path = Path(__file__).with_name("projnce_perp_instance.json")
    text = json.dumps({"format": 1, "loss": "projnce_perp", "cases": cases}, separators=(",", ":"))
    path.write_text(text.replace('{"id"', '\n{"id"') + "\n")


if __name__ == "__main__":
    main()
