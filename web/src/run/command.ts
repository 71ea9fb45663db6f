/** Command lines of the run, with a copy button. */
import { h } from "../dom";

/** Copies `text` to the clipboard; if the browser denies access, selects it instead. */
async function copy(text: string, shown: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(shown);
    return "Selected";
  }
}

export function commandBlock(commands: string[]): HTMLElement {
  const text = commands.join("\n");
  const shown = h("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, h("code", null, text));
  const button: HTMLButtonElement = h("button", {
    type: "button", class: "button copy",
    on: {
      click: async () => {
        button.textContent = await copy(text, shown);
        setTimeout(() => (button.textContent = "Copy"), 1500);
      },
    },
  }, "Copy");
  return h("div", { class: "command" }, shown, button);
}
