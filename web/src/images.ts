/** Sample thumbnails, cut out of sprite sheets. */
import { h } from "./dom";
import type { Images } from "./model";
import { unpack8 } from "./packed";

const addresses = new WeakMap<Images, string[]>();

/** Returns the object URL of a sheet. It is created on first use and cached, so a sheet is decoded once. */
export function sheetAddress(images: Images, sheet: number): string {
  let known = addresses.get(images);
  if (!known) addresses.set(images, (known = []));
  known[sheet] ??= URL.createObjectURL(new Blob([unpack8(images.sheets[sheet]!) as BlobPart], { type: "image/jpeg" }));
  return known[sheet]!;
}

/** Shows image i as a square of `size` pixels; smaller images are upscaled without smoothing. */
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
