/**
 * Keeps the page of an unfinished run up to date. A page from a server polls for new data and redraws what changed. A
 * page from a file reloads itself while the reader is idle.
 */
import { h } from "./dom";
import { announceFailure } from "./failure";
import type { PageData } from "./model";

const IDLE_MS = 3000; // time without input before a file is reloaded
const SCROLL = "scroll";

/** Status line in the corner of the page. */
function liveNote(): { show(text: string): void; remove(): void } {
  const note = h("p", { class: "live", role: "status", hidden: true });
  document.body.append(note);
  return {
    show: (text) => {
      if (note.textContent !== text) note.textContent = text;
      note.hidden = false;
    },
    remove: () => note.remove(),
  };
}

function poll(page: PageData, show: (page: PageData) => void): void {
  const note = liveNote();
  note.show("live");
  let seconds = page.refresh;
  const update = async (): Promise<void> => {
    try {
      const response = await fetch("data.json" + location.search, { cache: "no-cache" }); // allows a 304 response
      if (!response.ok) throw new Error(String(response.status));
      const newer = (await response.json()) as PageData;
      seconds = newer.refresh;
      note.show("live");
      try {
        show(newer);
      } catch (error) {
        announceFailure(error);
      }
    } catch {
      note.show("disconnected, retrying");
    }
    if (seconds > 0) setTimeout(update, 1000 * seconds);
    else note.remove();
  };
  setTimeout(update, 1000 * seconds);
}

/** Returns a function that gives the milliseconds since the last input; infinite before the first. */
function trackInput(): () => number {
  let last = -Infinity;
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"])
    addEventListener(type, () => (last = performance.now()), { passive: true });
  return () => performance.now() - last;
}

function reload(seconds: number): void {
  liveNote().show("live");
  const idleTime = trackInput();
  const reloadIfIdle = (): void => {
    const busy = document.hidden || idleTime() < IDLE_MS || getSelection()?.isCollapsed === false || document.activeElement?.tagName === "INPUT";
    if (busy) {
      setTimeout(reloadIfIdle, 1000);
      return;
    }
    try {
      sessionStorage.setItem(SCROLL, String(scrollY));
    } catch {
      // Without storage, rely on the browser's own scroll restoration.
    }
    location.reload();
  };
  setTimeout(reloadIfIdle, 1000 * seconds);
}

/** Restores the scroll position saved before a reload. */
function restoreScroll(): void {
  try {
    const before = sessionStorage.getItem(SCROLL);
    sessionStorage.removeItem(SCROLL);
    if (before !== null) scrollTo({ top: Number(before), behavior: "instant" });
  } catch {
    // Without storage, the page starts at the top.
  }
}

export function keepFresh(page: PageData, show: (page: PageData) => void): void {
  restoreScroll();
  if (page.refresh <= 0) return;
  if (location.protocol === "file:") reload(page.refresh);
  else poll(page, show);
}
