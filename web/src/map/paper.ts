/** Calls `act` with true before printing and with false after it, while `element` is connected. */
export function onPaper(element: Element, act: (paper: boolean) => void): void {
  const listening = new AbortController();
  const { signal } = listening;
  const notify = (paper: boolean): void => {
    if (element.isConnected) act(paper);
    else listening.abort();
  };
  window.addEventListener("beforeprint", () => notify(true), { signal });
  window.addEventListener("afterprint", () => notify(false), { signal });
  matchMedia("print").addEventListener("change", (event) => notify(event.matches), { signal });
}
