import type { Paper, Scene } from "./scene";
import { BASE_SIZE } from "./scene";
import type { View } from "./view";

/** Points are placed with a precision of a quarter pixel. */
const PHASES = 4;

/** Pixels covered by a disc, relative to the corner of its square, with alpha in 1/256. */
interface Mask {
  column: Uint8Array;
  row: Uint8Array;
  share: Uint16Array;
}

/** A disc of one size, rasterized at every subpixel phase. */
interface Sprite {
  side: number;
  masks: Mask[];
}

function makeMask(side: number, x: number, y: number, diameter: number, opacity: number): Mask {
  const covered: [number, number, number][] = [];
  for (let row = 0; row < side; ++row)
    for (let column = 0; column < side; ++column) {
      const away = Math.hypot(column + 0.5 - x, row + 0.5 - y);
      const share = Math.floor(256 * opacity * Math.min(1, Math.max(0, diameter / 2 + 0.5 - away)));
      if (share > 0) covered.push([column, row, share]);
    }
  return {
    column: Uint8Array.from(covered, (pixel) => pixel[0]),
    row: Uint8Array.from(covered, (pixel) => pixel[1]),
    share: Uint16Array.from(covered, (pixel) => pixel[2]),
  };
}

function makeSprite(diameter: number, opacity: number): Sprite {
  const side = Math.ceil(diameter) + 3;
  const masks = Array.from({ length: PHASES * PHASES }, (_, phase) => {
    const x = side / 2 + ((phase % PHASES) + 0.5) / PHASES;
    const y = side / 2 + (Math.floor(phase / PHASES) + 0.5) / PHASES;
    return makeMask(side, x, y, diameter, opacity);
  });
  return { side, masks };
}

interface Target {
  pixels: Uint8Array;
  width: number;
  height: number;
}

/** Blends a color over the pixels of a mask, clipped to the image. */
function blend({ pixels, width, height }: Target, look: Uint8Array, at: number, mask: Mask, left: number, top: number): void {
  const { column, row, share } = mask;
  const red = look[at]!;
  const green = look[at + 1]!;
  const blue = look[at + 2]!;
  for (let k = 0; k < share.length; ++k) {
    const x = left + column[k]!;
    const y = top + row[k]!;
    if (x < 0 || x >= width || y < 0 || y >= height) continue;
    const p = 4 * (y * width + x);
    const part = share[k]!;
    pixels[p]! += ((red - pixels[p]!) * part) >> 8;
    pixels[p + 1]! += ((green - pixels[p + 1]!) * part) >> 8;
    pixels[p + 2]! += ((blue - pixels[p + 2]!) * part) >> 8;
  }
}

/**
 * Rasterizes a scene on the CPU. Faster than one canvas call per point, and gives the same image on every machine.
 */
export function paint(
  image: ImageData, scene: Scene, view: View, ratio: number, diameter: number, paper: Paper,
): void {
  const { width, height, data } = image;
  // An unclamped view: results always fit a byte, and clamping costs time.
  const target: Target = { pixels: new Uint8Array(data.buffer), width, height };
  const [red, green, blue] = paper.background;
  new Uint32Array(data.buffer).fill((255 << 24) | (blue << 16) | (green << 8) | red);
  const sprites: (Sprite | undefined)[] = [];
  const scale = view.scale * ratio;
  for (let i = 0; i < scene.count; ++i) {
    const size = scene.look[4 * i + 3]!;
    const sprite = (sprites[size] ??= makeSprite((diameter * ratio * size) / BASE_SIZE, paper.opacity));
    const x = (scene.x[i]! - view.x) * scale + (width - sprite.side) / 2;
    const y = (view.y - scene.y[i]!) * scale + (height - sprite.side) / 2;
    const left = Math.floor(x);
    const top = Math.floor(y);
    if (left <= -sprite.side || top <= -sprite.side || left >= width || top >= height) continue;
    const phase = Math.floor((y - top) * PHASES) * PHASES + Math.floor((x - left) * PHASES);
    blend(target, scene.look, 4 * i, sprite.masks[phase]!, left, top);
  }
}
