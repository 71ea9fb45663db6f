import { scheme, type Scheme } from "../theme";
import type { ColorBy, Filter } from "./coloring";
import { makeScene, visibleSamples } from "./coloring";
import { Grid } from "./grid";
import type { Anchor } from "./names";
import { anchors, drawNames, drawRing } from "./names";
import type { MapColors } from "./palette";
import { mapColors } from "./palette";
import type { Points } from "./points";
import { Stage } from "./stage";
import type { Shot } from "./still";
import { toMapX, toMapY, toScreenX, toScreenY } from "./view";

/** Maximum distance between pointer and point, in pixels. */
const REACH = 14;

/** The samples of a split on a stage: visibility, colors and the active sample. */
export class Plot {
  readonly stage: Stage;
  private colors: MapColors;
  private grid: Grid | null = null;
  private points: Points | null = null;
  private by: ColorBy = "label";
  private isVisible = new Uint8Array(0);
  private found: Anchor[] = [];
  visible: Uint32Array = new Uint32Array(0);
  names = true;
  /** The sample marked by a ring, or -1. */
  active = -1;

  constructor(
    private readonly classes: string[],
    private readonly drawn: () => void,
  ) {
    this.colors = mapColors(classes.length, scheme());
    this.stage = new Stage({
      overlay: (context) => this.overlay(context, this.colors),
      paper: () => this.colors.paper,
    });
  }

  get theme(): MapColors {
    return this.colors;
  }

  setPoints(points: Points): void {
    this.points = points;
    this.active = -1;
    this.grid = new Grid(points.x, points.y, points.box);
    this.stage.show(points.box, points.count);
  }

  refresh(by: ColorBy, filter: Filter): void {
    const points = this.points!;
    this.by = by;
    this.visible = visibleSamples(points, by, this.classes.length, filter);
    this.isVisible = new Uint8Array(points.count);
    for (const i of this.visible) this.isVisible[i] = 1;
    this.found = anchors(points, by, this.classes.length, this.visible);
    if (this.active >= 0 && !this.isVisible[this.active]) this.active = -1;
    this.stage.setScene(makeScene(points, by, this.colors.palette, this.visible));
  }

  recolor(): void {
    this.colors = mapColors(this.classes.length, scheme());
    this.stage.setScene(makeScene(this.points!, this.by, this.colors.palette, this.visible));
  }

  isShown(i: number): boolean {
    return this.isVisible[i] === 1;
  }

  /** Returns the visible sample at a screen position, or -1. */
  at(px: number, py: number, reach = REACH): number {
    const { view, size } = this.stage;
    const wanted = (i: number) => this.isVisible[i] === 1;
    return this.grid!.nearest(toMapX(view, size, px), toMapY(view, size, py), reach / view.scale, wanted);
  }

  place(i: number): { x: number; y: number } {
    const { view, size } = this.stage;
    return { x: toScreenX(view, size, this.points!.x[i]!), y: toScreenY(view, size, this.points!.y[i]!) };
  }

  private overlay(context: CanvasRenderingContext2D, colors: MapColors): void {
    const { view, size, diameter } = this.stage;
    if (this.names) drawNames(context, this.found, this.classes, view, size, colors.ink);
    if (this.active >= 0) {
      const { x, y } = this.place(this.active);
      drawRing(context, x, y, diameter, colors.ink);
    }
    this.drawn();
  }

  /** The current view in the colors of theme `of`. */
  shot(of: Scheme): Shot {
    const colors = mapColors(this.classes.length, of);
    const { view, size, diameter } = this.stage;
    return {
      scene: makeScene(this.points!, this.by, colors.palette, this.visible),
      view, size, diameter,
      paper: colors.paper,
      overlay: (context) => this.overlay(context, colors),
    };
  }
}
