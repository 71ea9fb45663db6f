import { h } from "../dom";
import { FlatRenderer } from "./flat";
import type { Renderer } from "./gl";
import { glRenderer } from "./gl";
import type { Paper, Scene } from "./scene";
import { emptyScene } from "./scene";
import type { Box, Size, View } from "./view";
import { between, fit, limit, pointSize } from "./view";

const ANIMATION_MS = 260;
const SETTLE_MS = 140;

export interface StageHooks {
  /** Draws over the points, in CSS pixels. */
  overlay(context: CanvasRenderingContext2D): void;
  paper(): Paper;
}

/** The drawing area: points, an overlay for text, and the current view. Draws only on demand. */
export class Stage {
  readonly element = h("div", { class: "map-stage" });
  private readonly over = h("canvas", { class: "map-over", "aria-hidden": "true" });
  private renderer: Renderer;
  private scene: Scene = emptyScene();
  private box: Box = { left: 0, right: 1, bottom: 0, top: 1 };
  private frame = 0;
  private flight: { from: View; to: View; start: number } | null = null;
  private readonly observer = new ResizeObserver(() => this.resize());
  private population = 0;
  /** Time until which the view counts as moving, and the timer that redraws it afterwards. */
  private moving = 0;
  private settle: ReturnType<typeof setTimeout> | undefined;
  size: Size = { width: 0, height: 0 };
  view: View = { x: 0, y: 0, scale: 1 };
  home: View = this.view;

  constructor(private readonly hooks: StageHooks) {
    this.renderer = this.adopt(glRenderer() ?? new FlatRenderer());
    this.element.append(this.over);
    this.observer.observe(this.element);
  }

  private adopt(renderer: Renderer): Renderer {
    renderer.canvas.classList.add("map-points");
    renderer.canvas.setAttribute("aria-hidden", "true");
    renderer.canvas.addEventListener("webglcontextlost", () => this.fallBack());
    this.element.prepend(renderer.canvas);
    this.element.dataset["renderer"] = renderer.kind;
    return renderer;
  }

  private fallBack(): void {
    if (!this.element.contains(this.renderer.canvas)) return;
    this.renderer.canvas.remove();
    this.renderer = this.adopt(new FlatRenderer());
    this.renderer.setScene(this.scene);
    this.resize();
  }

  /** Shows a new set of samples and resets the view. `population` determines the point size. */
  show(box: Box, population: number): void {
    this.box = box;
    this.population = population;
    this.home = fit(box, this.size);
    this.flight = null;
    this.view = this.home;
    this.redraw();
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.renderer.setScene(scene);
    this.redraw();
  }

  get zoom(): number {
    return this.view.scale / this.home.scale;
  }

  get diameter(): number {
    return pointSize(this.population, this.size, this.zoom);
  }

  look(view: View): void {
    this.flight = null;
    this.moves();
    this.view = limit(view, this.home, this.box);
    this.redraw();
  }

  /** Animates to a view; jumps if the reader prefers reduced motion. */
  fly(view: View): void {
    const to = limit(view, this.home, this.box);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.look(to);
    this.flight = { from: this.view, to, start: performance.now() };
    this.redraw();
  }

  /** Target of the running animation, else the current view. */
  get destination(): View {
    return this.flight?.to ?? this.view;
  }

  redraw(): void {
    this.frame ||= requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number): void {
    this.frame = 0;
    if (this.size.width === 0) return;
    if (this.flight) {
      const t = Math.min(1, Math.max(0, (now - this.flight.start) / ANIMATION_MS));
      this.view = between(this.flight.from, this.flight.to, t);
      this.moves();
      if (t === 1) this.flight = null;
      else this.redraw();
    }
    // While everything is in view, a finger scrolls the page; after zooming in, it pans the map.
    this.element.classList.toggle("is-zoomed", this.zoom > 1.01);
    const ratio = this.ratio();
    this.setPixels(this.renderer.canvas, ratio);
    this.renderer.draw(this.view, ratio, this.diameter, this.hooks.paper());
    this.setPixels(this.over, ratio);
    const context = this.over.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    this.hooks.overlay(context);
  }

  private moves(): void {
    this.moving = performance.now() + SETTLE_MS;
    clearTimeout(this.settle);
    this.settle = setTimeout(() => this.redraw(), SETTLE_MS + 10);
  }

  /** Device pixels per CSS pixel. Without a GPU, a moving view is drawn at a lower resolution to keep up. */
  private ratio(): number {
    const coarse = this.renderer.kind === "canvas" && performance.now() < this.moving;
    return coarse ? Math.min(1, devicePixelRatio) : devicePixelRatio;
  }

  /** Resizes only on change, because setting the size clears a canvas. */
  private setPixels(canvas: HTMLCanvasElement, ratio: number): void {
    const width = Math.round(this.size.width * ratio);
    const height = Math.round(this.size.height * ratio);
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }

  /** Handles a resize; keeps the center of the view. */
  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    const zoom = this.size.width === 0 ? 1 : this.zoom;
    this.size = { width, height };
    this.home = fit(this.box, this.size);
    const { x, y } = zoom === 1 ? this.home : this.view;
    this.view = limit({ x, y, scale: this.home.scale * zoom }, this.home, this.box);
    this.redraw();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settle);
    this.observer.disconnect();
    const { renderer } = this;
    renderer.canvas.remove();
    renderer.destroy();
  }
}
