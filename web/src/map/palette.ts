import type { Rgb } from "../colors";
import { classColors, mix, rgbOf } from "../colors";
import type { Scheme } from "../theme";
import { ink } from "../theme";
import type { Palette } from "./coloring";
import type { Ink } from "./names";
import type { Paper } from "./scene";

/** Colors of a map in one theme. */
export interface MapColors {
  palette: Palette;
  paper: Paper;
  ink: Ink;
  /** CSS colors of the classes, followed by that of samples without a class. */
  classes: string[];
  groups: { audit_score: [string, string]; outcome: [string, string] };
}

/** Parses rgb(1, 2, 3). */
function channels(css: string): Rgb {
  const [red, green, blue] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [red ?? 0, green ?? 0, blue ?? 0];
}

const hex = (rgb: Rgb): string => `#${rgb.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("")}`;

export function mapColors(classes: number, of: Scheme): MapColors {
  const theme = ink(of);
  const dark = of === "dark";
  const surface = hex(channels(theme.surface));
  const calm = mix(surface, hex(channels(theme.muted)), 0.42);
  const [warm, hot] = dark ? ["#F2B84B", "#FF5C5C"] : ["#F0A832", "#C81E3A"];
  const [right, wrong] = [mix(surface, dark ? "#5AA9C4" : "#0C919E", 0.5), hot];
  const colors = [...classColors(classes), hex(channels(theme.muted))];
  const step = (t: number): string => (t < 0.5 ? mix(calm, warm, 2 * t) : mix(warm, hot, 2 * t - 1));
  return {
    palette: {
      classes: colors.slice(0, classes).map(rgbOf),
      noClass: rgbOf(colors[classes]!),
      right: rgbOf(right),
      wrong: rgbOf(wrong),
      ramp: Array.from({ length: 256 }, (_, i) => rgbOf(step(i / 255))),
    },
    paper: { background: channels(theme.surface), opacity: 0.85 },
    ink: { text: theme.text, halo: theme.surface },
    classes: colors,
    groups: { audit_score: [step(0.15), step(0.85)], outcome: [right, wrong] },
  };
}
