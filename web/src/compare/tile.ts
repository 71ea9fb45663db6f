/** Small map of one run, colored by label, that links to the run's report. */
import { drawWith } from "../chart/canvas";
import { h } from "../dom";
import { percent } from "../format";
import { makeScene, visibleSamples } from "../map/coloring";
import { mapColors } from "../map/palette";
import { onPaper } from "../map/paper";
import { unpackPoints, type Points } from "../map/points";
import { takeStill, type Shot } from "../map/still";
import { fit, pointSize } from "../map/view";
import { scheme, type Scheme } from "../theme";
import type { Entry } from "./groups";
import { accuracyOf } from "./groups";
import { runAddress } from "./route";

export class Tile {
  readonly element: HTMLAnchorElement;
  readonly caption: string;
  private readonly canvas = h("canvas", { class: "tile-image", "aria-hidden": "true" });
  private unpacked: Points | null = null;
  private width = 0;

  constructor(
    readonly entry: Entry,
    protocol: string,
    private readonly hidden: ReadonlySet<number>,
  ) {
    this.caption = `${entry.method}, ${percent(accuracyOf(entry, protocol))}`;
    const holder = h("div", { class: "tile-box" }, this.canvas);
    this.element = h("a", { class: "tile", href: runAddress(entry.run.name) }, holder,
      h("span", { class: "tile-name" }, entry.method),
      h("span", { class: "aside" }, `${percent(accuracyOf(entry, protocol))} · ${entry.run.name}`));
    drawWith(holder, (width) => {
      this.width = width;
      this.draw();
    });
    onPaper(this.element, (paper) => this.draw(paper ? "light" : scheme()));
  }

  get points(): Points {
    return (this.unpacked ??= unpackPoints(this.entry.run.test!));
  }

  draw(of: Scheme = scheme()): void {
    if (this.width > 0) takeStill(this.shot(this.width, of), Math.max(2, devicePixelRatio), this.canvas);
  }

  /** The map as a square with side length `width` in pixels. */
  shot(width: number, of: Scheme): Shot {
    const { points } = this;
    const classes = this.entry.run.classes.length;
    const { palette, paper } = mapColors(classes, of);
    const seen = visibleSamples(points, "label", classes, { hiddenClasses: this.hidden, hiddenGroups: new Set() });
    const size = { width, height: width };
    return {
      scene: makeScene(points, "label", palette, seen), view: fit(points.box, size), size,
      diameter: Math.max(1.8, 0.8 * pointSize(points.count, size, 1)), paper, overlay: () => undefined,
    };
  }
}
