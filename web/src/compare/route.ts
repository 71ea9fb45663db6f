/** Which page an address names: #run=NAME is that of a run, everything else the comparison. */
const PREFIX = "#run=";

export const runAddress = (name: string): string => PREFIX + encodeURIComponent(name);

/** The run that the address names, or null. */
export function runOf(hash: string): string | null {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    return decodeURIComponent(hash.slice(PREFIX.length));
  } catch {
    return null; // an address that somebody cut off
  }
}
