/** Overview section: the main results of the run. */
import { h, named, type Child } from "../dom";
import { count, counted, duration, finite, intervalText, MISSING, percent } from "../format";
import type { Delivered, Metric, MetricInterval, Protocol, RunData, Summary } from "../model";
import { commandBlock } from "./command";
import { informationBar } from "./information";
import { progress } from "./progress";
import { sampleName, setting } from "./words";

/** Interval of the reported accuracy; null if it was measured at another epoch than the stored interval. */
function reportedInterval({ accuracy, protocol, protocols }: Summary): MetricInterval {
  const own = protocols[protocol];
  const same = own && finite(own.top1) && finite(accuracy.reported) && Math.abs(own.top1 - accuracy.reported) < 1e-9;
  return same ? own.top1_interval : null;
}

/** Formats a fraction as the headline number. */
const bigNumber = (value: Metric): HTMLElement =>
  h("p", { class: "big-number" }, ...(finite(value) ? [(100 * value).toFixed(1), h("span", { class: "unit" }, "%")] : [MISSING]));

/** Explains why this epoch is the delivered one. */
function epochReason({ epoch, epochs, validation }: Delivered): string {
  return validation ? `epoch ${epoch} of ${epochs}, best on ${counted(validation.samples, "validation sample")}` : `last epoch (${epoch})`;
}

/** Accuracy by the paper's reporting rule, for runs that use it. */
function paperNote({ accuracy }: Summary): HTMLElement | null {
  if (accuracy.report !== "best-test-epoch") return null;
  const epoch = accuracy.reported_epoch === "best" ? `best test epoch (${accuracy.best_epoch})` : "last epoch";
  return h("p", { class: "note" }, `Paper's reporting rule, ${epoch}: ${percent(accuracy.reported)}`);
}

function deliveredBlock(run: RunData, summary: Summary, delivered: Delivered): HTMLElement {
  const tests = counted(summary.samples.test, `test ${sampleName(run)}`);
  return h("div", { class: "big" },
    h("p", { class: "big-label" }, `Accuracy, ${delivered.readout_text}`),
    bigNumber(delivered.top1),
    h("p", { class: "big-interval" }, `95 % interval ${intervalText(delivered.top1_interval)}`),
    h("p", { class: "note" }, `${epochReason(delivered)}, ${tests}`),
    paperNote(summary));
}

/** Runs of older versions have no `delivered`. */
function accuracyBlock(run: RunData, summary: Summary): HTMLElement {
  const { accuracy, protocol, samples, delivered } = summary;
  if (delivered) return deliveredBlock(run, summary, delivered);
  const interval = reportedInterval(summary);
  const epoch = accuracy.reported_epoch === "best" ? `best epoch (${accuracy.best_epoch})` : "last epoch";
  return h("div", { class: "big" },
    h("p", { class: "big-label" }, `Accuracy, ${protocol}`),
    bigNumber(accuracy.reported),
    interval && h("p", { class: "big-interval" }, `95 % interval ${intervalText(interval)}`),
    h("p", { class: "note" }, `${epoch}, ${counted(samples.test, `test ${sampleName(run)}`)}`));
}

/** Draws value and interval of a protocol on an axis shared by all protocols. */
function intervalMark({ top1, top1_interval: interval }: Protocol, [from, to]: [number, number]): HTMLElement | null {
  if (!finite(top1) || !interval) return null;
  const [low, high] = interval;
  const at = (v: number): string => `${(100 * (v - from)) / (to - from)}%`;
  return h("span", { class: "interval", "aria-hidden": "true" },
    h("span", { class: "interval-range", style: { left: at(low), width: `${(100 * (high - low)) / (to - from)}%` } }),
    h("span", { class: "interval-point", style: { left: at(top1) } }));
}

/** With at most this many classes, top-5 accuracy is always 1. */
const TOP = 5;

/** Range of the shared axis. */
function commonRange(protocols: Protocol[]): [number, number] {
  const ends = protocols.flatMap((protocol) => protocol.top1_interval ?? []);
  if (ends.length === 0) return [0, 1];
  const room = 0.1 * (Math.max(...ends) - Math.min(...ends)) || 0.01;
  return [Math.min(...ends) - room, Math.max(...ends) + room];
}

