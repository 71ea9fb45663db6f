"""torch.compile for the peers; compilation and warm-up are not timed."""
import os
import tempfile
import time

WARM_UP_CALLS = 2

_cache = None


def use_empty_cache():
    """Uses an empty compiler cache, so that compile times do not depend on earlier runs. Must be called
    before torch is imported."""
    global _cache
    _cache = tempfile.TemporaryDirectory(prefix="projnce-bench-inductor-")
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = _cache.name


class Compiled:
    """A compiled function for inputs of one shape.

    `exercise` calls its argument the way it is measured later, including the backward pass: the first
    call compiles. `run` raises an error instead of recompiling, so no measurement contains a compilation.
    """

    def __init__(self, function, exercise):
        import torch
        from torch._dynamo.utils import counters
        counters.clear()
        self.function = torch.compile(function, dynamic=False)
        start = time.perf_counter()
        exercise(self.function)
        self.compile_seconds = time.perf_counter() - start
        self.graph_breaks = sum(counters["graph_break"].values())
        for _ in range(WARM_UP_CALLS):
            exercise(self.function)

    def run(self, work):
        import torch
        with torch.compiler.set_stance("fail_on_recompile"):
            return work()

    def facts(self):
        return {"compile_seconds": self.compile_seconds, "graph_breaks": self.graph_breaks}
