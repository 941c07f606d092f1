// @ts-check
// A top list: a table whose rows are kept by name, so that they can move to their new
// place and their bars to their new length.

import { el, fill, moves, say, show } from "./dom.js";
import { nameOf, plain } from "./name.js";
import { count, ratio, share } from "./num.js";
import { upper, words } from "./words.js";

/** @typedef {import("./stream.js").Top} Top */
/** @typedef {{row: HTMLElement, rank: HTMLElement, bar: HTMLElement, count: HTMLElement, share: HTMLElement, change: HTMLElement}} Row */

export class TopList {
  /** @type {Map<string, Row>} */ #rows = new Map();

  /** @param {HTMLElement} place @param {string} label @param {boolean} [changes] with a column of moves against another list */
  constructor(place, label, changes = false) {
    this.changes = changes;
    this.body = el("tbody", { role: "rowgroup" });
    const th = (/** @type {string} */ text, /** @type {string} */ kind) => el("th", { scope: "col", role: "columnheader", class: kind }, text);
    this.noun = th("", "drink");
    this.portions = th("", "count");
    this.label = label;
    const head = el("tr", { role: "row" }, th("#", "rank"), this.noun, this.portions, th("share", "share"));
    if (changes) head.append(th("vs last", "change"));
    this.table = el("table", { class: changes ? "top changes" : "top", role: "table" },
      el("thead", { role: "rowgroup" }, head), this.body);
    this.empty = el("p", { class: "empty" }, "");
    place.replaceChildren(this.table, this.empty);
  }

  /** @param {Top | null} top @param {Top | null} [before] what the change column compares with */
  update(top, before) {
    const entries = top?.top ?? [];
    this.table.setAttribute("aria-label", `${upper(words.nouns)} ${this.label}`);
    say(this.noun, words.noun);
    say(this.portions, words.portions);
    say(this.empty, `No ${words.record} yet.`);
    show(this.table, entries.length > 0);
    show(this.empty, top !== null && entries.length === 0);
    const places = this.#places(entries.map((e) => e.drink));
    const ranks = before && new Map(before.top.map((e) => [e.drink, e.rank]));
    const rows = entries.map((e) => this.#rows.get(e.drink) ?? this.#make(e.drink));
    entries.forEach((e, i) => {
      const row = rows[i];
      say(row.rank, String(e.rank));
      say(row.count, count(e.count));
      say(row.share, share(e.count, top?.total ?? 0));
      row.bar.style.transform = `translateX(${(100 * (ratio(e.count, entries[0].count) - 1)).toFixed(2)}%)`;
      if (this.changes) fill(row.change, ...change(e, ranks));
    });
    this.#order(entries.map((e) => e.drink), rows);
    if (places) this.#glide(places);
  }

  /** @param {string} drink @returns {Row} */
  #make(drink) {
    const bar = el("span", { class: "bar" });
    const cell = (/** @type {string} */ kind) => el("td", { role: "cell", class: kind });
    const made = { rank: cell("rank"), bar, count: cell("count"), share: cell("share"), change: cell("change") };
    const name = el("th", { scope: "row", role: "rowheader", class: "drink", title: plain(drink) },
      el("span", { class: "track", "aria-hidden": true }, bar), nameOf(drink));
    const row = el("tr", { role: "row" }, made.rank, name, made.count, made.share, ...(this.changes ? [made.change] : []));
    this.#rows.set(drink, { row, ...made });
    return { row, ...made };
  }

  /** Puts the rows into order and drops the others. @param {string[]} drinks @param {Row[]} rows */
  #order(drinks, rows) {
    const kept = new Set(drinks);
    for (const [drink, { row }] of this.#rows) {
      if (kept.has(drink)) continue;
      row.remove();
      this.#rows.delete(drink);
    }
    rows.forEach(({ row }, i) => {
      if (this.body.children[i] !== row) this.body.insertBefore(row, this.body.children[i] ?? null);
    });
  }

  /** Where the rows are now, if the order changes and may be seen to. @param {string[]} drinks */
  #places(drinks) {
    const now = [...this.#rows.values()].map((r) => r.row);
    const next = drinks.map((d) => this.#rows.get(d)?.row);
    if (!moves() || !now.length || (next.length === now.length && next.every((row, i) => row === this.body.children[i]))) return null;
    return new Map(now.map((row) => [row, row.getBoundingClientRect().top]));
  }

  /** Lets rows glide from where they were. @param {Map<HTMLElement, number>} places */
  #glide(places) {
    for (const { row } of this.#rows.values()) {
      row.getAnimations().forEach((a) => a.cancel());
      const was = places.get(row);
      if (was === undefined) {
        row.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 });
        continue;
      }
      const by = was - row.getBoundingClientRect().top;
      if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 450, easing: "cubic-bezier(.3, 0, .2, 1)" });
    }
  }
}

/**
 * How a rank moved, as a sign and as words.
 * @param {Top["top"][0]} entry @param {Map<string, number> | null | undefined} before
 */
function change(entry, before) {
  if (!before?.size) return [];
  const was = before.get(entry.drink);
  const by = was === undefined ? 0 : was - entry.rank;
  const [sign, words] = was === undefined ? ["new", "not in the last window's list"]
    : by > 0 ? [`▲ ${by}`, `up ${by}`] : by < 0 ? [`▼ ${-by}`, `down ${-by}`] : ["=", "as before"];
  return [el("span", { "aria-hidden": true, title: words }, sign), el("span", { class: "hidden-text" }, words)];
}
