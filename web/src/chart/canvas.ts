/** SVG helpers: labels, serialization, PNG export, and drawings that follow the size of their host. */
import { s, whileConnected } from "../dom";
import { ink, type Ink } from "../theme";

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

/** Characters that are not allowed in XML. */
const NOT_XML = new RegExp(
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]" + // control characters and noncharacters
    "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", // unpaired surrogates
  "g",
);

/** Returns a text element. */
export function label(x: number, y: number, text: string, props: Record<string, unknown>): SVGTextElement {
  return s("text", { x: round(x), y: round(y), "font-size": 12, ...props }, text.replace(NOT_XML, "\ufffd"));
}

/** Returns an SVG drawing; `describe` is its accessible name. */
export function drawing(width: number, height: number, describe: string, ...children: (Node | null)[]): SVGSVGElement {
  return s("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "font-family": FONT,
    "aria-label": describe.replace(NOT_XML, "\ufffd"),
  }, ...children);
}

export const round = (v: number): number => Math.round(v * 100) / 100;

export function svgText(svg: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(svg);
}

/** Renders an SVG as PNG, by default at twice its resolution. */
export async function pngOf(svg: string, scale = 2): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG encoding failed"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Calls `draw` with the width of `host` once it is laid out, and again when the width or the theme changes. */
export function drawWith(host: HTMLElement, draw: (width: number) => void): void {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(host.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    draw(width);
  }).observe(host);
  whileConnected(host, "themechange", () => {
    if (width > 0) draw(width);
  });
}

/** Keeps a drawing in `host` that matches its width and the theme. */
export function keepDrawn(host: HTMLElement, draw: (width: number, ink: Ink) => SVGSVGElement): void {
  drawWith(host, (width) => host.replaceChildren(draw(width, ink())));
}
