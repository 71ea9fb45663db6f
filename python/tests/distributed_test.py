"""Losses in DistributedDataParallel: two processes compute the gradients of one."""

import inspect
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

import cases
from cases import SAMPLES

RANKS, SAMPLES_OF_RANK, VIEWS = 2, 4, 2


def accepts_candidates(loss):
    """contrast_mode = "one" takes views from the shape of the features, so it has no candidates."""
    parameters = inspect.signature(loss.forward).parameters
    return "candidates" in parameters and getattr(loss, "contrast_mode", "all") == "all"


GATHERING = [name for name, sample in SAMPLES.items() if accepts_candidates(sample.loss())]


class RowLoss(torch.nn.Module):
    """A loss over rows and the instance that each is a view of."""

    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def forward(self, rows, labels, instances):
        return self.evaluate(rows, labels, instances=instances)

    def evaluate(self, rows, labels, **more):
        accepted = inspect.signature(self.loss.forward).parameters
        return self.loss(rows, labels, **{k: v for k, v in more.items() if k in accepted})


class GatheringLoss(RowLoss):
    """The same over the rows of all processes, as in docs/python.md."""

    def forward(self, rows, labels, instances):
        gathered = [torch.distributed.nn.functional.all_gather(x) for x in (rows, labels, instances)]
        return self.evaluate(
            rows,
            labels,
            instances=instances,
            candidates=torch.cat(gathered[0]),
            candidate_labels=torch.cat(gathered[1]),
            candidate_instances=torch.cat(gathered[2]),
            anchor_offset=torch.distributed.get_rank() * len(rows),
        )


def whole_batch(name):
    return SAMPLES[name].arguments(RANKS * SAMPLES_OF_RANK, requires_grad=False)


def flat_batch(name):
    """Views as rows of their own, with the instance that each belongs to."""
    features, labels = whole_batch(name)
    instances = torch.arange(len(labels)).repeat_interleave(VIEWS)
    return features.flatten(0, 1), labels.repeat_interleave(VIEWS), instances


def part(tensors, rank):
    return [x.chunk(RANKS)[rank] for x in tensors]


def make_model(name, wrap=lambda loss: loss):
    torch.manual_seed(4)
    model = cases.Model(wrap(SAMPLES[name].loss()), whole_batch(name)[0].shape[-1])
    torch.nn.init.normal_(model.layer.weight)
    return model.double()


def gradients(model):
    return [parameter.grad.tolist() for parameter in model.parameters()]


def run_rank(rank, folder):
    """Writes the gradients that DistributedDataParallel leaves in this process."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=RANKS
    )
    found = {"local": {}, "gathered": {}}
    for kind, names, batch, wrap in (
        ("local", SAMPLES, whole_batch, lambda loss: loss),
        ("gathered", GATHERING, flat_batch, GatheringLoss),
    ):
        for name in names:
            model = torch.nn.parallel.DistributedDataParallel(make_model(name, wrap))
            model(*part(batch(name), rank)).backward()
            found[kind][name] = gradients(model)
    torch.distributed.destroy_process_group()
    Path(folder, f"{rank}.json").write_text(json.dumps(found))


@unittest.skipUnless(
    torch.distributed.is_available() and torch.distributed.is_gloo_available(),
    "this torch was built without gloo",
)
class DataParallelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            ranks = [
                subprocess.Popen(
                    [sys.executable, __file__, "--rank", str(rank), folder],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                for rank in range(RANKS)
            ]
            outputs = [rank.communicate(timeout=300)[0] for rank in ranks]
            assert not any(rank.returncode for rank in ranks), "\n".join(outputs)
            cls.found = [json.loads(Path(folder, f"{r}.json").read_text()) for r in range(RANKS)]

    def compare(self, kind, name, model):
        expected = [torch.tensor(x) for x in gradients(model)]
        self.assertGreater(float(expected[0].abs().max()), 1e-3)
        for rank in self.found:
            found = [torch.tensor(x) for x in rank[kind][name]]
            torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)

    def test_a_loss_over_the_rows_of_each_process(self):
        for name in SAMPLES:
            with self.subTest(loss=name):
                model, batch = make_model(name), whole_batch(name)
                (sum(model(*part(batch, rank)) for rank in range(RANKS)) / RANKS).backward()
                self.compare("local", name, model)

    def test_a_loss_over_gathered_rows_is_that_of_the_whole_batch(self):
        self.assertGreater(len(GATHERING), 8)
        for name in GATHERING:
            with self.subTest(loss=name):
                model = make_model(name, RowLoss)
                model(*flat_batch(name)).backward()
                self.compare("gathered", name, model)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        run_rank(int(sys.argv[2]), sys.argv[3])
    else:
        unittest.main()
