/** Names of sample kinds, and access to settings. */
import type { RunData } from "../model";

const NAMES: Record<RunData["kind"], string> = { image: "image", audio: "clip", vector: "vector" };

export const sampleName = (run: RunData): string => NAMES[run.kind] ?? "sample";

/** Returns the value of a setting without TOML quotes, or null if it is not set. */
export function setting(run: RunData, key: string): string | null {
  const found = run.config.find((entry) => entry.key === key);
  return found ? found.value.replace(/^(['"])(.*)\1$/s, "$2") : null;
}
