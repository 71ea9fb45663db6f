/** Bundles the script and style sheet of the report. The results are committed, so that the program builds without npm. */
import { build } from "esbuild";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const LICENSES = "/*! contains uPlot 1.6.32, (c) Leon Sorokin, MIT license */\n";

async function bundle(entry, options) {
  const result = await build({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

/** Throws if `text` contains an end tag or a comment start, which would end its element early. */
function rejectEndTags(name, text) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} contains an end tag or a comment start`);
}

export async function buildAll(directory) {
  const files = {
    "report.js": LICENSES + (await bundle("src/main.ts", { format: "iife", target: "es2020" })),
    "report.css": await bundle("src/style.css", {}),
  };
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    rejectEndTags(name, text);
    await writeFile(join(directory, name), text);
    console.log(`${name}: ${text.length} bytes, ${gzipSync(text).length} compressed`);
  }
}

const at = process.argv.indexOf("--out");
await buildAll(at > 0 ? process.argv[at + 1] : join(here, "dist"));
