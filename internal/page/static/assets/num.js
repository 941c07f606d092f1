// @ts-check
// Counts may exceed 2^53. JSON.parse would round them, so integers that long are carried
// through it as text and become BigInts.

/** @typedef {number | bigint} Num */

/** Strings (to step over them) and numbers of a JSON text. */
const TOKEN = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /^-?\d{16,}$/;

/**
 * JSON.parse that loses no digit of an integer.
 * @param {string} text
 * @returns {any}
 */
export function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (t) => (LONG.test(t) ? `{"$int":"${t}"}` : t));
  return JSON.parse(marked, (_, v) => (v && typeof v.$int === "string" ? shortest(BigInt(v.$int)) : v));
}

/** @param {bigint} n @returns {Num} */
const shortest = (n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n);

const whole = new Intl.NumberFormat("en");
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** @param {Num | null | undefined} n */
export const count = (n) => (n === null || n === undefined ? "–" : whole.format(n));

/** A rate, with a decimal while it is small. @param {number | null | undefined} n */
export const rate = (n) => (n === null || n === undefined ? "–" : n < 100 ? tenths.format(n) : whole.format(Math.round(n)));

/** a / b. @param {Num} a @param {Num} b @returns {number} */
export function ratio(a, b) {
  if (!b) return 0;
  if (typeof a === "number" && typeof b === "number") return a / b;
  return Number((BigInt(a) * 1_000_000n) / BigInt(b)) / 1_000_000;
}

/** a - b. @param {Num} a @param {Num} b @returns {number} */
export const minus = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : Number(BigInt(a) - BigInt(b)));

/** @param {Num[]} all @returns {Num} */
export const sum = (...all) => shortest(all.reduce((/** @type {bigint} */ s, n) => s + BigInt(n), 0n));

/** @param {Num} part @param {Num} total */
export const share = (part, total) => tenths.format(100 * ratio(part, total)) + " %";

