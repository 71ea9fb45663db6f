/** Classes section: confusion matrix and per-class accuracy. */
import { classColors } from "../colors";
import { frame } from "../chart/figure";
import { h, named } from "../dom";
import { count, counted, intervalText, percent } from "../format";
import type { RunData } from "../model";
import { confusionFigure } from "./confusion";
import { classResults, countsOf, type ClassResult, type Counts } from "./confusion_counts";
import { sortable, type Column } from "./sortable";

/** With more classes than this, the matrix takes the full width. */
const MANY = 40;
/** With more classes than this, the table scrolls in its own box. */
const LONG = 20;

/** Classes with fewer test samples are marked. */
const FEW_SAMPLES = 10;
const FEW_TITLE = `Fewer than ${FEW_SAMPLES} test samples: the accuracy is uncertain`;
const isSmall = (row: ClassResult): boolean => row.samples < FEW_SAMPLES;

function columnsOf(colors: string[]): Column<ClassResult>[] {
  const colored = (i: number, name: string): HTMLElement =>
    h("span", { class: "class-name" }, h("span", { class: "swatch", style: { "--color": colors[i]! } }), named(name));
  return [
    { name: "Class", key: (row) => row.name, cell: (row) => colored(row.index, row.name) },
    {
      name: "Samples", numeric: true, key: (row) => row.samples,
      cell: (row) => isSmall(row) ? h("span", { class: "few", title: FEW_TITLE }, count(row.samples), "*") : count(row.samples),
    },
    {
      name: "Accuracy", numeric: true, key: (row) => row.accuracy,
      cell: (row) => row.accuracy === null ? "–" : h("span", { class: "with-bar" },
        h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: { width: `${100 * row.accuracy}%` } })),
        percent(row.accuracy)),
    },
    { name: "95 % interval", numeric: true, key: (row) => row.interval?.[0] ?? null, cell: (row) => intervalText(row.interval) },
    {
      name: "Top confusion", key: (row) => row.confusedWith?.share ?? null,
      cell: (row) => row.confusedWith && h("span", { class: "confused-with" }, colored(row.confusedWith.index, row.confusedWith.name),
        h("span", { class: "aside" }, percent(row.confusedWith.share))),
    },
  ];
}

function classFigure(counts: Counts, file: string): HTMLElement {
  const results = classResults(counts);
  const small = results.filter(isSmall).length;
  const table = sortable("Accuracy by class", results, columnsOf(classColors(counts.classes.length)));
  return frame({
    title: "Accuracy by class", file, tabular: true,
    note: small > 0 ? `* ${counted(small, "class has", "classes have")} fewer than ${FEW_SAMPLES} test samples: the accuracy is uncertain.` : undefined,
    body: h("div", {
      class: results.length > LONG ? "class-table long" : "class-table", tabindex: 0, role: "region", "aria-label": "Accuracy by class",
    }, table),
    table: () => ({
      columns: ["class", "samples", "accuracy", "low", "high", "top confusion", "share"],
      rows: results.map((row) => [row.name, row.samples, row.accuracy, row.interval?.[0] ?? null, row.interval?.[1] ?? null, row.confusedWith?.name ?? null, row.confusedWith?.share ?? null]),
    }),
  });
}

export function classesSection(run: RunData): HTMLElement | null {
  const counts = countsOf(run);
  if (!counts) return null;
  return h("div", { class: counts.classes.length > MANY ? "stacked" : "side-by-side" },
    confusionFigure(counts, run.name), classFigure(counts, run.name));
}
