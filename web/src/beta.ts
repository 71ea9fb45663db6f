/** Regularized incomplete beta function and the Clopper-Pearson interval of a proportion. */

const LANCZOS = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3, -5.395239384953e-6,
];

function logGamma(x: number): number {
  const base = x + 5.5;
  const series = LANCZOS.reduce((sum, c, i) => sum + c / (x + 1 + i), 1.000000000190015);
  return (x + 0.5) * Math.log(base) - base + Math.log((2.5066282746310005 * series) / x);
}

/** Continued fraction of the incomplete beta function, evaluated by Lentz's method. */
function betaFraction(a: number, b: number, x: number): number {
  const guard = (v: number): number => (Math.abs(v) < 1e-300 ? 1e-300 : v);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 300; ++m) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / guard(1 + term * d);
      c = guard(1 + term / c);
      change = c * d;
      result *= change;
    }
    if (Math.abs(change - 1) < 1e-14) break;
  }
  return result;
}

/** Regularized incomplete beta function. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  const direct = x < (a + 1) / (a + b + 2);
  return direct ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** Returns the x at which the regularized incomplete beta function equals `probability`, by bisection. */
function betaQuantile(a: number, b: number, probability: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; ++i) {
    const middle = (low + high) / 2;
    if (incompleteBeta(a, b, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Exact 95 % interval of a binomial proportion (Clopper-Pearson). Example: 6 of 6 gives 0.54 to 1. */
export function clopperPearson(successes: number, trials: number): [number, number] {
  const tail = 0.025;
  return [
    successes <= 0 ? 0 : betaQuantile(successes, trials - successes + 1, tail),
    successes >= trials ? 1 : betaQuantile(successes + 1, trials - successes, 1 - tail),
  ];
}
