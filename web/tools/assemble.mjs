/**
 * Fills script, style and data into the template, as the program does.
 *   node tools/assemble.mjs data.json report.html [directory of report.js and report.css]
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escapeHtml = (text) =>
  text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);

/** Static results table; the program's version is in projnce/report/page/report_html.cpp. */
function plainNumbers(page) {
  const rows = page.runs.flatMap((run) => Object.entries(run.summary?.protocols ?? {}).map(([name, { top1 }]) =>
    `<tr><th scope="row">${escapeHtml(`${run.name}, ${name}`)}</th><td>${(100 * top1).toFixed(1)} %</td></tr>`));
  return `<table>${rows.join("")}</table>`;
}

export function assemble(page, distribution = join(web, "dist")) {
  const script = readFileSync(join(distribution, "report.js"), "utf8");
  const style = readFileSync(join(distribution, "report.css"), "utf8");
  const parts = {
    title: escapeHtml(page.title),
    csp: `default-src 'none'; script-src ${sha256(script)}; style-src ${sha256(style)}; img-src data: blob:; media-src data: blob:; connect-src 'self'`,
    numbers: plainNumbers(page),
    style,
    script,
    data: JSON.stringify(page).replaceAll("<", "\\u003c"),
  };
  // A single pass, so that inserted text is not searched for placeholders.
  const template = readFileSync(join(web, "report.html"), "utf8");
  return template.replace(/\{\{(title|csp|style|numbers|data|script)\}\}/g, (_, name) => parts[name]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [data, out, distribution] = process.argv.slice(2);
  writeFileSync(out, assemble(JSON.parse(readFileSync(data, "utf8")), distribution));
}
