import type { Rgb } from "../colors";

/** Points in drawing order, independent of the renderer. */
export interface Scene {
  count: number;
  /** Sample index of each point. */
  sample: Uint32Array;
  x: Uint16Array;
  y: Uint16Array;
  /** Four bytes per point: red, green, blue, and diameter in sixteenths of the base diameter. */
  look: Uint8Array;
}

/** Background color, and opacity of the points. */
export interface Paper {
  background: Rgb;
  opacity: number;
}

export const BASE_SIZE = 16;

export function emptyScene(): Scene {
  return {
    count: 0,
    sample: new Uint32Array(0),
    x: new Uint16Array(0),
    y: new Uint16Array(0),
    look: new Uint8Array(0),
  };
}
