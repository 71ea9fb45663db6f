/** Element factories. All text is inserted as text nodes, so data cannot inject markup. */

export type Child = Node | string | number | null | undefined | false;

export interface Props {
  class?: string | null;
  /** Set property by property on the style object, which the content security policy allows. May hold custom properties. */
  style?: Record<string, string>;
  on?: Record<string, (event: never) => void>;
  [attribute: string]: unknown;
}

const SVG = "http://www.w3.org/2000/svg";

function setProps(element: HTMLElement | SVGElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") {
      for (const [key, text] of Object.entries(props.style!)) element.style.setProperty(key, text);
    } else if (name === "on") {
      for (const [type, act] of Object.entries(props.on!)) element.addEventListener(type, act as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function fill(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** h("p", { class: "note" }, "text", h("b", null, "bold")) */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props) setProps(element, props);
  fill(element, children);
  return element;
}

/** Same as `h`, for SVG elements. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  if (props) setProps(element, props);
  fill(element, children);
  return element;
}

/** Names longer than this may be truncated by the style sheet; their tooltip shows the full text. */
const LONG_NAME = 40;

/** Wraps a name that comes from data: isolates its text direction and replaces an empty name by a placeholder. */
export function named(text: string): HTMLElement {
  return h("bdi", { title: text.length > LONG_NAME ? text : null }, text === "" ? "(no name)" : text);
}

let identifiers = 0;

/** Returns an element id that is unique on the page. */
export function freshId(prefix: string): string {
  identifiers += 1;
  return `${prefix}-${identifiers}`;
}

/** Calls `act` on document events while `element` is connected; unsubscribes once it has been removed. */
export function whileConnected(element: Element, type: string, act: (event: Event) => void): void {
  let seen = false;
  const listener = (event: Event): void => {
    seen ||= element.isConnected;
    if (element.isConnected) act(event);
    else if (seen) document.removeEventListener(type, listener);
  };
  document.addEventListener(type, listener);
}

/** Runs `change`, which replaces elements in `within`, then focuses the element at the previously focused position. */
export function keepFocus(within: Element, change: () => void): void {
  const path: number[] = [];
  let at: Element | null = within.contains(document.activeElement) ? document.activeElement : null;
  for (; at && at !== within; at = at.parentElement) path.unshift([...at.parentElement!.children].indexOf(at));
  change();
  if (path.length === 0) return;
  const there = path.reduce<Element | undefined>((element, i) => element?.children[i], within);
  if (there instanceof HTMLElement) there.focus({ preventScroll: true });
}
