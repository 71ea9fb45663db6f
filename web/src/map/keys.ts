import type { Stage } from "./stage";
import { pan, zoomAt } from "./view";

export interface KeyHooks {
  /** Selects the next point in a direction. */
  step(dx: number, dy: number): void;
  /** Whether a point is selected. */
  stepping(): boolean;
  /** Selects the point nearest to the center. */
  begin(): void;
  /** Clears the selection. */
  leave(): void;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const PAN = 70;
const ZOOM = 1.5;

export const KEY_HELP =
  "Plus and minus zoom, 0 resets the view, arrow keys pan. Enter selects a point; arrow keys then move to the next point, Escape clears the selection.";

export function zoomBy(stage: Stage, factor: number): void {
  stage.fly(zoomAt(stage.destination, stage.size, factor, stage.size.width / 2, stage.size.height / 2));
}

function act(stage: Stage, hooks: KeyHooks, key: string): boolean {
  const arrow = ARROWS[key];
  if (arrow && hooks.stepping()) hooks.step(...arrow);
  else if (arrow) stage.fly(pan(stage.destination, -arrow[0] * PAN, -arrow[1] * PAN));
  else if (key === "+" || key === "=") zoomBy(stage, ZOOM);
  else if (key === "-") zoomBy(stage, 1 / ZOOM);
  else if (key === "0") stage.fly(stage.home);
  else if (key === "Enter") hooks.begin();
  else if (key === "Escape" && hooks.stepping()) hooks.leave();
  else return false;
  return true;
}

export function listenToKeys(stage: Stage, hooks: KeyHooks): void {
  stage.element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(stage, hooks, event.key)) event.preventDefault();
  });
}
