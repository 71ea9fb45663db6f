/** Interactive confusion matrix: a drawing, and a line that describes the cell under the pointer or cursor. */
import { keepDrawn, svgText } from "../chart/canvas";
import { frame } from "../chart/figure";
import type { Table } from "../csv";
import { h, named, s } from "../dom";
import { count, counted, percent } from "../format";
import { ink } from "../theme";
import type { Counts } from "./confusion_counts";
import { confusionSvg, layoutOf } from "./confusion_svg";

type Cell = [row: number, column: number];

const HINT = "Hover over a cell or use the arrow keys to see its values.";
const FILE_WIDTH = 720;
const FILE_WIDTH_MANY = 1200;

function describeCell(counts: Counts, [row, column]: Cell): (Node | string)[] {
  return ["true ", named(counts.classes[row]!), ", predicted ", named(counts.classes[column]!),
    `: ${count(counts.count(row, column))} (${percent(counts.share(row, column), 0)})`];
}

/** Lists the non-empty cells, one per row. */
function tableOf(counts: Counts): Table {
  const rows: Table["rows"] = [];
  counts.classes.forEach((truth, row) => counts.classes.forEach((predicted, column) => {
    const n = counts.count(row, column);
    if (n > 0) rows.push([truth, predicted, n, counts.share(row, column)]);
  }));
  return { columns: ["true", "predicted", "count", "share of true"], rows };
}

function cellAt(counts: Counts, host: HTMLElement, event: PointerEvent): Cell | null {
  const box = host.getBoundingClientRect();
  const at = layoutOf(counts, host.clientWidth, 0);
  const row = Math.floor((event.clientY - box.top - at.top) / at.cell);
  const column = Math.floor((event.clientX - box.left - at.left) / at.cell);
  const inside = (i: number): boolean => i >= 0 && i < counts.classes.length;
  return inside(row) && inside(column) ? [row, column] : null;
}

const STEPS: Record<string, Cell> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Draws the matrix and handles pointer and keyboard input. */
function matrix(counts: Counts): HTMLElement {
  const readout = h("p", { class: "readout hint", "aria-live": "polite" }, HINT);
  const host = h("div", {
    class: "drawn matrix", tabindex: 0, role: "group",
    "aria-label": `Confusion matrix of ${counted(counts.classes.length, "class", "classes")}. Arrow keys move from cell to cell.`,
  });
  let current: Cell | null = null;
  const ring = s("rect", { class: "ring", fill: "none", "stroke-width": 2, rx: 3 });
  const show = (cell: Cell | null): void => {
    current = cell;
    readout.replaceChildren(...(cell ? describeCell(counts, cell) : [HINT]));
    readout.classList.toggle("hint", !cell);
    ring.toggleAttribute("hidden", !cell);
    if (!cell) return;
    const at = layoutOf(counts, host.clientWidth, 0);
    const [x, y, side] = [at.left + cell[1] * at.cell - 1, at.top + cell[0] * at.cell - 1, at.cell + 1];
    for (const [name, value] of Object.entries({ x, y, width: side, height: side })) ring.setAttribute(name, String(value));
    host.querySelector("svg")?.append(ring);
  };
  keepDrawn(host, (width, colors) => confusionSvg(counts, width, colors, null));
  host.addEventListener("pointermove", (event) => show(cellAt(counts, host, event)));
  host.addEventListener("pointerdown", (event) => show(cellAt(counts, host, event)));
  host.addEventListener("pointerleave", () => show(null));
  host.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const within = (i: number): number => Math.min(counts.classes.length - 1, Math.max(0, i));
    show(current ? [within(current[0] + step[0]), within(current[1] + step[1])] : [0, 0]);
  });
  host.addEventListener("blur", () => show(null));
  return h("div", null, readout, host);
}

export function confusionFigure(counts: Counts, file: string): HTMLElement {
  const title = "Confusion matrix";
  const width = counts.classes.length > 40 ? FILE_WIDTH_MANY : FILE_WIDTH;
  return frame({
    title, file, body: matrix(counts),
    note: `Rows are true classes, columns are predicted classes (${counts.protocol}). Values are percentages of each row. ` +
      "Blue: correct; orange: errors.",
    svg: () => svgText(confusionSvg(counts, width, ink("light"), title)),
    table: () => tableOf(counts),
  });
}
