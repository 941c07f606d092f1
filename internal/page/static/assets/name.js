// @ts-check
// Drink names are what strangers typed. They are shown as text, and what would be
// invisible or would reorder its surroundings is shown as a sign.

import { el } from "./dom.js";

/**
 * Controls, marks that steer direction, blanks without width, line and paragraph
 * separators, tag characters and a space at either end. Joiners (200C, 200D) stay: scripts and emoji need them.
 */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\ufffe\uffff\u{e0000}-\u{e007f}]|^\p{Zs}+|\p{Zs}+$/gu;

/** @param {string} text */
function sign(text) {
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code === 0x20) return "\u2423".repeat(text.length);
  return [...text].map((c) => "U+" + (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")).join(" ");
}

/** The name as plain text, for titles and labels. @param {string} drink */
export const plain = (drink) => drink.replace(UNSEEN, sign);

/** The name as an element of its own direction. @param {string} drink */
export function nameOf(drink) {
  const node = el("bdi", { class: "name" });
  let at = 0;
  for (const match of drink.matchAll(UNSEEN)) {
    node.append(drink.slice(at, match.index), el("span", { class: "sign" }, sign(match[0])));
    at = match.index + match[0].length;
  }
  node.append(drink.slice(at));
  return node;
}
