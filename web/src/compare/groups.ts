/** Groups runs by method and by condition, the data that they were trained and tested on. */
import { counted, percent, short } from "../format";
import type { Metric, RunData, Summary } from "../model";
import { setting } from "../run/words";
import { dataKey, dataLabels, datasetName, type DataKey } from "./data";

export interface Entry {
  run: RunData;
  summary: Summary;
  seed: number;
  method: string;
  dataset: string;
  /** Runs with the same condition have the same test samples. */
  condition: string;
}

export interface Comparison {
  entries: Entry[];
  methods: string[];
  conditions: string[];
  /** Sentences about differences between methods that their names do not show. */
  remarks: string[];
}

/** Settings that do not identify a method: seeds, machine, data statistics, logging. */
const IGNORED = new RegExp([
  "(^|[._])seed$", "^version$", "^threads$", "^data_root$", "^input\\.(mean|std)$", "^dataset\\.root$", "^loss\\.name$", "^dataset\\.name$",
  "^report\\.", "^train\\.(keep_checkpoints|checkpoint_every|checkpoint_minutes|log_every|loader_threads|rank_timeout)$",
].join("|"));

export function valueOf(run: RunData, key: string): string {
  const text = setting(run, key);
  if (text === null) return "";
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? short(number) : text;
}

const distinct = <T>(values: T[]): T[] => [...new Set(values)];

/** Settings that differ between the runs. */
export function varyingKeys(runs: RunData[]): string[] {
  const keys = distinct(runs.flatMap((run) => run.config.map((entry) => entry.key)));
  return keys.filter((key) => !IGNORED.test(key) && distinct(runs.map((run) => valueOf(run, key))).length > 1);
}

/** "loss.beta" -> "beta" */
export const settingName = (key: string): string => key.slice(key.lastIndexOf(".") + 1).replaceAll("_", " ");

/** "beta 5": the last component of the key, or the full key if that is ambiguous. */
function describe(run: RunData, keys: string[]): string[] {
  const names = keys.map(settingName);
  return keys.flatMap((key, i) => {
    const value = valueOf(run, key);
    const name = names.filter((other) => other === names[i]).length > 1 ? key : names[i]!;
    return value === "" ? [] : [`${name} ${value}`];
  });
}

export const NOISE_KEY = "dataset.label_noise.rate";

/** Dataset settings belong to the condition, all others to the method. */
const isCondition = (key: string): boolean => key.startsWith("dataset.");

function conditionOf(run: RunData, summary: Summary, keys: string[], dataset: string, always: boolean): string {
  const own = keys.filter((key) => isCondition(key) && key !== NOISE_KEY);
  const parts = describe(run, own);
  const { label_noise: rate } = summary;
  if (keys.includes(NOISE_KEY) || rate > 0) parts.unshift(rate > 0 ? `${percent(rate, rate * 100 % 1 ? 1 : 0)} label noise` : "no label noise");
  if (always || parts.length === 0) parts.unshift(dataset);
  return parts.join(", ");
}

interface Tested {
  summary: Summary;
  key: DataKey;
  condition: string;
}

/** Condition names, made unique where equal names stand for different data. */
function uniqueConditions(runs: Tested[]): string[] {
  const found = new Map<Tested, string>();
  for (const condition of distinct(runs.map((run) => run.condition))) {
    const members = runs.filter((run) => run.condition === condition);
    const labels = dataLabels(members);
    members.forEach((run, i) => found.set(run, [condition, labels[i]!].filter((text) => text !== "").join(", ")));
  }
  return runs.map((run) => found.get(run)!);
}

function dataRemarks(runs: Tested[]): string[] {
  const tests = new Set(runs.map(({ key }) => key.test)).size;
  const remarks = tests > 1 ? [`The runs use ${tests} different test sets. Accuracies are compared only within a test set.`] : [];
  if (tests > 1 && runs.some(({ key }) => key.recorded) && runs.some(({ key }) => !key.recorded))
    remarks.push("Older runs did not record their test samples; they are compared only with each other.");
  return remarks;
}

/** Dataset names; runs on the same data share one name, wherever it was stored. */
function datasetNames(runs: { run: RunData; summary: Summary; key: DataKey }[]): string[] {
  const first = new Map<string, string>();
  for (const { run, summary, key } of runs) if (!first.has(key.test)) first.set(key.test, datasetName(run, summary));
  return runs.map(({ key }) => first.get(key.test)!);
}