/** Null for cosine similarities, which are not probabilities; older runs recorded an error for them too. */
function calibrationError(summary: Summary, name: string, protocol: Protocol): Metric {
  const cosines = summary.test_classes === undefined && ["nearest-centroid", "projection"].includes(name);
  return cosines ? null : (protocol.calibration_error ?? null);
}

function protocolTable(summary: Summary): HTMLElement {
  const all = Object.entries(summary.protocols);
  const range = commonRange(Object.values(summary.protocols));
  const calibrated = all.some(([name, protocol]) => calibrationError(summary, name, protocol) !== null);
  const head = ["Protocol", "Accuracy", "95 % interval", "Top 5", ...(calibrated ? ["Calibration error"] : [])];
  return h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Accuracy by protocol" },
    h("table", { class: "protocols" },
      h("caption", { class: "visually-hidden" }, "Accuracy by protocol"),
      h("thead", null, h("tr", null, ...head.map((name, i) =>
        h("th", { scope: "col", class: i === 0 || i === 2 ? null : "number" }, name)))),
      h("tbody", null, ...all.map(([name, protocol]) => h("tr", null,
        h("th", { scope: "row" }, name),
        h("td", { class: "number strong" }, percent(protocol.top1)),
        h("td", null, h("span", { class: "with-interval" }, intervalMark(protocol, range), intervalText(protocol.top1_interval))),
        h("td", { class: "number" }, summary.classes > TOP ? percent(protocol.top5) : MISSING),
        calibrated && h("td", { class: "number" }, percent(calibrationError(summary, name, protocol))))))));
}

const fact = (name: string, value: Child, aside?: string | false): HTMLElement =>
  h("div", { class: "fact" }, h("dt", null, name), h("dd", null, value, aside ? h("span", { class: "aside" }, aside) : null));

function facts(run: RunData, summary: Summary): HTMLElement {
  const { samples, seconds, retrieval, ranks } = summary;
  const several = `${sampleName(run)}s`;
  const skipped = samples.skipped > 0 ? `, ${count(samples.skipped)} skipped` : "";
  const noisy = summary.label_noise > 0;
  return h("dl", { class: "facts" },
    fact("Training time", duration(seconds.train), `${counted(summary.epochs, "epoch")}; ${duration(seconds.total)} total`),
    fact("Speed", `${count(summary.images_per_second)} ${several}/s`, ranks !== undefined && ranks > 1 && `${ranks} processes`),
    fact("Training samples", count(samples.train), `${counted(samples.test, "test sample")}${skipped}`),
    fact("Classes", count(summary.classes)),
    fact("Label noise", noisy ? percent(summary.label_noise, 0) : "none", noisy && counted(summary.wrong_labels, "wrong label")),
    retrieval?.map_at_r !== undefined && fact("MAP@R", percent(retrieval.map_at_r),
      retrieval.recall_at_1 !== undefined && `Recall@1: ${percent(retrieval.recall_at_1)}`));
}

function titleBlock(run: RunData): HTMLElement {
  const seed = setting(run, "seed");
  const about = [setting(run, "dataset.name"), setting(run, "loss.name"), setting(run, "encoder.name"), seed && `seed ${seed}`];
  return h("div", { class: "title-block" },
    h("h1", null, named(run.name)),
    h("p", { class: "about" },
      run.state === "finished" ? null : h("span", { class: `badge ${run.state}` }, run.state),
      ...about.map((text) => text && h("span", { class: "badge" }, named(text))),
      h("span", { class: "path" }, named(run.path))));
}

export function headline(run: RunData): HTMLElement {
  const { summary } = run;
  return h("div", { class: "headline" },
    titleBlock(run),
    summary ? h("div", { class: "result" }, accuracyBlock(run, summary), protocolTable(summary)) : progress(run),
    summary?.information ? informationBar(summary.information) : null,
    summary ? facts(run, summary) : null,
    run.commands.length > 0 ? commandBlock(run.commands) : null);
}
