/** Visible area: center in map units, and CSS pixels per map unit. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

const MARGIN = 0.06;
const MAX_ZOOM = 60;
const MIN_ZOOM = 0.7;

/** Returns the view that shows a whole box with a margin. */
export function fit(box: Box, size: Size): View {
  const wide = Math.max(1, box.right - box.left);
  const high = Math.max(1, box.top - box.bottom);
  const room = 1 - 2 * MARGIN;
  const scale = Math.min((size.width * room) / wide, (size.height * room) / high);
  return { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale };
}

export function toScreenX(view: View, size: Size, x: number): number {
  return (x - view.x) * view.scale + size.width / 2;
}

export function toScreenY(view: View, size: Size, y: number): number {
  return size.height / 2 - (y - view.y) * view.scale;
}

export function toMapX(view: View, size: Size, px: number): number {
  return view.x + (px - size.width / 2) / view.scale;
}

export function toMapY(view: View, size: Size, py: number): number {
  return view.y - (py - size.height / 2) / view.scale;
}

/** Zooms around the pixel (px, py). */
export function zoomAt(view: View, size: Size, factor: number, px: number, py: number): View {
  const x = toMapX(view, size, px);
  const y = toMapY(view, size, py);
  const scale = view.scale * factor;
  return { x: x - (px - size.width / 2) / scale, y: y + (py - size.height / 2) / scale, scale };
}

export function pan(view: View, dx: number, dy: number): View {
  return { x: view.x - dx / view.scale, y: view.y + dy / view.scale, scale: view.scale };
}

/** Clamps the zoom, and the center to the box. */
export function limit(view: View, home: View, box: Box): View {
  const scale = Math.min(home.scale * MAX_ZOOM, Math.max(home.scale * MIN_ZOOM, view.scale));
  const x = Math.min(box.right, Math.max(box.left, view.x));
  const y = Math.min(box.top, Math.max(box.bottom, view.y));
  return { x, y, scale };
}

/** Interpolates between two views, `t` from 0 to 1, with easing; the zoom is interpolated geometrically. */
export function between(from: View, to: View, t: number): View {
  const eased = 1 - (1 - t) ** 3;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased,
  };
}

/** Diameter of a point in pixels: decreases with the number of points, grows slowly with the zoom. */
export function pointSize(count: number, size: Size, zoom: number): number {
  const apart = Math.sqrt((size.width * size.height) / Math.max(1, count));
  const base = Math.min(9, Math.max(2.4, 0.6 * apart));
  return Math.min(18, base * Math.max(0.8, zoom ** 0.4));
}
