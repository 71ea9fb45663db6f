"""Every loss matches its golden values."""
import unittest

import torch

import cases
import projnce

PRECISIONS = {torch.float64: (1e-9, 1e-12), torch.float32: (2e-4, 1e-5)}
IGNORED = {"num_classes"}
# Names of the reference files and those of the package.
RENAMED = {
    "tau": "temperature",
    "base_tau": "base_temperature",
    "denom": "denominator",
    "empty_pos": "empty_positives",
    "lam": "lambda_",
}
VALUES = {
    "index": "self",
    "loo": "leave_one_out",
    "loo_i": "leave_one_out",
    "loo_k": "leave_row_out",
}


def options_of(case):
    return {
        RENAMED.get(name, name): VALUES.get(value, value) if isinstance(value, str) else value
        for name, value in case["params"].items()
        if name not in IGNORED and value is not None
    }


class GoldenTest(unittest.TestCase):
    def compare(self, name, found, expected, dtype):
        expected = torch.tensor(
            [float("nan") if v is None else v for v in torch_flat(expected)], dtype=torch.float64
        )
        known = expected.isfinite()
        if not known.any():
            return
        relative, absolute = PRECISIONS[dtype]
        bound = absolute + relative * float(expected[known].abs().max())
        difference = (found.detach().double().flatten()[known] - expected[known]).abs().max()
        self.assertLessEqual(float(difference), bound, name)

    def run_cases(self, kind, make, inputs):
        """`inputs` names the differentiable inputs; `make` gives (call, tensors in that order)."""
        for case in cases.golden(kind):
            for dtype in PRECISIONS:
                if case.get("f64_only") and dtype != torch.float64:
                    continue
                with self.subTest(case=case["id"], dtype=dtype):
                    tensors = {
                        name: torch.tensor(case["inputs"][name], dtype=dtype).requires_grad_()
                        for name in inputs
                        if name in case["inputs"]
                    }
                    loss = make(case, tensors, dtype)
                    expected = case["expected"]
                    self.compare("loss", loss, expected["loss"], dtype)
                    if loss.requires_grad:
                        loss.backward()
                    for name, tensor in tensors.items():
                        if expected.get(f"grad_{name}") is None:
                            continue
                        grad = tensor.grad if tensor.grad is not None else torch.zeros_like(tensor)
                        self.compare(f"grad_{name}", grad, expected[f"grad_{name}"], dtype)

    def run_rows(self, kind, loss):
        def make(case, tensors, dtype):
            labels, instances = integers(case, "labels"), integers(case, "instance")
            return loss(**options_of(case))(tensors["z"], labels, instances)

        self.run_cases(kind, make, ["z"])

    def test_supcon(self):
        self.run_rows("supcon", projnce.SupConLoss)

    def test_simclr(self):
        self.run_rows("ntxent", projnce.SimCLRLoss)

    def test_rince(self):
        self.run_rows("rince", projnce.RINCELoss)

    def test_symnce(self):
        self.run_rows("symnce", projnce.SymNCELoss)

    def test_projnce(self):
        self.run_rows("projnce", projnce.ProjNCELoss)

    def test_projnce_med(self):
        self.run_rows("projnce_med", projnce.ProjNCEMedLoss)

    def test_projnce_perp(self):
        def make(case, tensors, dtype):
            soft = case["inputs"].get("soft_labels")
            loss = projnce.ProjNCEPerpLoss(**options_of(case))
            return loss(
                tensors["z"],
                integers(case, "labels"),
                None if soft is None else torch.tensor(soft, dtype=dtype),
            )

        self.run_cases("projnce_perp", make, ["z"])

    def test_projnce_perp_without_the_instance(self):
        def make(case, tensors, dtype):
            soft, priors = (case["inputs"].get(n) for n in ("soft_labels", "class_priors"))
            loss = projnce.ProjNCEPerpLoss(
                **options_of(case),
                class_priors=None if priors is None else torch.tensor(priors, dtype=torch.float64),
            )
            return loss(
                tensors["z"],
                integers(case, "labels"),
                None if soft is None else torch.tensor(soft, dtype=dtype),
                integers(case, "instance"),
            )

        self.run_cases("projnce_perp_instance", make, ["z"])

    def test_projnce_mlp(self):
        torch.manual_seed(0)
        def make(case, tensors, dtype):
            loss = projnce.ProjNCEMLPLoss(*tensors["W"].shape, **options_of(case)).to(dtype)
            return torch.func.functional_call(
                loss, {"weight": tensors["W"]}, (tensors["z"], integers(case, "labels"))
            )

        self.run_cases("projnce_mlp", make, ["z", "W"])

    def test_generalized_infonce(self):
        def make(case, tensors, dtype):
            labels = integers(case, "labels")
            if labels is None:
                labels = torch.arange(len(tensors["z"]))
            loss = projnce.GeneralizedInfoNCELoss(**options_of(case))
            return loss(tensors["z"], labels, pos=tensors["g_pos"], neg=tensors["g_neg"])

        self.run_cases("selfp_generic", make, ["z", "g_pos", "g_neg"])

    def test_infonce(self):
        def make(case, tensors, dtype):
            return projnce.InfoNCELoss(**options_of(case))(tensors["a"], tensors["b"])

        self.run_cases("infonce_paired", make, ["a", "b"])

    def test_classifiers(self):
        for kind, loss in (("ce", projnce.CELoss), ("sce", projnce.SCELoss)):

            def make(case, tensors, dtype):
                return loss(**options_of(case))(tensors["logits"], integers(case, "labels"))

            self.run_cases(kind, make, ["logits"])

    def test_joint(self):
        torch.manual_seed(0)
        def make(case, tensors, dtype):
            options = options_of(case)
            supervised = supervised_part(case, options, dtype)
            loss = projnce.JointLoss(
                supervised, options["theta"], temperature=options["temperature"]
            )
            return loss(tensors["z"], integers(case, "labels"), integers(case, "instance"))

        self.run_cases("joint", make, ["z"])

    def test_mixed_ksg(self):
        for case in cases.golden("mixed_ksg"):
            with self.subTest(case=case["id"]):
                x, y = (torch.tensor(case["inputs"][n], dtype=torch.float64) for n in "xy")
                found = projnce.mixed_ksg(x, y, case["params"]["k"])
                self.assertAlmostEqual(found, case["expected"]["mi"], delta=1e-12)
                arrays = projnce.mixed_ksg(x.numpy(), y.numpy(), case["params"]["k"])
                self.assertEqual(found, arrays)


def supervised_part(case, options, dtype):
    if options["sup"] == "supcon":
        return projnce.SupConLoss(options["temperature"])
    if options["sup"] == "projnce":
        return projnce.ProjNCELoss(
            options["temperature"], options["beta"], preset=options.get("preset", "leave_one_out")
        )
    matrix = torch.tensor(case["inputs"]["W"], dtype=dtype)
    loss = projnce.ProjNCEMLPLoss(
        *matrix.shape, options["temperature"], normalize_g=options["normalize_g"]
    ).to(dtype)
    loss.weight.data.copy_(matrix)
    return loss


def integers(case, name):
    values = case["inputs"].get(name)
    return None if values is None else torch.tensor(values)


def torch_flat(values):
    if not isinstance(values, list):
        return [values]
    return [number for value in values for number in torch_flat(value)]


if __name__ == "__main__":
    unittest.main()
