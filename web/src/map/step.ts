import type { Points } from "./points";

/**
 * The visible sample that one comes to from `from` in a direction (screen: y grows downwards).
 * Those straight ahead come before those to the side: distance aside counts double, and what lies
 * more to the side than ahead does not count.
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
