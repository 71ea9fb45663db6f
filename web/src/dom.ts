/** Makers of elements. All text goes in as text nodes: there is no way to pass markup. */

export type Child = Node | string | number | null | undefined | false;

export interface Props {
  class?: string | null;
  /** Set one by one on the style object, which the page's policy allows; custom properties too. */
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

/** The same for SVG. */
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

/** Longer names may be cut by the style sheet; pointing at them shows the whole. */
const LONG_NAME = 40;

/** A name from data: what is written in it turns no text around it, and an empty one can be seen. */
export function named(text: string): HTMLElement {
  return h("bdi", { title: text.length > LONG_NAME ? text : null }, text === "" ? "(no name)" : text);
}

let identifiers = 0;

/** An id that no other element has. */
export function freshId(prefix: string): string {
  identifiers += 1;
  return `${prefix}-${identifiers}`;
}

/** Calls `act` on every event of the document until `element` has been in the page and is taken out. */
export function whileConnected(element: Element, type: string, act: (event: Event) => void): void {
  let seen = false;
  const listener = (event: Event): void => {
    seen ||= element.isConnected;
    if (element.isConnected) act(event);
    else if (seen) document.removeEventListener(type, listener);
  };
  document.addEventListener(type, listener);
}

/** The focus goes to the element at the same place when `change` has put others in. */
export function keepFocus(within: Element, change: () => void): void {
  const path: number[] = [];
  let at: Element | null = within.contains(document.activeElement) ? document.activeElement : null;
  for (; at && at !== within; at = at.parentElement) path.unshift([...at.parentElement!.children].indexOf(at));
  change();
  if (path.length === 0) return;
  const there = path.reduce<Element | undefined>((element, i) => element?.children[i], within);
  if (there instanceof HTMLElement) there.focus({ preventScroll: true });
}
