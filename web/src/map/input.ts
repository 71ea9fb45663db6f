import type { Stage } from "./stage";
import { pan, zoomAt } from "./view";

export interface InputHooks {
  /** The pointer hovers over a position without a pressed button; null: it left the map. */
  point(place: { x: number; y: number } | null): void;
  /** A tap or a click. */
  pick(place: { x: number; y: number }): void;
}

/** A pointer that moved at most this many pixels is a tap. */
const TAP_REACH = 6;

const SCROLL_PAUSE_MS = 250;

interface Finger {
  x: number;
  y: number;
  traveled: number;
}

/** Drag to pan, pinch to zoom, double-click to zoom in. */
class Pointers {
  private readonly fingers = new Map<number, Finger>();
  /** Time of the last page scroll. */
  scrolled = -Infinity;

  constructor(
    private readonly stage: Stage,
    private readonly hooks: InputHooks,
  ) {}

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.fingers.set(event.pointerId, { ...this.place(event), traveled: 0 });
    this.stage.element.setPointerCapture(event.pointerId);
  }

  move(event: PointerEvent): void {
    const place = this.place(event);
    const finger = this.fingers.get(event.pointerId);
    if (!finger) {
      if (event.pointerType === "mouse") this.hooks.point(place);
      return;
    }
    const dx = place.x - finger.x;
    const dy = place.y - finger.y;
    finger.traveled += Math.hypot(dx, dy);
    if (this.fingers.size === 2) this.pinch(event.pointerId, finger, place);
    else if (finger.traveled > TAP_REACH) {
      this.hooks.point(null);
      this.stage.element.classList.add("is-dragged");
      this.stage.look(pan(this.stage.view, dx, dy));
    } else return;
    finger.x = place.x;
    finger.y = place.y;
  }

  private pinch(id: number, finger: Finger, place: { x: number; y: number }): void {
    const other = [...this.fingers].find(([key]) => key !== id)![1];
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(place.x - other.x, place.y - other.y);
    const { stage } = this;
    const shifted = pan(stage.view, (place.x - finger.x) / 2, (place.y - finger.y) / 2);
    const middle = { x: (place.x + other.x) / 2, y: (place.y + other.y) / 2 };
    stage.look(zoomAt(shifted, stage.size, after / Math.max(1, before), middle.x, middle.y));
  }

  up(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    this.fingers.delete(event.pointerId);
    if (this.fingers.size === 0) this.stage.element.classList.remove("is-dragged");
    if (!finger || event.type === "pointercancel") return;
    if (finger.traveled <= TAP_REACH) this.hooks.pick(this.place(event));
  }

  /** Zooms, unless the wheel is scrolling the page: then it keeps scrolling when the map moves under the pointer. */
  wheel(event: WheelEvent): void {
    const atHome = event.deltaY > 0 && this.stage.zoom <= 1;
    const scrolling = performance.now() - this.scrolled < SCROLL_PAUSE_MS;
    if (!event.ctrlKey && (atHome || scrolling)) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const by = Math.max(-240, Math.min(240, event.deltaY * lines));
    const { x, y } = this.place(event);
    // Pinching on a touchpad arrives as Ctrl + wheel, in finer steps.
    const factor = Math.exp(-by * (event.ctrlKey ? 0.01 : 0.0022));
    this.stage.look(zoomAt(this.stage.view, this.stage.size, factor, x, y));
    this.hooks.point({ x, y });
  }

  doubleClick(event: MouseEvent): void {
    const { x, y } = this.place(event);
    this.stage.fly(zoomAt(this.stage.view, this.stage.size, event.shiftKey ? 0.5 : 2, x, y));
  }
}

/** Handles pointer events until `signal` aborts. */
export function listenToPointers(stage: Stage, hooks: InputHooks, signal: AbortSignal): void {
  const pointers = new Pointers(stage, hooks);
  const { element } = stage;
  element.addEventListener("pointerdown", (event) => pointers.down(event));
  element.addEventListener("pointermove", (event) => pointers.move(event));
  element.addEventListener("pointerup", (event) => pointers.up(event));
  element.addEventListener("pointercancel", (event) => pointers.up(event));
  element.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") hooks.point(null);
  });
  document.addEventListener("scroll", () => (pointers.scrolled = performance.now()), { passive: true, signal });
  element.addEventListener("wheel", (event) => pointers.wheel(event), { passive: false });
  element.addEventListener("dblclick", (event) => pointers.doubleClick(event));
}
