/**
 * What a reader sees when the script fails. Every section is built behind `guarded`; whatever else throws is told in a
 * line at the top, and the table of results that the program wrote into the page as plain HTML comes back.
 */
import { h } from "./dom";

const NUMBERS = "numbers";
const PANEL = "failure";

const errorText = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

let plain: Element | null = null;

/** Takes the plain table of results away; the page shows them itself. */
export function hidePlainNumbers(): void {
  const found = document.getElementById(NUMBERS);
  if (!found) return;
  plain = found;
  found.remove();
}

/** Brings it back to the top of the page. */
function showPlainNumbers(): void {
  if (plain && !plain.isConnected) document.body.prepend(plain);
}

/** Says in the page that something failed; the first failure is the one that is told. */
export function announceFailure(error: unknown): void {
  showPlainNumbers();
  if (document.getElementById(PANEL)) return;
  document.body.prepend(h("div", { id: PANEL, class: "failure wide", role: "alert" },
    h("p", null, h("b", null, "Part of this page could not be displayed."), ` The script failed with "${errorText(error)}".`),
    h("p", null, "The table below holds the results. The files of the run are not affected; please report this error.")));
}

/** What `build` gives, or a note in its place if it throws. `needed`: the numbers are nowhere else on the page. */
export function guarded(title: string, build: () => HTMLElement | null, needed = false): HTMLElement | null {
  try {
    return build();
  } catch (error) {
    if (needed) announceFailure(error);
    return h("p", { class: "failed note", role: "alert" }, `"${title}" could not be displayed: ${errorText(error)}.`);
  }
}

/** Failures outside of sections: in callbacks of the browser, in promises. */
export function watchForFailures(): void {
  addEventListener("error", (event) => {
    if (event.error) announceFailure(event.error); // without one it is a remark of the browser, not of this script
  });
  addEventListener("unhandledrejection", (event) => announceFailure(event.reason));
}
