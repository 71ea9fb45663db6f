/** Table that is sorted by clicking a column header. */
import { h, type Child } from "../dom";

export interface Column<Row> {
  name: string;
  numeric?: boolean;
  /** Sort key of a row. */
  key: (row: Row) => number | string | null;
  cell: (row: Row) => Child;
}

type Order = "ascending" | "descending";

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : a - (b as number);
}

export function sortable<Row>(caption: string, rows: Row[], columns: Column<Row>[]): HTMLTableElement {
  const body = h("tbody");
  const elements = new Map(rows.map((row) => [row, h("tr", null, ...columns.map((column, i) =>
    i === 0 ? h("th", { scope: "row" }, column.cell(row)) : h("td", { class: column.numeric ? "number" : null }, column.cell(row))))]));
  const heads = columns.map((column) => h("th", { scope: "col", class: column.numeric ? "number" : null }));

  const sort = (i: number, order: Order): void => {
    heads.forEach((head, k) => (k === i ? head.setAttribute("aria-sort", order) : head.removeAttribute("aria-sort")));
    const sign = order === "ascending" ? 1 : -1;
    const key = columns[i]!.key;
    // Rows without a value stay at the end in both orders.
    const sorted = [...rows].sort((a, b) => compare(key(a), key(b)) * (key(a) === null || key(b) === null ? 1 : sign));
    body.replaceChildren(...sorted.map((row) => elements.get(row)!));
  };
  heads.forEach((head, i) => head.append(h("button", {
    type: "button", class: "sort",
    on: { click: () => sort(i, head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending") },
  }, columns[i]!.name)));
  body.append(...elements.values());
  return h("table", { class: "sortable" }, h("caption", { class: "visually-hidden" }, caption),
    h("thead", null, h("tr", null, ...heads)), body);
}
