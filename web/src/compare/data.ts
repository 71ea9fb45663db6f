/** Which data runs were trained and tested on: only accuracies on the same test set can be compared. */
import { counted } from "../format";
import type { RunData, Summary } from "../model";
import { setting } from "../run/words";

/** Names that say how the data is stored, not which data it is. */
const GENERIC = new Set(["folder", "embeddings"]);

/** Settings that draw another training subset for every seed unless they are 1. */
const DRAWN_BY_SEED = ["dataset.imbalance", "dataset.label_fraction"];

/** "fashion-mnist"; for a folder, the name of the folder. */
export function datasetName(run: RunData, summary: Summary): string {
  const root = (setting(run, "dataset.root") ?? "").replace(/[\\/]+$/, "");
  return GENERIC.has(summary.dataset) && root !== "" ? root.split(/[\\/]/).pop()! : summary.dataset;
}

export interface DataKey {
  /** Equal for runs with the same test samples and labels. */
  test: string;
  /** The same for training data. */
  train: string;
  /** False for runs that recorded no fingerprints: they are told apart by their settings. */
  recorded: boolean;
}

export function dataKey(run: RunData, summary: Summary): DataKey {
  const { train_fingerprint: train, test_fingerprint: test } = summary.data ?? {};
  if (!test) {
    const known = [summary.dataset, setting(run, "dataset.root"), summary.classes, summary.samples.test];
    return { test: `settings ${JSON.stringify(known)}`, train: "", recorded: false };
  }
  const drawn = DRAWN_BY_SEED.some((key) => Number(setting(run, key) ?? 1) !== 1);
  return { test, train: drawn ? "" : (train ?? ""), recorded: true };
}

const letter = (i: number): string => (i < 26 ? String.fromCharCode(65 + i) : String(i + 1));

/** What one of several groups of data under one name is called. */
export function dataLabels(runs: { key: DataKey; summary: Summary }[]): string[] {
  const tests = [...new Set(runs.map(({ key }) => key.test))];
  const trainsOf = new Map(tests.map((test) =>
    [test, [...new Set(runs.filter(({ key }) => key.test === test).map(({ key }) => key.train))]]));
  return runs.map(({ key, summary: { samples } }) => {
    const parts: string[] = [];
    if (tests.length > 1) parts.push(`test set ${letter(tests.indexOf(key.test))} (${counted(samples.test, "sample")}${key.recorded ? "" : ", not recorded"})`);
    const trains = trainsOf.get(key.test)!;
    if (trains.length > 1) parts.push(`training data ${letter(trains.indexOf(key.train))} (${counted(samples.train, "sample")})`);
    return parts.join(", ");
  });
}
