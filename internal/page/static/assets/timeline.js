// @ts-check
// The windows as a row of columns, oldest first; each is a link to its drill-down.

import { el, say } from "./dom.js";
import { count, ratio } from "./num.js";
import { date, span } from "./time.js";
import { many, words } from "./words.js";

/** @typedef {import("./stream.js").Line} Line @typedef {import("./stream.js").Bounds} Bounds */

/** Every so many columns have the time written below them. */
const EVERY = 4;

/** The link to a window. @param {string} start */
export const linkTo = (start) => "?window=" + encodeURIComponent(start).replaceAll("%3A", ":");

/** @param {Bounds} w */
const stateOf = (w) => (w.state === "open" && w.in_grace ? "grace" : w.state);

/** What a state means to the reader. @param {Bounds} w */
export function stateText(w) {
  switch (stateOf(w)) {
    case "open": return "open, provisional";
    case "grace": return `in grace: its end has passed, late ${words.records} still count, provisional`;
    case "expired": return "expired";
    default: return w.revision ? `closed, amended ${w.revision === 1 ? "once" : `${w.revision} times`}` : w.final ? "closed, final" : "closed, final to come";
  }
}

export class Timeline {
  /** @type {Map<string, {item: HTMLElement, link: HTMLAnchorElement, column: HTMLElement, tick: HTMLElement}>} */ #cells = new Map();
  /** @type {Line[]} */ #lines = [];
  #stop = ""; // the start of the cell in the tab order
  #chosen = "";
  #now = 0;

  /** @param {HTMLElement} list @param {HTMLElement} text where the cell pointed at is spelled out */
  constructor(list, text) {
    this.list = list;
    this.text = text;
    list.addEventListener("keydown", (e) => this.#key(e));
    list.addEventListener("focusin", (e) => this.#point(e.target, true));
    list.addEventListener("pointerover", (e) => this.#point(e.target, false));
    list.addEventListener("pointerleave", () => this.#tell(this.#stop));
  }

  /** @param {Line[]} newestFirst @param {number} now @param {string} chosen the window looked at */
  update(newestFirst, now, chosen) {
    const atEnd = this.list.scrollLeft + this.list.clientWidth >= this.list.scrollWidth - 8 || !this.#cells.size;
    this.#now = now;
    this.#lines = newestFirst.toReversed();
    this.#drop();
    const most = this.#lines.reduce((m, l) => (l.total > m ? l.total : m), /** @type {Line["total"]} */ (1));
    this.#lines.forEach((line, i) => this.#draw(line, i, most, chosen));
    const goal = chosen === this.#chosen ? undefined : this.#cells.get(chosen)?.item;
    if (goal) this.#stop = chosen;
    if (!this.#cells.has(this.#stop)) this.#stop = this.#lines.at(-1)?.start ?? "";
    this.#chosen = chosen;
    for (const [start, { link }] of this.#cells) link.tabIndex = start === this.#stop ? 0 : -1;
    this.#tell(this.list.querySelector("a:hover")?.getAttribute("data-start") ?? this.#stop);
    if (goal) this.list.scrollLeft = goal.offsetLeft - this.list.offsetLeft - this.list.clientWidth / 2;
    else if (atEnd) this.list.scrollLeft = this.list.scrollWidth;
  }

  #drop() {
    const kept = new Set(this.#lines.map((l) => l.start));
    for (const [start, { item }] of this.#cells) {
      if (kept.has(start)) continue;
      item.remove();
      this.#cells.delete(start);
    }
  }

  /** @param {Line} line @param {number} i @param {Line["total"]} most @param {string} chosen */
  #draw(line, i, most, chosen) {
    const cell = this.#cells.get(line.start) ?? this.#make(line.start);
    const labelled = (this.#lines.length - 1 - i) % EVERY === 0;
    if (this.list.children[i] !== cell.item) this.list.insertBefore(cell.item, this.list.children[i] ?? null);
    cell.item.classList.toggle("gap", i > 0 && this.#lines[i - 1].end !== line.start);
    cell.link.dataset.state = stateOf(line);
    cell.link.setAttribute("aria-label", this.#words(line));
    cell.link.toggleAttribute("aria-current", line.start === chosen);
    cell.column.style.transform = `scaleY(${Math.max(0.06, ratio(line.total, most)).toFixed(3)})`;
    say(cell.tick, labelled ? this.#tick(line, this.#lines[i - EVERY]) : "");
  }

  /** When a window starts, with the date if the label before has another. @param {Line} line @param {Line | undefined} before */
  #tick(line, before) {
    const at = Date.parse(line.start), clock = span(line.start, line.end, at).split("–")[0];
    return !before || date(Date.parse(before.start)) !== date(at) ? `${date(at).slice(5)} ${clock}` : clock;
  }

  /** @param {string} start */
  #make(start) {
    const column = el("span", { class: "column" });
    const tick = el("span", { class: "tick", "aria-hidden": true });
    const link = el("a", { href: linkTo(start), "data-start": start }, column);
    const cell = { item: el("li", {}, link, tick), link, column, tick };
    this.#cells.set(start, cell);
    return cell;
  }

  /** @param {Line} line */
  #words(line) {
    const late = line.late_records ? `, ${count(line.late_records)} late` : "";
    return `${span(line.start, line.end, this.#now)}, ${stateText(line)}: ${many(line.total, "portion")} of ${many(line.drinks, "noun")} in ${many(line.records, "record")}${late}`;
  }

  /** @param {string} start */
  #tell(start) {
    const line = this.#lines.find((l) => l.start === start);
    say(this.text, line ? this.#words(line) : "");
  }

  /** @param {EventTarget | null} target @param {boolean} focus */
  #point(target, focus) {
    const start = target instanceof Element ? target.closest("a")?.getAttribute("data-start") : null;
    if (!start) return;
    if (focus) this.#move(start);
    this.#tell(start);
  }

  /** @param {string} start */
  #move(start) {
    const before = this.#cells.get(this.#stop), after = this.#cells.get(start);
    if (before) before.link.tabIndex = -1;
    if (after) after.link.tabIndex = 0;
    this.#stop = start;
  }

  /** @param {KeyboardEvent} e */
  #key(e) {
    const at = this.#lines.findIndex((l) => l.start === this.#stop);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.#lines.length - 1 }[e.key];
    if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.#cells.get(this.#lines[to]?.start)?.link.focus();
  }
}
