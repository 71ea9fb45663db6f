/** Confusion matrix as SVG. Correct predictions are blue, errors orange; each row sums to one. */
import { brightness, mix } from "../colors";
import { drawing, label, round } from "../chart/canvas";
import { s } from "../dom";
import type { Ink } from "../theme";
import type { Counts } from "./confusion_counts";

/** Up to this many classes, every cell is drawn with its value. */
export const FEW = 20;
const CORRECT = "light-dark(#36509c, #86a2ff)";
const ERROR = "light-dark(#c4600c, #ffab52)";

export interface Layout {
  cell: number;
  /** Font size of the class names; 0 if they do not fit. */
  font: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

const MARGIN = 14;
const LETTER = 0.58; // average letter width relative to the font size

/** Computes the layout for a width. Class names take up to a fixed fraction of it. */
export function layoutOf(counts: Counts, width: number, heading: number): Layout {
  const k = counts.classes.length;
  const longest = Math.max(1, ...counts.classes.map((name) => name.length));
  const font = fontOf((width * 0.88) / k);
  const names = font === 0 ? 14 : Math.ceil(Math.min(width * 0.28, 120, MARGIN + longest * font * LETTER));
  const cell = Math.min(52, (width - names - 4) / k);
  const top = heading + names + 18;
  return { cell, font, left: names, top, width, height: Math.ceil(top + cell * k + 6) };
}

/** Names too small to read are omitted. */
const fontOf = (cell: number): number => (cell < 7.5 ? 0 : Math.min(12, cell * 0.95));

const cut = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + "…");

function names(counts: Counts, at: Layout, ink: Ink): SVGGElement {
  const { font } = at;
  const g = s("g", { fill: ink.text });
  const middle = at.left + (at.cell * counts.classes.length) / 2;
  g.append(label(middle, at.top - at.left - 4, "predicted", { "text-anchor": "middle", fill: ink.muted }));
  if (font === 0) return g;
  const most = Math.round((at.left - MARGIN) / (font * LETTER));
  counts.classes.forEach((name, i) => {
    const center = (i + 0.5) * at.cell;
    const text = cut(name, most);
    g.append(label(at.left - 6, at.top + center + font * 0.35, text, { "font-size": round(font), "text-anchor": "end" }));
    const x = round(at.left + center + font * 0.35);
    g.append(label(x, at.top - 6, text, { "font-size": round(font), transform: `rotate(-90 ${x} ${round(at.top - 6)})` }));
  });
  return g;
}

function cell(counts: Counts, row: number, column: number, at: Layout, ink: Ink): SVGElement[] {
  const share = counts.share(row, column);
  const strength = row === column ? share : share ** 0.65;
  const fill = mix(ink.color("var(--soft)"), ink.color(row === column ? CORRECT : ERROR), strength);
  const [x, y] = [round(at.left + column * at.cell), round(at.top + row * at.cell)];
  const gap = at.cell > 12 ? 1 : 0;
  const box = s("rect", { class: "cell", x, y, width: round(at.cell - gap), height: round(at.cell - gap), fill, rx: at.cell > 20 ? 3 : 0 });
  if (counts.classes.length > FEW || at.cell < 17 || counts.count(row, column) === 0) return [box];
  const text = share >= 0.995 ? "100" : share < 0.01 ? (at.cell > 24 ? "<1" : "") : String(Math.round(100 * share));
  const color = brightness(fill) > 0.55 ? "#14171d" : "#ffffff";
  return [box, label(x + at.cell / 2, y + at.cell / 2 + 4, text,
    { "text-anchor": "middle", fill: color, "font-size": at.cell < 26 ? 9 : 12 })];
}

/** `title` is drawn above the matrix, for files and print. */
export function confusionSvg(counts: Counts, width: number, ink: Ink, title: string | null): SVGSVGElement {
  const at = layoutOf(counts, width, title === null ? 0 : 30);
  const k = counts.classes.length;
  const cells: SVGElement[] = [];
  for (let row = 0; row < k; row++)
    for (let column = 0; column < k; column++)
      if (k <= FEW || counts.count(row, column) > 0) cells.push(...cell(counts, row, column, at, ink));
  const side = at.cell * k;
  const ground = k > FEW ? s("rect", { x: at.left, y: at.top, width: side, height: side, fill: ink.color("var(--soft)") }) : null;
  return drawing(width, at.height, "Confusion matrix: rows are true classes, columns are predicted classes",
    title === null ? null : s("rect", { width, height: at.height, fill: ink.surface }),
    title === null ? null : label(8, 24, title, { "font-size": 16, "font-weight": 600, fill: ink.text }),
    ground, names(counts, at, ink), ...cells);
}
