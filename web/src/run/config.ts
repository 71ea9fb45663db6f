/** Configuration grouped by section, with non-default settings highlighted. */
import { h } from "../dom";
import { counted } from "../format";
import type { RunData, Setting } from "../model";

const differs = (setting: Setting): boolean => setting.standard !== null && setting.standard !== setting.value;

/** "train.epochs" -> ["train", "epochs"] */
function split(key: string): [section: string, name: string] {
  const dot = key.lastIndexOf(".");
  return dot < 0 ? ["", key] : [key.slice(0, dot), key.slice(dot + 1)];
}

function bySection(settings: Setting[]): Map<string, Setting[]> {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const [section] = split(setting.key);
    groups.set(section, [...(groups.get(section) ?? []), setting]);
  }
  return groups;
}

function settingRow(setting: Setting): HTMLElement {
  const other = differs(setting);
  return h("tr", { class: other ? "differs" : null },
    h("th", { scope: "row" }, h("code", null, split(setting.key)[1])),
    h("td", null, h("code", { class: "value" }, setting.value),
      other ? h("span", { class: "aside" }, "default ", h("code", null, setting.standard)) : null));
}

function group(section: string, settings: Setting[]): HTMLElement {
  const name = section === "" ? "general" : section;
  return h("div", { class: "setting-group" }, h("h3", null, name),
    h("table", null, h("caption", { class: "visually-hidden" }, `Settings of ${name}`), h("tbody", null, ...settings.map(settingRow))));
}

export function configSection(run: RunData): HTMLElement | null {
  if (run.config.length === 0) return null;
  const other = run.config.filter(differs).length;
  const only = h("input", { type: "checkbox", role: "switch" });
  const filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter settings" });
  const groups = h("div", { class: "settings" });
  const tally = h("p", { class: "note", role: "status" });
  const update = (): void => {
    const wanted = filter.value.trim().toLowerCase();
    const matches = (entry: Setting): boolean => `${entry.key} ${entry.value}`.toLowerCase().includes(wanted);
    const shown = run.config.filter((entry) => (!only.checked || differs(entry)) && matches(entry));
    groups.replaceChildren(...[...bySection(shown)].map(([section, settings]) => group(section, settings)));
    tally.textContent = `Showing ${shown.length} of ${counted(run.config.length, "setting")}; ${other} ${other === 1 ? "differs" : "differ"} from the default.`;
  };
  only.checked = other > 0;
  only.addEventListener("change", update);
  filter.addEventListener("input", update);
  update();
  return h("div", null,
    h("div", { class: "config-controls" }, h("label", { class: "switch" }, only, "Only non-default settings"), filter, tally), groups);
}
