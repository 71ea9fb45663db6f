/** Images of samples, cut out of their sheets. */
import { h } from "./dom";
import type { Images } from "./model";
import { unpack8 } from "./packed";

const addresses = new WeakMap<Images, string[]>();

/** One address for each sheet, made when first asked for: the sheet is decoded and kept once. */
export function sheetAddress(images: Images, sheet: number): string {
  let known = addresses.get(images);
  if (!known) addresses.set(images, (known = []));
  known[sheet] ??= URL.createObjectURL(new Blob([unpack8(images.sheets[sheet]!) as BlobPart], { type: "image/jpeg" }));
  return known[sheet]!;
}

/** Image i as a square of `size` pixels; small ones are enlarged without smoothing. */
export function image(images: Images, i: number, size: number, describe: string): HTMLElement {
  const sheet = Math.floor(i / images.perSheet);
  const at = i % images.perSheet;
  const [column, row] = [at % images.columns, Math.floor(at / images.columns)];
  return h("span", {
    class: size > images.side ? "image enlarged" : "image", role: "img", "aria-label": describe,
    style: {
      width: `${size}px`, height: `${size}px`,
      "background-image": `url("${sheetAddress(images, sheet)}")`,
      "background-size": `${images.columns * size}px auto`,
      "background-position": `${-column * size}px ${-row * size}px`,
    },
  });
}
