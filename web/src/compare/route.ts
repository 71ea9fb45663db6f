/** URL hashes: #run=NAME is the report of a run, anything else the comparison. */
const PREFIX = "#run=";

export const runAddress = (name: string): string => PREFIX + encodeURIComponent(name);

/** Returns the run named by the hash, or null. */
export function runOf(hash: string): string | null {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    return decodeURIComponent(hash.slice(PREFIX.length));
  } catch {
    return null; // truncated escape sequence
  }
}
