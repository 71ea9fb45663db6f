import type { Points } from "./points";

/**
 * Returns the next visible sample from `from` in the screen direction (dx, dy), y pointing down; `from` if there is none.
 * Minimizes ahead + 2 * aside among samples with 0 < ahead and aside <= ahead.
 */
export function stepFrom(points: Points, visible: Uint32Array, from: number, dx: number, dy: number): number {
  let best = from;
  let bestCost = Infinity;
  for (const i of visible) {
    const right = points.x[i]! - points.x[from]!;
    const down = points.y[from]! - points.y[i]!;
    const ahead = right * dx + down * dy;
    const aside = Math.abs(right * dy) + Math.abs(down * dx);
    if (ahead <= 0 || aside > ahead) continue;
    const cost = ahead + 2 * aside;
    if (cost < bestCost) {
      best = i;
      bestCost = cost;
    }
  }
  return best;
}
