/** Loads single modules of the page's script through the bundler. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Returns all exports of the given files under src/. */
export async function load(...files) {
  const contents = files.map((file) => `export * from "./src/${file}";`).join("\n");
  const result = await build({ stdin: { contents, resolveDir: web }, bundle: true, format: "esm", write: false, loader: { ".css": "empty" } });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}
