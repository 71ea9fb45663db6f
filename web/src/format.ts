/**
 * Number formatting. Separators are narrow no-break spaces, so a number never wraps. Missing and non-finite numbers are
 * shown as a dash.
 */
import type { Metric, MetricInterval } from "./model";

export const MISSING = "\u2013";

const GAP = "\u202f";
const MINUS = "\u2212";

const signed = (text: string): string => text.replace("-", MINUS);

/** Returns whether `value` is a finite number: not null, undefined, NaN or infinite. */
export const finite = (value: Metric | undefined): value is number => typeof value === "number" && Number.isFinite(value);

/** 12345 -> "12 345" */
export function count(n: Metric): string {
  if (!finite(n)) return MISSING;
  return signed(Math.round(n).toString()).replace(/\B(?=(\d{3})+(?!\d))/g, GAP);
}

/** 0.765 -> "76.5 %" */
export function percent(share: Metric, digits = 1): string {
  if (!finite(share)) return MISSING;
  return `${signed((100 * share).toFixed(digits))}${GAP}%`;
}

/** "73.3 – 75.7 %" */
export function percentRange(low: number, high: number, digits = 1): string {
  return `${signed((100 * low).toFixed(digits))}\u2009\u2013\u2009${percent(high, digits)}`;
}

/** Same as `percentRange`, for an interval that may be missing. */
export const intervalText = (interval: MetricInterval): string => (interval ? percentRange(...interval) : MISSING);

export function nats(value: Metric): string {
  if (!finite(value)) return MISSING;
  return `${signed(value.toFixed(2))}\u00a0nats`;
}

/** Formats with up to `digits` significant digits and no trailing zeros: 0.003, 6.53, 1.2e-7. */
export function short(value: Metric, digits = 4): string {
  if (!finite(value)) return MISSING;
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e9) return count(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return signed(value.toExponential(Math.max(0, digits - 3)));
  return signed(String(Number(value.toPrecision(digits))));
}

/** 200 -> "3 min 20 s" */
export function duration(seconds: Metric): string {
  if (!finite(seconds)) return MISSING;
  const unit = (n: number, name: string): string => `${n}\u00a0${name}`;
  if (seconds < 9.95) return unit(Number(seconds.toPrecision(2)), "s");
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, name]) => unit(n, name))
    .join(" ");
}

/** "1 sample", "2 samples" */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)}\u00a0${n === 1 ? one : many}`;
}
