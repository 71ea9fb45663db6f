"""Training and evaluation of SupContrast's network for projnce-training-bench; run by serve.py.

A training step uses its SupConResNet("resnet18"), its SupConLoss and SGD as in main_supcon.py, on images
in memory. Variants: NCHW, as from its loader, or channels-last; eager, or network and loss compiled with
torch.compile. Its code is unmodified and runs without CUDA.
"""
import ctypes
import sys
import time

from compiled import Compiled

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
CLASSES, SIDE = 10, 32


def disable_malloc_trim():
    """Disables returning memory to the system, as projnce does: new memory costs a page fault per 4 KiB."""
    libc = ctypes.CDLL(None)
    libc.mallopt(M_MMAP_MAX, 0)
    libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


def make_model(channels_last):
    import torch
    from networks.resnet_big import SupConResNet
    torch.manual_seed(1)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    return SupConResNet(name="resnet18").to(memory_format=layout), layout


def training_step(samples, channels_last, is_compiled):
    """Returns step() -> loss, and the compiled code or None."""
    import torch
    from losses import SupConLoss
    model, layout = make_model(channels_last)
    criterion = SupConLoss(temperature=0.07)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    views = [torch.randn(samples, 3, SIDE, SIDE) for _ in range(2)]
    labels = torch.randint(0, CLASSES, (samples,))
    model.train()

    def loss_of(images, labels):
        f1, f2 = torch.split(model(images), [samples, samples], dim=0)
        return criterion(torch.cat([f1.unsqueeze(1), f2.unsqueeze(1)], dim=1), labels)

    def step(loss_of):
        images = torch.cat(views, dim=0).contiguous(memory_format=layout)
        loss = loss_of(images, labels)
        value = loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return value

    if not is_compiled:
        return lambda: step(loss_of), None
    code = Compiled(loss_of, step)
    return lambda: step(code.function), code


def evaluation(images, channels_last, is_compiled):
    """Returns run(), a forward pass of the encoder without its head, and the compiled code or None."""
    import torch
    model, layout = make_model(channels_last)
    encoder = model.encoder.eval()
    batch = torch.randn(images, 3, SIDE, SIDE).contiguous(memory_format=layout)

    def forward(encode):
        with torch.no_grad():
            return float(encode(batch)[0, 0])

    if not is_compiled:
        return lambda: forward(encoder), None
    code = Compiled(encoder, forward)
    return lambda: forward(code.function), code


WORK = {"step": training_step, "evaluation": evaluation}


def supcontrast_steps(directory):
    if directory is None:
        raise FileNotFoundError("no --peers, expected a folder with a checkout of SupContrast")
    disable_malloc_trim()
    sys.path.insert(0, str(directory / "SupContrast"))
    import networks.resnet_big  # noqa: F401  fails early if it is missing
    made = {}  # by variant, for one kind of work and size

    def runner(request):
        import torch
        kind = request["work"], request["samples"]
        if kind not in made:
            made.clear()  # frees the memory of another size
            torch.compiler.reset()
            made[kind] = {}
        variant = request["channels_last"], request["compiled"]
        if variant not in made[kind]:
            made[kind][variant] = WORK[request["work"]](request["samples"], *variant)
        return made[kind][variant]

    def timed(work, settling_steps):
        cpu = time.process_time()
        for _ in range(settling_steps):
            work()
        start = time.perf_counter()
        value = work()
        return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
                "peak_bytes": 0, "value": value}

    def run(request):
        cpu = time.process_time()
        work, code = runner(request)
        made_cpu = time.process_time() - cpu  # compilation counts as CPU time of this process
        if code is None:
            response = timed(work, request["settling_steps"])
        else:
            response = code.run(lambda: timed(work, request["settling_steps"])) | code.facts()
        response["cpu_seconds"] += made_cpu
        return response
    return run
