/** Means, standard deviations and confidence intervals over seeds. */
import { incompleteBeta } from "../beta";

export function mean(values: number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** Sample variance; NaN for fewer than two values. */
function variance(values: number[]): number {
  const middle = mean(values);
  return values.reduce((sum, v) => sum + (v - middle) ** 2, 0) / (values.length - 1);
}

export function deviation(values: number[]): number {
  return Math.sqrt(variance(values));
}

/** P(-t <= T <= t) for Student's t with `freedom` degrees of freedom. */
function within(t: number, freedom: number): number {
  return 1 - incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/** Two-sided 95 % quantile of Student's t, by bisection; `freedom` may be fractional. */
export function tQuantile95(freedom: number): number {
  let [low, high] = [0, 20];
  while (within(high, freedom) < 0.95) high *= 2;
  for (let i = 0; i < 80; ++i) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export type Interval = [number, number];

/** 95 % t interval of the mean; null for fewer than two values. */
export function meanInterval(values: number[]): Interval | null {
  if (values.length < 2) return null;
  const half = tQuantile95(values.length - 1) * Math.sqrt(variance(values) / values.length);
  return [mean(values) - half, mean(values) + half];
}

/** A value and its seed. */
export interface Seeded {
  seed: number;
  value: number;
}

export interface Difference {
  value: number;
  interval: Interval | null;
  /** Method of the interval; "one seed" if there is none. */
  how: "paired" | "welch" | "one seed";
}

/** Differences per seed; null unless both have the same seeds without repeats. */
function pairs(of: Seeded[], to: Seeded[]): number[] | null {
  const known = new Map(to.map(({ seed, value }) => [seed, value]));
  const paired = known.size === to.length && of.length === to.length && new Set(of.map(({ seed }) => seed)).size === of.length;
  if (!paired || !of.every(({ seed }) => known.has(seed))) return null;
  return of.map(({ seed, value }) => value - known.get(seed)!);
}

function welch(a: number[], b: number[]): Interval {
  const [va, vb] = [variance(a) / a.length, variance(b) / b.length];
  const middle = mean(a) - mean(b);
  if (va + vb === 0) return [middle, middle];
  const freedom = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  const half = tQuantile95(freedom) * Math.sqrt(va + vb);
  return [middle - half, middle + half];
}

/** Difference of means, `of` minus `to`, with a paired interval if all seeds match, else Welch's. */
export function difference(of: Seeded[], to: Seeded[]): Difference {
  const [a, b] = [of.map(({ value }) => value), to.map(({ value }) => value)];
  const value = mean(a) - mean(b);
  if (a.length < 2 || b.length < 2) return { value, interval: null, how: "one seed" };
  const paired = pairs(of, to);
  if (paired) return { value, interval: meanInterval(paired), how: "paired" };
  return { value, interval: welch(a, b), how: "welch" };
}
