/** Saves page content as files. */
import { h } from "./dom";

export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  // The browser holds its own reference once it has handled the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Builds a file name: "Loss per step" -> "loss-per-step". */
export function fileName(...words: string[]): string {
  const plain = words.map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, ""));
  return plain.filter((word) => word !== "").join("-").slice(0, 80) || "chart";
}
