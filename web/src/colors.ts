/** Colors of classes and chart lines. */

const NAMED = [
  "#36509C", "#E08C1D", "#0C919E", "#E43F5F", "#8752E5", "#789EFF", "#E1CA23", "#FDA8B9", "#823A4D", "#587918",
  "#625FB5", "#A4C375", "#A44176", "#4AD6D9", "#ED6859", "#AE97C6", "#B68F83", "#512DCF", "#A9B3FF", "#E04A9C",
];
const GOLDEN_ANGLE = 137.50776405003785;
const LIGHTNESS = [0.62, 0.76, 0.5];
const CHROMA = [0.17, 0.13, 0.15];

export type Rgb = [number, number, number]; // 0..255 each

const toHex = (rgb: Rgb): string => "#" + rgb.map((v) => v.toString(16).padStart(2, "0")).join("");

/** Parses "#rrggbb" or "rgb(r, g, b)". */
export function rgbOf(color: string): Rgb {
  if (!color.startsWith("#")) return color.match(/\d+/g)!.slice(0, 3).map(Number) as Rgb;
  const n = parseInt(color.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Perceived brightness (Rec. 601 luma): 0 is black, 1 is white. */
export function brightness(color: string): number {
  const [r, g, b] = rgbOf(color);
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

function encodeGamma(linear: number): number {
  const v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, v)));
}

/** Converts Oklch (Björn Ottosson) to sRGB. Out-of-gamut channels are clipped. */
function oklch(lightness: number, chroma: number, degrees: number): Rgb {
  const a = chroma * Math.cos((degrees * Math.PI) / 180);
  const b = chroma * Math.sin((degrees * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const t = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encodeGamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * t),
    encodeGamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * t),
    encodeGamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * t),
  ];
}

/** Returns one color per class as #rrggbb, the same in every chart and in both themes. */
export function classColors(classes: number): string[] {
  if (classes <= NAMED.length) return NAMED.slice(0, classes);
  return Array.from({ length: classes }, (_, i) =>
    toHex(oklch(LIGHTNESS[i % 3]!, CHROMA[i % 3]!, (i * GOLDEN_ANGLE) % 360)),
  );
}

/** Interpolates between two colors; `share` 0 gives `from`, 1 gives `to`. */
export function mix(from: string, to: string, share: number): string {
  const [a, b] = [rgbOf(from), rgbOf(to)];
  return toHex(a.map((v, i) => Math.round(v + (b[i]! - v) * share)) as Rgb);
}

/** CSS color of line or group i, with sufficient contrast to the background in both themes. */
export function lineColor(i: number): string {
  const color = NAMED[i % NAMED.length]!;
  const bright = brightness(color);
  const onLight = bright > 0.55 ? mix(color, "#000000", (bright - 0.55) * 0.9) : color;
  const onDark = bright < 0.6 ? mix(color, "#ffffff", (0.6 - bright) * 0.9) : color;
  return `light-dark(${onLight}, ${onDark})`;
}
