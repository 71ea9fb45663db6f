import { paint } from "./paint";
import type { Paper, Scene } from "./scene";
import type { Size, View } from "./view";

/** Everything needed to draw a static image of a map. */
export interface Shot {
  scene: Scene;
  view: View;
  size: Size;
  diameter: number;
  paper: Paper;
  overlay(context: CanvasRenderingContext2D): void;
}

/** Draws a shot on a canvas with `ratio` device pixels per CSS pixel. */
export function takeStill(shot: Shot, ratio: number, canvas = document.createElement("canvas")): HTMLCanvasElement {
  canvas.width = Math.max(1, Math.round(shot.size.width * ratio));
  canvas.height = Math.max(1, Math.round(shot.size.height * ratio));
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) return canvas;
  const image = new ImageData(canvas.width, canvas.height);
  paint(image, shot.scene, shot.view, ratio, shot.diameter, shot.paper);
  context.putImageData(image, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  shot.overlay(context);
  return canvas;
}
