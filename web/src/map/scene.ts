import type { Rgb } from "../colors";

/** The points to be drawn, in the order of drawing; the same for every way to draw them. */
export interface Scene {
  count: number;
  /** Which sample each drawn point is. */
  sample: Uint32Array;
  x: Uint16Array;
  y: Uint16Array;
  /** Four bytes for each point: red, green, blue, and its size in sixteenths of the usual one. */
  look: Uint8Array;
}



/** What a scene is drawn on, and how strongly. */
export interface Paper {
  background: Rgb;
  opacity: number;
}

export const USUAL_SIZE = 16;

export function emptyScene(): Scene {
  return {
    count: 0,
    sample: new Uint32Array(0),
    x: new Uint16Array(0),
    y: new Uint16Array(0),
    look: new Uint8Array(0),
  };
}
