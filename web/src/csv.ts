/** A table of a chart's numbers, and the same as comma-separated values. */

export type Cell = string | number | null;

export interface Table {
  columns: string[];
  rows: Cell[][];
}

/** Spreadsheets run texts that begin like a formula; a leading apostrophe makes them plain text. */
function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}
