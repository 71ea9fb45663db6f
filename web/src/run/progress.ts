/** Progress of an unfinished run. */
import { h } from "../dom";
import { count, counted, percent, short } from "../format";
import type { Columns, RunData } from "../model";
import { setting } from "./words";

function last(columns: Columns | undefined, name: string): number | null {
  const values = (columns?.[name] ?? []).filter((v) => v !== null);
  return values[values.length - 1] ?? null;
}

export function progress(run: RunData): HTMLElement {
  const { steps, epochs, tests } = run.curves;
  const done = Math.max(last(steps, "epoch") ?? 0, last(epochs, "epoch") ?? 0);
  const planned = Number(setting(run, "train.epochs")) || null;
  const step = Math.max(last(steps, "step") ?? 0, last(epochs, "step") ?? 0);
  const [protocol, columns] = Object.entries(tests)[0] ?? [null, undefined];
  const accuracy = last(columns, "top1");
  const loss = last(epochs, "loss") ?? last(steps, "loss");
  const known = [
    ["Epochs completed", planned ? `${short(done, 3)} of ${planned}` : short(done, 3)],
    ["Steps", count(step)],
    ["Loss", loss === null ? null : short(loss)],
    [`Accuracy, ${protocol ?? ""}`, accuracy === null ? null : percent(accuracy)],
  ].filter((entry): entry is [string, string] => entry[1] !== null);
  const label = `${short(done, 3)} of ${counted(planned ?? 0, "epoch")} completed`;
  return h("div", { class: "progress-block" },
    planned ? h("progress", { max: planned, value: Math.min(done, planned), "aria-label": label }) : null,
    h("dl", { class: "facts" }, ...known.map(([name, value]) => h("div", { class: "fact" }, h("dt", null, name), h("dd", null, value)))));
}
