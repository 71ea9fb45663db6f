/** The map of a run's embeddings. */
import { h } from "../dom";
import type { RunData } from "../model";

export interface MapHandle {
  highlight(part: "train" | "test", index: number | null): void;
  destroy(): void;
}

export function mountMap(host: HTMLElement, run: RunData): MapHandle {
  const shown = (run.test?.count ?? 0) + (run.train?.count ?? 0);
  host.append(h("p", { class: "map-placeholder" }, `${shown} samples`));
  return { highlight: () => undefined, destroy: () => host.replaceChildren() };
}
