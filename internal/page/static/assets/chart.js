// @ts-check
// Orders a second over the last minutes, from the counters of the stream.

import { byId, el, fill, say } from "./dom.js";
import { minus, rate } from "./num.js";
import { clock } from "./time.js";
import { upper, words } from "./words.js";

/** @typedef {import("./stream.js").Status} Status */

const SPAN = 600; // seconds shown
const STEP = 2; // the shortest time measured over
const BREAK = 15; // a longer time without an answer is a gap, not a measurement

/** What lines of the grid may be apart. */
const STEPS = [0.5, ...[1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((e) => [e, 2 * e, 5 * e])];

/** @type {any} the classic script of vendor/uplot */
const uPlot = /** @type {any} */ (globalThis).uPlot;

export class Rates {
  /** @type {number[]} */ #times = [];
  /** @type {(number | null)[]} */ #orders = [];
  /** @type {(number | null)[]} */ #late = [];
  /** @type {{at: number, status: Status} | null} */ #from = null;
  /** @type {any} */ #plot = null;
  #box = byId("chart");

  constructor() {
    new ResizeObserver(() => this.draw(true)).observe(this.#box);
    byId("rate-table").addEventListener("toggle", () => this.draw(false));
  }

  /** Measures; returns whether there is something new to draw. @param {Status} status @param {number} at seconds */
  add(status, at) {
    const from = this.#from, dt = from ? at - from.at : 0;
    if (from && dt > -STEP && dt < STEP) return false; // clocks need not agree to the second
    this.#from = { at, status };
    const orders = from ? minus(status.counted, from.status.counted) : -1;
    const late = from ? minus(status.late, from.status.late) + minus(status.amended, from.status.amended) : -1;
    // Another process answers, or none did for a while: what lies between is not known.
    const known = dt > 0 && dt <= BREAK && orders >= 0 && late >= 0;
    if (dt < 0) this.#times = [], this.#orders = [], this.#late = [];
    this.#times.push(at);
    this.#orders.push(known ? orders / dt : null);
    this.#late.push(known ? late / dt : null);
    while (this.#times[0] < at - SPAN) this.#times.shift(), this.#orders.shift(), this.#late.shift();
    return true;
  }

  /** @param {boolean} anew after a change of size, colours or zone */
  draw(anew) {
    if (!this.#box.clientWidth || !this.#times.length) return;
    if (anew && this.#plot) {
      this.#plot.destroy();
      this.#plot = null;
    }
    const data = [this.#times, this.#orders, this.#late];
    if (this.#plot) this.#plot.setData(data);
    else this.#plot = new uPlot(options(this.#box), data, this.#box);
    const orders = rate(this.#orders.at(-1)), late = rate(this.#late.at(-1));
    say(byId("rates-title"), `${upper(words.records)} per second`);
    say(byId("rate-orders"), `${orders} /s`);
    say(byId("rate-late"), `${late} /s`);
    this.#box.setAttribute("aria-label", `${upper(words.records)} per second over the last ${SPAN / 60} minutes. Now ${orders} counted, ${late} late.`);
    if (byId("rate-table").hasAttribute("open")) fill(byId("rate-rows"), ...this.#minutes());
  }

  /** The means of each minute, newest first. */
  #minutes() {
    /** @type {Map<number, {n: number, orders: number, late: number}>} */
    const minutes = new Map();
    this.#times.forEach((t, i) => {
      if (this.#orders[i] === null) return;
      const key = Math.floor(t / 60), m = minutes.get(key) ?? { n: 0, orders: 0, late: 0 };
      minutes.set(key, { n: m.n + 1, orders: m.orders + (this.#orders[i] ?? 0), late: m.late + (this.#late[i] ?? 0) });
    });
    return [...minutes].reverse().map(([minute, m]) => el("tr", {},
      el("th", { scope: "row" }, clock(minute * 60e3, true)),
      el("td", { class: "num" }, rate(m.orders / m.n)), el("td", { class: "num" }, rate(m.late / m.n))));
  }
}

/** @param {HTMLElement} box */
function options(box) {
  const css = getComputedStyle(box), line = (/** @type {string} */ kind) => getComputedStyle(/** @type {Element} */ (document.querySelector(`.stroke.${kind}`))).borderTopColor;
  const axis = { stroke: css.color, font: "12px system-ui, sans-serif", grid: { stroke: css.borderBottomColor, width: 1 }, ticks: { show: false } };
  return {
    width: box.clientWidth, height: box.clientHeight, padding: [10, 12, 0, 0],
    legend: { show: false }, cursor: { show: false }, select: { show: false },
    scales: {
      x: { time: true, range: (/** @type {any} */ _, /** @type {number} */ _from, /** @type {number} */ to) => [to - SPAN, to] },
      y: { range: (/** @type {any} */ _, /** @type {number} */ _from, /** @type {number} */ to) => [0, Math.max(2, 1.15 * (to || 0))] },
    },
    axes: [
      { ...axis, size: 30, space: 60, incrs: [60, 120, 300], values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((s) => clock(s * 1000, true)) },
      { ...axis, size: 52, space: 36, incrs: STEPS, values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((n) => rate(n).replace(/\.0$/, "")) },
    ],
    series: [
      {},
      { stroke: line("orders"), width: 2, points: { show: false } },
      { stroke: line("late"), width: 2, dash: [6, 4], points: { show: false } },
    ],
  };
}
