import { frame } from "../chart/figure";
import { freshId, h } from "../dom";
import { count, counted } from "../format";
import type { RunData } from "../model";
import { scheme } from "../theme";
import { Card, factsOf } from "./card";
import type { ColorBy } from "./coloring";
import { COLOR_TITLES, colorsFor, countClasses, countGroups, GROUP_NAMES } from "./coloring";
import * as controls from "./controls";
import { mapSvg, mapTable } from "./exports";
import { listenToPointers } from "./input";
import { KEY_HELP, listenToKeys, zoomBy } from "./keys";
import { Legend } from "./legend";
import { onPaper } from "./paper";
import { Plot } from "./plot";
import type { Split, Points } from "./points";
import { nameOf, unpackPoints } from "./points";
import { stepFrom } from "./step";
import { takeStill } from "./still";

export interface MapHandle {
  /** Highlights the sample with this index in its split and scrolls it into view; null clears the highlight. */
  highlight(split: Split, index: number | null): void;
  destroy(): void;
}

/** Minimum zoom when highlighting a sample. */
const HIGHLIGHT_ZOOM = 3;

class EmbeddingMap implements MapHandle {
  readonly element: HTMLElement;
  private readonly plot: Plot;
  private readonly card: Card;
  private readonly classLegend = new Legend("classes", () => this.refilter());
  private readonly groupLegend = new Legend("groups", () => this.refilter());
  private readonly shown = h("p", { class: "map-shown note", role: "status" });
  private readonly announcement = h("p", { class: "visually-hidden", "aria-live": "polite" });
  private readonly select = controls.colorSelect((by) => this.color(by));
  private readonly ramp = controls.rampKey();
  private readonly splits: Split[];
  private readonly switcher: HTMLElement;
  private readonly paper = h("canvas", { class: "map-paper", "aria-hidden": "true" });
  private readonly unpacked = new Map<Split, Points>();
  private readonly listening = new AbortController();
  private split: Split;
  private by: ColorBy = "label";
  /** The selected sample, or -1. It keeps its ring, unlike a sample that is only hovered. */
  private picked = -1;

  constructor(private readonly run: RunData) {
    this.splits = (["test", "train"] as const).filter((split) => run[split] !== null);
    this.split = this.splits[0]!;
    this.plot = new Plot(run.classes, () => this.placeCard());
    this.card = new Card(run.classes);
    this.switcher = controls.splitSwitch(this.splits, this.split, (split) => this.chooseSplit(split));
    this.element = frame({
      title: "Embedding map", file: run.name, twin: false, body: this.body(),
      svg: () => mapSvg(this.plot.shot(scheme())),
      png: () => this.png(),
      table: () => mapTable(this.points, run.classes),
    });
    this.listen();
    this.chooseSplit(this.split);
  }

  private get points(): Points {
    let points = this.unpacked.get(this.split);
    if (!points) this.unpacked.set(this.split, (points = unpackPoints(this.run[this.split]!)));
    return points;
  }

  private body(): HTMLElement {
    const { stage } = this.plot;
    const help = h("p", { class: "visually-hidden", id: freshId("map-help") }, KEY_HELP);
    stage.element.tabIndex = 0;
    for (const [name, value] of [["role", "application"], ["aria-describedby", help.id], ["aria-label", "Embedding map"]] as const) {
      stage.element.setAttribute(name, value);
    }
    const zoom = controls.zoomButtons(() => zoomBy(stage, 2), () => zoomBy(stage, 0.5), () => stage.fly(stage.home));
    const names = controls.namesToggle(this.plot.names, (on) => {
      this.plot.names = on;
      stage.redraw();
    });
    const bar = h("div", { class: "map-bar" }, this.splits.length > 1 && this.switcher,
      h("label", { class: "map-color" }, "Color by ", this.select), names);
    const image = h("div", { class: "map-image-box" }, stage.element, this.card.element, zoom, this.paper);
    const side = h("div", { class: "map-side" }, this.ramp, this.groupLegend.element, this.classLegend.element);
    return h("div", { class: "map" }, bar, h("div", { class: "map-columns" }, image, side), this.shown, this.announcement, help);
  }

  private listen(): void {
    const { stage } = this.plot;
    const { signal } = this.listening;
    listenToPointers(stage, {
      point: (place) => this.activate(place ? this.plot.at(place.x, place.y) : -1),
      pick: (place) => this.pick(this.plot.at(place.x, place.y, 22)),
    }, signal);
    listenToKeys(stage, {
      stepping: () => this.picked >= 0,
      begin: () => this.pick(this.plot.at(stage.size.width / 2, stage.size.height / 2, stage.size.width)),
      step: (dx, dy) => this.pick(stepFrom(this.points, this.plot.visible, this.picked, dx, dy)),
      leave: () => this.pick(-1),
    });
    document.addEventListener("themechange", () => {
      this.plot.recolor();
      this.fillLegends();
    }, { signal });
    onPaper(this.element, (paper) => paper && this.drawPaper());
  }

