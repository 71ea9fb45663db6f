/**
 * Error handling. Every section is built by `guarded`, which replaces a failed section with a note. Any other error is
 * reported at the top of the page, together with the static results table that the program wrote into the HTML.
 */
import { h } from "./dom";

const NUMBERS = "numbers";
const PANEL = "failure";

const errorText = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

let plain: Element | null = null;

/** Removes the static results table; the rendered page shows the same numbers. */
export function hidePlainNumbers(): void {
  const found = document.getElementById(NUMBERS);
  if (!found) return;
  plain = found;
  found.remove();
}

/** Restores the static results table at the top of the page. */
function showPlainNumbers(): void {
  if (plain && !plain.isConnected) document.body.prepend(plain);
}

/** Reports an error at the top of the page. Only the first error is reported. */
export function announceFailure(error: unknown): void {
  showPlainNumbers();
  if (document.getElementById(PANEL)) return;
  document.body.prepend(h("div", { id: PANEL, class: "failure wide", role: "alert" },
    h("p", null, h("b", null, "Part of this page could not be displayed."), ` The script failed with "${errorText(error)}".`),
    h("p", null, "The table below lists the results. The run's files are not affected. Please report this error.")));
}

/**
 * Returns the result of `build`, or a note if it throws. If `needed`, an error also restores the static results table,
 * because the section's numbers appear nowhere else on the page.
 */
export function guarded(title: string, build: () => HTMLElement | null, needed = false): HTMLElement | null {
  try {
    return build();
  } catch (error) {
    if (needed) announceFailure(error);
    return h("p", { class: "failed note", role: "alert" }, `"${title}" could not be displayed: ${errorText(error)}.`);
  }
}

/** Reports errors outside of sections: in event handlers and promises. */
export function watchForFailures(): void {
  addEventListener("error", (event) => {
    if (event.error) announceFailure(event.error); // without `error` the event does not come from this script
  });
  addEventListener("unhandledrejection", (event) => announceFailure(event.reason));
}
