/** Confusion matrix counts and per-class results. */
import { clopperPearson } from "../beta";
import type { RunData } from "../model";
import { unpack32 } from "../packed";

export interface ClassResult {
  index: number;
  name: string;
  samples: number;
  /** Null for a class without samples. */
  accuracy: number | null;
  /** 95 % interval of the accuracy. */
  interval: [number, number] | null;
  /** The class most often predicted by mistake, and its share of the samples; null if there are no errors. */
  confusedWith: { index: number; name: string; share: number } | null;
}

export interface Counts {
  classes: string[];
  protocol: string;
  count(label: number, predicted: number): number;
  samples: number[];
  /** Fraction of the samples of class `label`. */
  share(label: number, predicted: number): number;
}

export function countsOf(run: RunData): Counts | null {
  if (!run.confusion) return null;
  const all = unpack32(run.confusion.counts);
  const k = run.classes.length;
  const count = (label: number, predicted: number): number => all[label * k + predicted] ?? 0;
  const samples = run.classes.map((_, label) => all.subarray(label * k, (label + 1) * k).reduce((a, b) => a + b, 0));
  const share = (label: number, predicted: number): number => (samples[label] ? count(label, predicted) / samples[label]! : 0);
  return { classes: run.classes, protocol: run.confusion.protocol, count, samples, share };
}

export function classResults(counts: Counts): ClassResult[] {
  return counts.classes.map((name, index) => {
    let most = -1;
    counts.classes.forEach((_, other) => {
      if (other !== index && counts.count(index, other) > (most < 0 ? 0 : counts.count(index, most))) most = other;
    });
    return {
      index, name,
      samples: counts.samples[index]!,
      accuracy: counts.samples[index] ? counts.share(index, index) : null,
      interval: counts.samples[index] ? clopperPearson(counts.count(index, index), counts.samples[index]!) : null,
      confusedWith: most < 0 ? null : { index: most, name: counts.classes[most]!, share: counts.share(index, most) },
    };
  });
}
