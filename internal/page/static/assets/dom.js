// @ts-check
// The only place that makes elements. Text goes in as text, never as markup.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | undefined>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`no element ${id}`);
  return node;
}

/** Sets a text; leaves the node alone if it says that already. @param {Element} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Replaces what is in a node, if it reads differently. @param {Element} node @param {...(Node | string)} children */
export function fill(node, ...children) {
  const next = el("div", {}, ...children);
  if (next.innerHTML !== node.innerHTML) node.replaceChildren(...next.childNodes);
}

/** Shows or hides. @param {Element} node @param {boolean} on */
export const show = (node, on) => { node.toggleAttribute("hidden", !on); };

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether things may move. */
export const moves = () => !calm.matches;
