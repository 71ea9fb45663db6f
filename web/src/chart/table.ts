/** Scrollable table of the values in a chart. */
import type { Cell, Table } from "../csv";
import { h } from "../dom";
import { counted, short } from "../format";

const MOST_ROWS = 500;

const text = (cell: Cell): string => (cell === null ? "" : typeof cell === "number" ? short(cell, 5) : cell);

export function dataTable(title: string, table: Table): HTMLElement {
  const rows = table.rows.slice(0, MOST_ROWS);
  const body = rows.map((row) => h("tr", null, ...row.map((cell) =>
    h("td", { class: typeof cell === "number" ? "number" : null }, text(cell)))));
  const rest = table.rows.length - rows.length;
  return h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": `Table: ${title}` },
    h("table", null,
      h("thead", null, h("tr", null, ...table.columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, ...body)),
    rest > 0 ? h("p", { class: "note" }, `${counted(rest, "more row is", "more rows are")} in the CSV file.`) : null);
}
