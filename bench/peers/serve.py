#!/usr/bin/env python3
"""Runs the peers' own code for projnce-bench: one request per line on standard input, one response per line.

    serve.py DIRECTORY THREADS

DIRECTORY contains checkouts of SupContrast and mixed_KSG and may be empty; pytorch-metric-learning is the
installed package. A request is a JSON object with `peer` and `action` ("import" or "run"); a run names
its arrays (.npy files) and parameters. The response has seconds, cpu_seconds, peak_bytes and value, and if
applicable gradient_norm, compile_seconds and graph_breaks; or `error`. Peers whose name ends in
", compiled" use torch.compile; times never include compilation.
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

import compiled
from training import supcontrast_steps

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def peak_resident_bytes():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not report VmHWM")


def measured(work):
    """Measures time and memory of work(), which returns value and gradient (or None)."""
    ctypes.CDLL(None).malloc_trim(0)  # memory retained from earlier runs would hide the peak
    before = resident_bytes()
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
    cpu, start = time.process_time(), time.perf_counter()
    value, gradient = work()
    response = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
              "peak_bytes": max(0, peak_resident_bytes() - before), "value": float(value)}
    if gradient is not None:
        response["gradient_norm"] = float(gradient().double().norm())
    return response


@functools.lru_cache(maxsize=2)  # rows and labels of one case
def read_array(path):
    import numpy
    return numpy.load(path)


def module_from(directory, name, file):
    if directory is None:
        raise FileNotFoundError(f"no --peers, expected a folder with a checkout of {name}")
    path = directory / name / file
    spec = importlib.util.spec_from_file_location(f"peer_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.compile looks it up by its name
    spec.loader.exec_module(module)
    return module


class CompiledLosses:
    """The compiled losses of one number of rows, by name."""

    def __init__(self):
        self.rows, self.losses = 0, {}

    def get(self, name, rows, make_loss, step):
        import torch
        if rows != self.rows:
            torch.compiler.reset()  # drops code for other shapes
            self.rows, self.losses = rows, {}
        if name not in self.losses:
            self.losses[name] = compiled.Compiled(make_loss(), step)
        return self.losses[name]


COMPILED = CompiledLosses()


def loss_runner(name, make_loss, is_compiled):
    """Runs a loss, eager or compiled; `make_loss(temperature)` returns loss(rows, labels)."""
    import torch

    def run(request):
        rows = torch.from_numpy(read_array(request["x"])).requires_grad_(True)
        labels = torch.from_numpy(read_array(request["labels"]))

        def make():
            return make_loss(request["temperature"])

        def step(loss):
            rows.grad = None
            value = loss(rows, labels)
            value.backward()
            return value.detach(), lambda: rows.grad

        if not is_compiled:
            loss = make()
            return measured(lambda: step(loss))
        code = COMPILED.get(name, len(labels), make, step)
        return code.run(lambda: measured(lambda: step(code.function))) | code.facts()
    return run


def supcontrast(directory, is_compiled=False):
    """Takes unit rows as [samples, views, D]; normalized here, as in its models."""
    import torch
    peer = module_from(directory, "SupContrast", "losses.py")

    def make_loss(temperature):
        criterion = peer.SupConLoss(temperature=temperature, base_temperature=temperature)

        def loss(rows, labels):
            samples = len(labels) // 2
            unit = torch.nn.functional.normalize(rows, dim=1)
            views = torch.stack([unit[:samples], unit[samples:]], dim=1)
            return criterion(views, labels[:samples])
        return loss
    return loss_runner("SupContrast", make_loss, is_compiled)


def pytorch_metric_learning(_, is_compiled=False):
    """Normalizes rows itself."""
    from pytorch_metric_learning import losses

    def make_loss(temperature):
        criterion = losses.SupConLoss(temperature=temperature)
        return lambda rows, labels: criterion(rows, labels)
    return loss_runner("pytorch-metric-learning", make_loss, is_compiled)


def mixed_ksg(directory):
    """Loads Python 2 code: expands tabs to multiples of eight, so that Python 3 accepts it."""
    if directory is None:
        raise FileNotFoundError("no --peers, expected a folder with a checkout of mixed_KSG")
    path = directory / "mixed_KSG" / "mixed.py"
    module = types.ModuleType("peer_mixed_ksg")
    exec(compile(path.read_text().expandtabs(8), str(path), "exec"), module.__dict__)

    def run(request):
        x, y = (read_array(request[name]).astype("float64") for name in ("x", "labels"))
        return measured(lambda: (module.Mixed_KSG(x, y, request["k"]), None))
    return run


PEERS = {"SupContrast": supcontrast,
         "SupContrast, compiled": functools.partial(supcontrast, is_compiled=True),
         "pytorch-metric-learning": pytorch_metric_learning,
         "pytorch-metric-learning, compiled": functools.partial(pytorch_metric_learning,
                                                                is_compiled=True),
         "mixed_KSG": mixed_ksg, "SupContrast steps": supcontrast_steps}


def serve(directory, responses):
    runners = {}

    def respond(request):
        peer = request["peer"]
        if peer not in runners:
            runners[peer] = PEERS[peer](directory)
        return runners[peer](request) if request["action"] == "run" else {"ready": True}

    for line in sys.stdin:
        try:
            reply = respond(json.loads(line))
        except Exception as error:  # report any error of the peer
            reply = {"error": (f"{type(error).__name__}: {error}".splitlines() or ["unknown"])[0]}
        print(json.dumps(reply), file=responses, flush=True)


def main():
    # Output of peers must not mix with the responses.
    responses = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Read when torch and its BLAS are loaded.
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = sys.argv[2]
    compiled.use_empty_cache()
    serve(Path(sys.argv[1]) if sys.argv[1] else None, responses)


if __name__ == "__main__":
    main()
