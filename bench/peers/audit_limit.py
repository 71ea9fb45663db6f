#!/usr/bin/env python3
"""Compares the noise rates that projnce.audit finds in the cell of the audit grid that fails (100 rows of
two classes) with those of an estimator that knows how the data was made.

    audit_limit.py [--draws N]

The other estimator is the posterior mean of the number of wrong labels by Gibbs sampling. It knows that the
classes are Gaussian, their variance, the prior of their means and that both have the same noise rate, and it
sees the rows before they are scaled to unit norm. No estimator has a smaller mean squared error.
"""
import argparse
import zlib

import numpy as np

import audit_cells
import projnce

SWEEPS, BURN_IN = 3000, 500


def find_cell():
    return next(cell for cell in audit_cells.cells()
                if (cell["rows"], cell["classes"], cell["kind"]) == (100, 2, "pair"))


def raw_rows(cell, seed):
    """Returns the rows of the cell before they are scaled, and their true classes."""
    rng = np.random.default_rng([seed, zlib.crc32(audit_cells.name_of(cell).encode())])
    truth = audit_cells.draw_classes(rng, cell["rows"], audit_cells.shares_of(2, 1))
    places = rng.normal(size=(2, cell["dim"])) * cell["separation"]
    return places[truth] + rng.normal(size=(cell["rows"], cell["dim"])), truth


def bayes_rate(rows, given, spread, rng):
    """Returns the posterior mean of the share of wrong labels."""
    n, dim = rows.shape
    every = np.arange(n)
    classes, total = given.copy(), 0.0
    for sweep in range(SWEEPS):
        precisions = [(classes == c).sum() + spread**-2 for c in (0, 1)]
        means = [rows[classes == c].sum(0) / p + rng.normal(size=dim) / np.sqrt(p)
                 for c, p in zip((0, 1), precisions)]
        wrong = (classes != given).sum()
        rate = min(rng.beta(1 + wrong, 1 + n - wrong), 0.499)
        logs = np.stack([-((rows - mean) ** 2).sum(1) / 2 for mean in means], 1)
        logs[every, given] += np.log(1 - rate)
        logs[every, 1 - given] += np.log(rate)
        second = 1 / (1 + np.exp(logs[:, 0] - logs[:, 1]))
        classes = (rng.random(n) < second).astype(np.int64)
        if sweep >= BURN_IN:
            total += np.where(given == 1, 1 - second, second).mean()
    return total / (SWEEPS - BURN_IN)


def describe(name, errors):
    known = np.array([error for error in errors if not np.isnan(error)])
    error_of_mean = known.std(ddof=1) / np.sqrt(len(known))
    print(f"{name:<10} {len(known):>3} estimates, mean error {known.mean():+.1f} ± {error_of_mean:.1f}, "
          f"mean absolute error {np.abs(known).mean():.1f}, within 3 points {(np.abs(known) <= 3).sum()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=40, help="number of datasets; the grid has the first ten")
    draws = parser.parse_args().draws
    cell = find_cell()
    ours, bayes, shares, flagged = [], [], [], []
    for seed in range(draws):
        rows, truth, given = audit_cells.make(cell, seed, None)
        raw, same = raw_rows(cell, seed)
        assert (truth == same).all()
        wrong = (given != truth).mean()
        found = projnce.audit(rows, given, 2)
        ours.append(100 * (found.noise_rate - wrong))
        flagged.append((np.asarray(found.score) > 0.5).any())
        bayes.append(100 * (bayes_rate(raw, given, cell["separation"], np.random.default_rng(seed)) - wrong))
        shares.append(100 * (wrong - cell["rate"]))
    for count in sorted({min(10, draws), draws}):
        print(f"{count} draws of {audit_cells.name_of(cell)}; points of the noise rate")
        describe("projnce", ours[:count])
        describe("  flagging", [error for error, some in zip(ours[:count], flagged) if some])
        describe("Bayes", bayes[:count])
        describe("wrong-20 %", shares[:count])


if __name__ == "__main__":
    main()
