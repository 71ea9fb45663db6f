import type { Renderer } from "./gl";
import { paint } from "./paint";
import type { Paper, Scene } from "./scene";
import { emptyScene } from "./scene";
import type { View } from "./view";

/** Renderer without WebGL: for machines that lack it, and after a lost context. */
export class FlatRenderer implements Renderer {
  readonly kind = "canvas";
  readonly canvas = document.createElement("canvas");
  private scene = emptyScene();
  private image: ImageData | null = null;

  setScene(scene: Scene): void {
    this.scene = scene;
  }

  draw(view: View, ratio: number, diameter: number, paper: Paper): void {
    const { width, height } = this.canvas;
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context || width === 0 || height === 0) return;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
    }
    paint(this.image, this.scene, view, ratio, diameter, paper);
    context.putImageData(this.image, 0, 0);
  }

  destroy(): void {
    this.image = null;
  }
}
