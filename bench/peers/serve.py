#!/usr/bin/env python3
"""Runs the peers' own code for projnce-bench: a request a line on standard input, an answer a line.

    serve.py DIRECTORY THREADS

DIRECTORY holds the peers' checkouts: SupContrast, pytorch-metric-learning, mixed_KSG. A request is
a JSON object with `peer` and `action` ("import" or "run"); a run names its arrays (.npy files) and
parameters. The answer has seconds, cpu_seconds, peak_bytes, value and, where there is one,
gradient_norm; or `error`.
"""
import ctypes
import functools
import importlib.util
import json
import os
import sys
import time
import types
from pathlib import Path

from training import supcontrast_training

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def peak_resident_bytes():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not tell VmHWM")


def measured(work):
    """Time and memory of work(), which returns value and gradient (or None)."""
    ctypes.CDLL(None).malloc_trim(0)  # what earlier runs left would hide what this one needs
    before = resident_bytes()
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from here
    cpu, start = time.process_time(), time.perf_counter()
    value, gradient = work()
    answer = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
              "peak_bytes": max(0, peak_resident_bytes() - before), "value": float(value)}
    if gradient is not None:
        answer["gradient_norm"] = float(gradient().double().norm())
    return answer


@functools.lru_cache(maxsize=2)  # of one case: rows and labels
def read_array(path):
    import numpy
    return numpy.load(path)


def rows_and_labels(request):
    import torch
    rows = torch.from_numpy(read_array(request["x"])).requires_grad_(True)
    rows.grad = None
    return rows, torch.from_numpy(read_array(request["labels"]))


def module_from(path):
    spec = importlib.util.spec_from_file_location(f"peer_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def supcontrast(directory):
    """Takes unit rows as [samples, views, D]; normalised here as its models do."""
    import torch
    peer = module_from(directory / "SupContrast" / "losses.py")

    def run(request):
        rows, labels = rows_and_labels(request)
        temperature, samples = request["temperature"], len(labels) // 2
        criterion = peer.SupConLoss(temperature=temperature, base_temperature=temperature)

        def work():
            unit = torch.nn.functional.normalize(rows, dim=1)
            views = torch.stack([unit[:samples], unit[samples:]], dim=1)
            loss = criterion(views, labels[:samples])
            loss.backward()
            return loss, lambda: rows.grad
        return measured(work)
    return run


def pytorch_metric_learning(directory):
    """Normalises rows itself."""
    sys.path.insert(0, str(directory / "pytorch-metric-learning" / "src"))
    from pytorch_metric_learning import losses

    def run(request):
        rows, labels = rows_and_labels(request)
        criterion = losses.SupConLoss(temperature=request["temperature"])

        def work():
            loss = criterion(rows, labels)
            loss.backward()
            return loss, lambda: rows.grad
        return measured(work)
    return run


def mixed_ksg(directory):
    """Python 2, where a tab goes to the next multiple of eight; spaces say the same to Python 3."""
    path = directory / "mixed_KSG" / "mixed.py"
    module = types.ModuleType("peer_mixed_ksg")
    exec(compile(path.read_text().expandtabs(8), str(path), "exec"), module.__dict__)

    def run(request):
        x, y = (read_array(request[name]).astype("float64") for name in ("x", "labels"))
        return measured(lambda: (module.Mixed_KSG(x, y, request["k"]), None))
    return run


PEERS = {"SupContrast": supcontrast, "pytorch-metric-learning": pytorch_metric_learning,
         "mixed_KSG": mixed_ksg, "SupContrast training": supcontrast_training}


def serve(directory, answers):
    runners = {}

    def answer(request):
        peer = request["peer"]
        if peer not in runners:
            runners[peer] = PEERS[peer](directory)
        return runners[peer](request) if request["action"] == "run" else {"ready": True}

    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:  # whatever the peer's code throws is the answer
            reply = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(reply), file=answers, flush=True)


def main():
    # What peers print must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Read once, when torch and its BLAS are loaded.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[2]
    serve(Path(sys.argv[1]), answers)


if __name__ == "__main__":
    main()
