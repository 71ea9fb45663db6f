/** Calls `act` with true before the page goes on paper and with false after, while `element` is in the page. */
export function onPaper(element: Element, act: (paper: boolean) => void): void {
  const listening = new AbortController();
  const { signal } = listening;
  const tell = (paper: boolean): void => {
    if (element.isConnected) act(paper);
    else listening.abort();
  };
  window.addEventListener("beforeprint", () => tell(true), { signal });
  window.addEventListener("afterprint", () => tell(false), { signal });
  matchMedia("print").addEventListener("change", (event) => tell(event.matches), { signal });
}
