/** Strip plot of the values of single seeds; all strips in a column share one scale. */
import { s } from "../dom";
import { percent } from "../format";
import type { Interval, Seeded } from "./stats";
import { mean } from "./stats";

const HEIGHT = 16;
const EDGE = 5;

export function stripRange(values: number[]): Interval {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high > low ? [low, high] : [low - 0.01, high + 0.01];
}

export function strip(values: Seeded[], [low, high]: Interval, color: string, width: number): SVGSVGElement {
  const x = (v: number): number => EDGE + ((v - low) / (high - low)) * (width - 2 * EDGE);
  const middle = HEIGHT / 2;
  const text = values.map(({ seed, value }) => `seed ${seed}: ${percent(value)}`).join(", ");
  const at = x(mean(values.map(({ value }) => value)));
  return s("svg", { class: "strip", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": text },
    s("title", null, text),
    s("path", { d: `M0 ${middle}H${width}`, class: "strip-line" }),
    s("path", { d: `M${at} 2V${HEIGHT - 2}`, class: "strip-mean" }),
    ...values.map(({ value }) => s("circle", { cx: x(value), cy: middle, r: 3.5, class: "strip-dot", style: { fill: color } })));
}