  private chooseSplit(split: Split): void {
    this.split = split;
    controls.markSplit(this.switcher, split);
    const offered = colorsFor(this.points);
    if (!offered.includes(this.by)) this.by = "label";
    controls.fillColors(this.select, offered, this.by);
    this.picked = -1;
    this.card.setPoints(this.points);
    this.plot.setPoints(this.points);
    this.color(this.by);
  }

  private color(by: ColorBy): void {
    this.by = by;
    this.groupLegend.hidden.clear();
    this.fillLegends();
    this.refilter();
  }

  private fillLegends(): void {
    const { classes } = this.run;
    const counts = countClasses(this.points, this.by, classes.length);
    const colors = this.plot.theme.classes;
    const groups = GROUP_NAMES[this.by];
    const byClass = counts.map((n, id) => ({
      id, name: classes[id] ?? "none", count: n, color: groups ? "transparent" : colors[id]!,
    }));
    this.classLegend.setEntries(byClass.filter((entry) => entry.id < classes.length || entry.count! > 0));
    this.groupLegend.element.hidden = !groups;
    this.ramp.hidden = this.by !== "audit_score";
    controls.paintRamp(this.ramp, this.plot.theme.palette.ramp);
    const pair = countGroups(this.points, this.by);
    const pairColors = this.plot.theme.groups[this.by === "audit_score" ? "audit_score" : "outcome"];
    const entries = (groups ?? []).map((name, id) => ({ id, name, count: pair[id]!, color: pairColors[id]! }));
    this.groupLegend.setEntries(entries.reverse());
  }

  private refilter(): void {
    this.plot.refresh(this.by, { hiddenClasses: this.classLegend.hidden, hiddenGroups: this.groupLegend.hidden });
    if (this.picked >= 0 && !this.plot.isShown(this.picked)) this.pick(-1);
    else this.activate(this.picked);
    const { points } = this;
    const what = this.split === "test" ? "test sample" : "training sample";
    const of = points.total > points.count ? `${count(points.count)} of ` : "";
    const shown = this.plot.visible.length;
    const fewer = shown < points.count ? `; ${count(shown)} shown` : "";
    const against = this.by === "outcome" ? ` (prediction vs. ${points.truth ? "true" : "given"} label)` : "";
    this.shown.textContent = `${of}${counted(points.total, what)}, ${points.how}${fewer}. Color: ${COLOR_TITLES[this.by]}${against}.`;
  }

  private activate(i: number): void {
    const next = i >= 0 ? i : this.picked;
    if (next === this.plot.active) return;
    this.plot.active = next;
    this.plot.stage.redraw();
  }

  private pick(i: number): void {
    this.picked = i;
    this.activate(i);
    if (i < 0) return;
    const facts = factsOf(this.points, this.run.classes, i).map(({ word, text }) => `${word} ${text}`);
    this.announcement.textContent = [nameOf(this.points, i), ...facts].join("; ");
    const { stage } = this.plot;
    const { x, y } = this.plot.place(i);
    const inside = x > 20 && y > 20 && x < stage.size.width - 20 && y < stage.size.height - 20;
    if (!inside) stage.fly({ ...stage.view, x: this.points.x[i]!, y: this.points.y[i]! });
  }

  private placeCard(): void {
    const i = this.plot.active;
    if (i < 0) return this.card.hide();
    const { x, y } = this.plot.place(i);
    this.card.show(i, x, y, this.plot.stage.size);
  }

  highlight(split: Split, index: number | null): void {
    if (index === null) return this.pick(-1);
    if (!this.splits.includes(split)) return;
    if (split !== this.split) this.chooseSplit(split);
    const i = this.points.index.indexOf(index);
    if (i < 0) {
      this.pick(-1);
      this.announcement.textContent = `Sample ${index} is not on the map.`;
      return;
    }
    if (!this.plot.isShown(i)) this.showAll();
    const { stage } = this.plot;
    this.pick(i);
    const scale = Math.max(stage.view.scale, HIGHLIGHT_ZOOM * stage.home.scale);
    stage.fly({ x: this.points.x[i]!, y: this.points.y[i]!, scale });
  }

  private showAll(): void {
    this.classLegend.hidden.clear();
    this.groupLegend.hidden.clear();
    this.fillLegends();
    this.refilter();
  }

  private png(): Promise<Blob> {
    const canvas = takeStill(this.plot.shot(scheme()), 2);
    return new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG encoding failed")))));
  }

  /** Draws the static image for print, in light colors. */
  private drawPaper(): void {
    if (this.plot.stage.size.width > 0) takeStill(this.plot.shot("light"), 2, this.paper);
  }

  destroy(): void {
    this.listening.abort();
    this.plot.stage.destroy();
    this.element.remove();
  }
}

/** Mounts the map of a run; shows a note if the run has none. */
export function mountMap(host: HTMLElement, run: RunData): MapHandle {
  if (!run.test && !run.train) {
    host.append(h("p", { class: "note" }, "This run has no map."));
    return { highlight: () => undefined, destroy: () => undefined };
  }
  const map = new EmbeddingMap(run);
  host.append(map.element);
  return map;
}
