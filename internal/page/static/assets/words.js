// @ts-check
// What the things that are counted are called: portions of drinks in orders, unless the
// program says otherwise.

import { count } from "./num.js";

/** @typedef {import("./num.js").Num} Num */
/** @typedef {{noun: string, nouns: string, record: string, records: string, portion: string, portions: string}} Words */

/** @type {Words} */
export let words = { noun: "drink", nouns: "drinks", record: "order", records: "orders", portion: "portion", portions: "portions" };

/** Takes over the program's words. @param {Words | undefined} said */
export function learn(said) {
  if (said) words = said;
}

/** "1 portion", "2 portions". @param {Num} n @param {"noun" | "record" | "portion"} kind */
export const many = (n, kind) => `${count(n)} ${n == 1 ? words[kind] : words[/** @type {"nouns" | "records" | "portions"} */ (`${kind}s`)]}`;

/** A word at the start of a line. @param {string} word */
export const upper = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);
