/** Accessibility checks. */

/** Drawings that have no accessible name and are not hidden from screen readers. */
export function unlabeled(page) {
  return page.evaluate(() => [...document.querySelectorAll("canvas, svg")]
    .filter((drawing) => {
      const named = drawing.closest("[aria-label], [aria-labelledby], [aria-hidden=true]");
      return !named || (named.matches("figure, section") && !drawing.matches("[aria-label]"));
    })
    .map((drawing) => drawing.outerHTML.slice(0, 80)));
}

/** Contrast of every text node with its background. */
export function contrasts(page) {
  return page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    // Composites the colors on a canvas, which handles any notation and transparency.
    const paint = (...colors) => {
      canvas.clearRect(0, 0, 1, 1);
      for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const grounds = (element) => {
      const list = [];
      for (let at = element; at; at = at.parentElement) list.unshift(getComputedStyle(at).backgroundColor);
      return list;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const out = [];
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || element.closest("svg, script, noscript, [aria-hidden=true]") || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const under = grounds(element);
      const [a, b] = [luminance(paint(...under)), luminance(paint(...under, style.color))].sort((x, y) => y - x);
      out.push({ ratio: (a + 0.05) / (b + 0.05), large: parseFloat(style.fontSize) >= 24, text: walker.currentNode.data.slice(0, 40), element: element.className });
    }
    return out;
  });
}
