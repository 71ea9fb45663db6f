/**
 * A page of a run that goes on. From a server the newer data is fetched and what changed is drawn
 * anew; a file is loaded again, when nobody is busy with it.
 */
import { h } from "./dom";
import { announceFailure } from "./failure";
import type { PageData } from "./model";

const QUIET = 3000; // milliseconds without a touch before a file is loaded again
const SCROLL = "scroll";

/** A line in the corner that says how fresh the page is. */
function liveNote(): { say(text: string): void; end(): void } {
  const note = h("p", { class: "live", role: "status", hidden: true });
  document.body.append(note);
  return {
    say: (text) => {
      if (note.textContent !== text) note.textContent = text;
      note.hidden = false;
    },
    end: () => note.remove(),
  };
}

function poll(page: PageData, show: (page: PageData) => void): void {
  const note = liveNote();
  note.say("live");
  let seconds = page.refresh;
  const look = async (): Promise<void> => {
    try {
      const answer = await fetch("data.json" + location.search, { cache: "no-cache" }); // the server may say: as before
      if (!answer.ok) throw new Error(String(answer.status));
      const newer = (await answer.json()) as PageData;
      seconds = newer.refresh;
      note.say("live");
      try {
        show(newer);
      } catch (error) {
        announceFailure(error);
      }
    } catch {
      note.say("not reachable, trying again");
    }
    if (seconds > 0) setTimeout(look, 1000 * seconds);
    else note.end();
  };
  setTimeout(look, 1000 * seconds);
}

/** When the reader last did something; far in the past at first. */
function watchReader(): () => number {
  let last = -Infinity;
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"])
    addEventListener(type, () => (last = performance.now()), { passive: true });
  return () => performance.now() - last;
}

function reload(seconds: number): void {
  liveNote().say("live");
  const quiet = watchReader();
  const look = (): void => {
    const busy = document.hidden || quiet() < QUIET || getSelection()?.isCollapsed === false || document.activeElement?.tagName === "INPUT";
    if (busy) {
      setTimeout(look, 1000);
      return;
    }
    try {
      sessionStorage.setItem(SCROLL, String(scrollY));
    } catch {
      // The browser's own memory of the position has to do.
    }
    location.reload();
  };
  setTimeout(look, 1000 * seconds);
}

/** Where the page was before it was loaded again. */
function restoreScroll(): void {
  try {
    const before = sessionStorage.getItem(SCROLL);
    sessionStorage.removeItem(SCROLL);
    if (before !== null) scrollTo({ top: Number(before), behavior: "instant" });
  } catch {
    // Nothing is kept: the page begins at its top.
  }
}

export function keepFresh(page: PageData, show: (page: PageData) => void): void {
  restoreScroll();
  if (page.refresh <= 0) return;
  if (location.protocol === "file:") reload(page.refresh);
  else poll(page, show);
}
