/** Parts of the page's script by themselves, as the bundler makes them. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Everything that these files under src/ export. */
export async function load(...files) {
  const contents = files.map((file) => `export * from "./src/${file}";`).join("\n");
  const result = await build({ stdin: { contents, resolveDir: web }, bundle: true, format: "esm", write: false, loader: { ".css": "empty" } });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}
