/** Axis ticks at round numbers. */

/** Minimum tick distance for steps and epochs: fractions only when zoomed in to less than two units. */
export const smallestStep = (low: number, high: number): number => (high - low >= 2 ? 1 : 0);

/** About `wanted` ticks, at least `smallest` apart. */
export function ticks(low: number, high: number, wanted: number, smallest = 0): number[] {
  const rough = Math.max(smallest, (high - low) / Math.max(1, wanted));
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10);
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

/** Powers of ten, plus multiples of 2 and 5 if the range spans at most three decades. */
export function logTicks(low: number, high: number): number[] {
  const out: number[] = [];
  const decades = Math.log10(high / low);
  const between = decades > 3 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const m of between) {
      const value = Number((m * 10 ** power).toPrecision(12));
      if (value >= low && value <= high) out.push(value);
    }
  return out;
}
