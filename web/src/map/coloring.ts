import type { Rgb } from "../colors";
import { NO_CLASS } from "../model";
import type { Points } from "./points";
import { FLAGGED } from "./points";
import type { Scene } from "./scene";
import { BASE_SIZE } from "./scene";

export type ColorBy = "label" | "predicted" | "truth" | "audit_score" | "outcome";

/** Theme-dependent colors. */
export interface Palette {
  classes: Rgb[];
  noClass: Rgb;
  right: Rgb;
  wrong: Rgb;
  /** Color scale of the audit score, 256 steps. */
  ramp: Rgb[];
}

export const COLOR_TITLES: Record<ColorBy, string> = {
  label: "given label",
  predicted: "prediction",
  truth: "true label",
  audit_score: "audit score",
  outcome: "prediction outcome",
};

/** Names of the two groups for colorings that are not by class; the second group is drawn last. */
export const GROUP_NAMES: Partial<Record<ColorBy, [string, string]>> = {
  audit_score: ["not flagged", "label issue"],
  outcome: ["correct", "incorrect"],
};

const LARGER_SIZE = 22;

export function colorsFor(points: Points): ColorBy[] {
  const all: ColorBy[] = ["label", "predicted"];
  if (points.truth) all.push("truth");
  if (points.audit_score) all.push("audit_score");
  all.push("outcome");
  return all;
}

/** Class by which a sample is filtered; `classes` if it has none. */
export function classOf(points: Points, by: ColorBy, classes: number, i: number): number {
  const value =
    by === "predicted" ? points.predicted[i]! : by === "truth" ? points.truth![i]! : points.label[i]!;
  return value === NO_CLASS || value >= classes ? classes : value;
}

/** Group of a sample, 0 or 1; 0 for colorings by class. Predictions are compared with the true label if it is known. */
export function groupOf(points: Points, by: ColorBy, i: number): number {
  if (by === "audit_score") return points.audit_score![i]! > FLAGGED ? 1 : 0;
  if (by === "outcome") return points.predicted[i] === (points.truth ?? points.label)[i] ? 0 : 1;
  return 0;
}

function colorOf(points: Points, by: ColorBy, palette: Palette, i: number): Rgb {
  if (by === "audit_score") return palette.ramp[points.audit_score![i]!]!;
  if (by === "outcome") return groupOf(points, by, i) === 0 ? palette.right : palette.wrong;
  return palette.classes[classOf(points, by, palette.classes.length, i)] ?? palette.noClass;
}

export interface Filter {
  hiddenClasses: ReadonlySet<number>;
  hiddenGroups: ReadonlySet<number>;
}

/** Visible samples in drawing order: the second group is on top. */
export function visibleSamples(points: Points, by: ColorBy, classes: number, filter: Filter): Uint32Array {
  const chosen: number[][] = [[], []];
  for (let i = 0; i < points.count; ++i) {
    const group = groupOf(points, by, i);
    if (filter.hiddenGroups.has(group)) continue;
    if (filter.hiddenClasses.has(classOf(points, by, classes, i))) continue;
    chosen[group]!.push(i);
  }
  if (by === "audit_score") chosen[1]!.sort((a, b) => points.audit_score![a]! - points.audit_score![b]!);
  return Uint32Array.from(chosen[0]!.concat(chosen[1]!));
}

export function makeScene(points: Points, by: ColorBy, palette: Palette, sample: Uint32Array): Scene {
  const count = sample.length;
  const scene: Scene = {
    count,
    sample,
    x: new Uint16Array(count),
    y: new Uint16Array(count),
    look: new Uint8Array(4 * count),
  };
  for (let k = 0; k < count; ++k) {
    const i = sample[k]!;
    const [red, green, blue] = colorOf(points, by, palette, i);
    scene.x[k] = points.x[i]!;
    scene.y[k] = points.y[i]!;
    const flagged = by === "audit_score" && groupOf(points, by, i) === 1;
    scene.look.set([red, green, blue, flagged ? LARGER_SIZE : BASE_SIZE], 4 * k);
  }
  return scene;
}

/** Number of samples per class; the last entry counts samples without a class. */
export function countClasses(points: Points, by: ColorBy, classes: number): number[] {
  const counts = new Array<number>(classes + 1).fill(0);
  for (let i = 0; i < points.count; ++i) counts[classOf(points, by, classes, i)]!++;
  return counts;
}

export function countGroups(points: Points, by: ColorBy): [number, number] {
  let second = 0;
  for (let i = 0; i < points.count; ++i) second += groupOf(points, by, i);
  return [points.count - second, second];
}
