import type { Child } from "../dom";
import { h } from "../dom";
import { percent } from "../format";
import { NO_CLASS } from "../model";
import { image } from "../images";
import type { Points } from "./points";
import { FLAGGED, nameOf } from "./points";
import type { Size } from "./view";

const IMAGE = 112;
/** On maps narrower than this, the card is small and placed above or below its point. */
const NARROW = 480;
const SMALL_IMAGE = 64;
const GAP = 16;

export function className(classes: string[], which: number): string {
  return which === NO_CLASS ? "none" : (classes[which] ?? `class ${which}`);
}

export interface Fact {
  word: string;
  text: string;
  wrong: boolean;
}

/** Label, prediction and audit result of a sample. */
export function factsOf(points: Points, classes: string[], i: number): Fact[] {
  const { label, predicted, truth, audit_score, suggested } = points;
  const name = (values: Uint16Array): string => className(classes, values[i]!);
  const facts: Fact[] = [{ word: "label", text: name(label), wrong: false }];
  if (truth) {
    const wrong = truth[i] !== label[i];
    facts.push({ word: "true label", text: wrong ? `${name(truth)} (label is wrong)` : "same as label", wrong });
  }
  const confidence = (points.similarity[i]! / 255).toFixed(2);
  const missed = predicted[i] !== (truth ?? label)[i];
  facts.push({ word: "predicted", text: `${name(predicted)}, confidence ${confidence}`, wrong: missed });
  if (audit_score && suggested) {
    const flagged = audit_score[i]! > FLAGGED;
    const better = flagged ? `, suggested ${name(suggested)}` : "";
    facts.push({ word: "audit score", text: `${percent(audit_score[i]! / 255, 0)}${better}`, wrong: flagged });
  }
  return facts;
}

/** Tooltip of a point: image and facts of its sample. */
export class Card {
  readonly element = h("div", { class: "map-card", "aria-hidden": "true", hidden: true });
  private shown = -1;
  private points: Points | null = null;

  constructor(private readonly classes: string[]) {}

  setPoints(points: Points): void {
    this.points = points;
    this.hide();
  }

  /** Shows the card next to (x, y), on the side with enough space within `size`. */
  show(i: number, x: number, y: number, size: Size): void {
    const narrow = size.width < NARROW;
    this.element.classList.toggle("is-narrow", narrow);
    if (i !== this.shown) this.fill(i, narrow ? SMALL_IMAGE : IMAGE);
    this.element.hidden = false;
    const { offsetWidth: wide, offsetHeight: high } = this.element;
    const right = x + GAP + wide < size.width ? x + GAP : x - GAP - wide;
    const left = narrow ? Math.min(size.width - wide - 4, Math.max(4, x - wide / 2)) : Math.max(4, right);
    const above = y > size.height / 2 ? y - GAP - high : y + GAP;
    const top = narrow ? above : Math.min(size.height - high - 8, Math.max(8, y - high / 2));
    this.element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  private fill(i: number, side: number): void {
    const points = this.points!;
    this.shown = i;
    const rows: Child[] = factsOf(points, this.classes, i).flatMap(({ word, text, wrong }) => [
      h("dt", null, word), h("dd", { class: wrong ? "is-wrong" : "" }, text),
    ]);
    const name = nameOf(points, i);
    const { images } = points;
    const there = images && images.sheets.length > Math.floor(i / images.perSheet);
    const drawn = there ? image(images, i, side, `Sample ${name}`) : "";
    this.element.replaceChildren(drawn, h("div", null, h("div", { class: "map-card-name" }, name), h("dl", null, ...rows)));
  }

  hide(): void {
    this.element.hidden = true;
    this.shown = -1;
  }
}
