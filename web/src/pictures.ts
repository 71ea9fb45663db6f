/** Pictures of samples, cut out of their sheets. */
import { h } from "./dom";
import type { Pictures } from "./model";
import { unpack8 } from "./packed";

const addresses = new WeakMap<Pictures, string[]>();

/** One address for each sheet, made when first asked for: the sheet is decoded and kept once. */
export function sheetAddress(pictures: Pictures, sheet: number): string {
  let known = addresses.get(pictures);
  if (!known) addresses.set(pictures, (known = []));
  known[sheet] ??= URL.createObjectURL(new Blob([unpack8(pictures.sheets[sheet]!) as BlobPart], { type: "image/jpeg" }));
  return known[sheet]!;
}

/** Picture i as a square of `size` pixels; small ones are enlarged without smoothing. */
export function picture(pictures: Pictures, i: number, size: number, describe: string): HTMLElement {
  const sheet = Math.floor(i / pictures.perSheet);
  const at = i % pictures.perSheet;
  const [column, row] = [at % pictures.columns, Math.floor(at / pictures.columns)];
  return h("span", {
    class: size > pictures.side ? "picture enlarged" : "picture", role: "img", "aria-label": describe,
    style: {
      width: `${size}px`, height: `${size}px`,
      "background-image": `url("${sheetAddress(pictures, sheet)}")`,
      "background-size": `${pictures.columns * size}px auto`,
      "background-position": `${-column * size}px ${-row * size}px`,
    },
  });
}
