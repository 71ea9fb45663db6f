import type { Box } from "./view";

/** Uniform grid for nearest-neighbor queries. */
export class Grid {
  private readonly columns: number;
  private readonly rows: number;
  private readonly cell: number;
  /** Cell c holds the points members[starts[c]] up to members[starts[c + 1]]. */
  private readonly starts: Uint32Array;
  private readonly members: Uint32Array;

  constructor(
    private readonly x: ArrayLike<number>,
    private readonly y: ArrayLike<number>,
    private readonly box: Box,
  ) {
    const span = Math.max(1, box.right - box.left, box.top - box.bottom);
    this.cell = span / Math.max(1, Math.sqrt(x.length / 4));
    this.columns = Math.floor((box.right - box.left) / this.cell) + 1;
    this.rows = Math.floor((box.top - box.bottom) / this.cell) + 1;
    this.starts = new Uint32Array(this.columns * this.rows + 1);
    this.members = new Uint32Array(x.length);
    this.fill();
  }

  private fill(): void {
    for (let i = 0; i < this.x.length; ++i) this.starts[this.cellOf(i) + 1]!++;
    for (let c = 1; c < this.starts.length; ++c) this.starts[c]! += this.starts[c - 1]!;
    const next = this.starts.slice();
    for (let i = 0; i < this.x.length; ++i) this.members[next[this.cellOf(i)]!++] = i;
  }

  private cellOf(i: number): number {
    return this.row(this.y[i]!) * this.columns + this.column(this.x[i]!);
  }

  private column(x: number): number {
    return Math.min(this.columns - 1, Math.max(0, Math.floor((x - this.box.left) / this.cell)));
  }

  private row(y: number): number {
    return Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.box.bottom) / this.cell)));
  }

  /** Returns the nearest point within distance `reach` for which `wanted` is true, or -1. */
  nearest(x: number, y: number, reach: number, wanted: (i: number) => boolean): number {
    let best = -1;
    let bestDistance = reach * reach;
    for (let row = this.row(y - reach); row <= this.row(y + reach); ++row) {
      const first = this.starts[row * this.columns + this.column(x - reach)]!;
      const last = this.starts[row * this.columns + this.column(x + reach) + 1]!;
      for (let k = first; k < last; ++k) {
        const i = this.members[k]!;
        const distance = (this.x[i]! - x) ** 2 + (this.y[i]! - y) ** 2;
        if (distance <= bestDistance && wanted(i)) {
          best = i;
          bestDistance = distance;
        }
      }
    }
    return best;
  }
}
