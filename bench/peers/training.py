"""SupContrast's own training step, for projnce-training-bench; serve.py answers with it.

Its SupConResNet("resnet18"), its SupConLoss and SGD as main_supcon.py sets it up, on pictures that
stay in memory, NCHW as its loader gives them. Nothing of its code is changed; it is only never
asked for CUDA.
"""
import ctypes
import sys
import time

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
CLASSES, SIDE = 10, 32


def keep_freed_memory():
    """As projnce's programs do: fetched anew, memory costs a page fault for every 4 KiB."""
    libc = ctypes.CDLL(None)
    libc.mallopt(M_MMAP_MAX, 0)
    libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


def make_step(samples):
    import torch
    from losses import SupConLoss
    from networks.resnet_big import SupConResNet
    torch.manual_seed(1)
    model, criterion = SupConResNet(name="resnet18"), SupConLoss(temperature=0.07)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    views = [torch.randn(samples, 3, SIDE, SIDE) for _ in range(2)]
    labels = torch.randint(0, CLASSES, (samples,))
    model.train()

    def step():
        images = torch.cat(views, dim=0)
        features = model(images)
        f1, f2 = torch.split(features, [samples, samples], dim=0)
        features = torch.cat([f1.unsqueeze(1), f2.unsqueeze(1)], dim=1)
        loss = criterion(features, labels)
        value = loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return value
    return step


def supcontrast_training(directory):
    keep_freed_memory()
    sys.path.insert(0, str(directory / "SupContrast"))
    import networks.resnet_big  # noqa: F401  complains now where it is not there
    steps = {}

    def run(request):
        samples = request["samples"]
        if samples not in steps:
            steps.clear()  # the memory of another size
            steps[samples] = make_step(samples)
        cpu = time.process_time()
        for _ in range(request["settling_steps"]):
            steps[samples]()
        start = time.perf_counter()
        value = steps[samples]()
        return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
                "peak_bytes": 0, "value": value}
    return run