/** Remarks on settings that differ only between losses, because method names distinguish only runs of one loss. */
function remarksOf(runs: RunData[], named: string[]): string[] {
  const keys = varyingKeys(runs).filter((key) => !isCondition(key) && !key.startsWith("loss.") && !named.includes(key));
  return keys.map((key) => {
    const values = distinct(runs.map((run) => `${setting(run, "loss.name") ?? "?"}: ${valueOf(run, key) || "none"}`));
    return `${key} differs between methods (${values.join(", ")}).`;
  });
}

/**
 * Distinct texts of the entries. Families (losses, datasets) keep their first-occurrence order; within a family, texts are
 * sorted by rank, then in natural order: beta 5 before beta 10.
 */
function inOrder(entries: Entry[], text: (entry: Entry) => string, family: (entry: Entry) => string, rank: (entry: Entry) => number): string[] {
  const families = distinct(entries.map(family));
  const sorted = [...entries].sort((a, b) => families.indexOf(family(a)) - families.indexOf(family(b)) || rank(a) - rank(b)
    || text(a).localeCompare(text(b), "en", { numeric: true }));
  return distinct(sorted.map(text));
}

/** Groups the finished runs. The setting `without` is excluded from the names of methods and conditions. */
export function compareRuns(runs: RunData[], without: string | null = null): Comparison {
  const done = runs.filter((run) => run.summary !== null);
  const all = varyingKeys(done).filter((key) => key !== without);
  const keyed = done.map((run) => ({ run, summary: run.summary!, key: dataKey(run, run.summary!) }));
  const names = datasetNames(keyed);
  const several = distinct(names).length > 1;
  const tested = keyed.map(({ run, summary, key }, i): Tested => {
    const noiseless = without === NOISE_KEY ? { ...summary, label_noise: 0 } : summary;
    return { summary, key, condition: conditionOf(run, noiseless, all, names[i]!, several) };
  });
  const conditions = uniqueConditions(tested);
  const named: string[] = [];
  const entries = keyed.map(({ run, summary }, i): Entry => {
    const siblings = done.filter((other) => other.summary!.loss === summary.loss);
    const keys = varyingKeys(siblings).filter((key) => !isCondition(key) && key !== without);
    named.push(...keys);
    const method = [summary.loss, ...describe(run, keys)].join(", ");
    return { run, summary, seed: summary.seed, method, dataset: names[i]!, condition: conditions[i]! };
  });
  return {
    entries,
    methods: inOrder(entries, (entry) => entry.method, ({ summary }) => summary.loss, () => 0),
    conditions: inOrder(entries, (entry) => entry.condition, ({ dataset }) => dataset, ({ summary }) => summary.label_noise),
    remarks: [...dataRemarks(tested), ...remarksOf(done, named)],
  };
}

export function groupOf({ entries }: Comparison, method: string, condition: string): Entry[] {
  return entries.filter((entry) => entry.method === method && entry.condition === condition).sort((a, b) => a.seed - b.seed);
}

/** Protocols that all runs were evaluated with. */
export function commonProtocols({ entries }: Comparison): string[] {
  const [first, ...others] = entries;
  if (!first) return [];
  const names = distinct([first.summary.protocol, ...Object.keys(first.summary.protocols)]);
  return names.filter((name) => others.every(({ summary }) => name === summary.protocol || name in summary.protocols));
}

/** Accuracy of a run: the reported one for its main protocol, else that of the delivered epoch; null if not measured. */
export function accuracyOf({ summary }: Entry, protocol: string): Metric {
  if (protocol === summary.protocol) return summary.accuracy.reported;
  return summary.protocols[protocol]?.top1 ?? null;
}

/** Describes the epoch at which the accuracies were measured. */
export function epochText({ entries }: Comparison, protocol: string): string {
  const best = entries.filter(({ summary }) => protocol === summary.protocol && summary.accuracy.reported_epoch === "best").length;
  if (best === 0) return entries.some(({ summary }) => summary.delivered?.validation) ? "of the delivered epoch" : "of the last epoch";
  const rule = "of the best test epoch (the paper's rule)";
  return best === entries.length ? rule : `${rule} in ${counted(best, "run")}, of the delivered one in the others`;
}
