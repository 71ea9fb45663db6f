/** What samples of a kind are called. */
import type { RunData } from "../model";

const NAMES: Record<RunData["kind"], string> = { image: "image", sound: "sound", vector: "vector" };

export const sampleName = (run: RunData): string => NAMES[run.kind] ?? "sample";

/** The value of a setting without the quotes of TOML; null where there is no such setting. */
export function setting(run: RunData, key: string): string | null {
  const found = run.config.find((entry) => entry.key === key);
  return found ? found.value.replace(/^(['"])(.*)\1$/s, "$2") : null;
}
