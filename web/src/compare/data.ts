/** Identifies the data of a run: only accuracies on the same test set are comparable. */
import { counted } from "../format";
import type { RunData, Summary } from "../model";
import { setting } from "../run/words";

/** Dataset names that describe the storage format, not the data. */
const GENERIC = new Set(["folder", "embeddings"]);

/** Settings that draw a different training subset for every seed, unless they are 1. */
const DRAWN_BY_SEED = ["dataset.imbalance", "dataset.label_fraction"];

/** Display name of the dataset, such as "fashion-mnist"; for a folder, the folder name. */
export function datasetName(run: RunData, summary: Summary): string {
  const root = (setting(run, "dataset.root") ?? "").replace(/[\\/]+$/, "");
  return GENERIC.has(summary.dataset) && root !== "" ? root.split(/[\\/]/).pop()! : summary.dataset;
}

export interface DataKey {
  /** Equal for runs with the same test samples and labels. */
  test: string;
  /** Equal for runs with the same training samples and labels. */
  train: string;
  /** False for runs without recorded fingerprints, which are identified by their settings. */
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

/** Labels that distinguish datasets with the same name. */
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
