// @ts-check
// One window: asked for once, and again whenever the stream says that it changed. Of a
// window older than those of the stream its line and its neighbours are asked for too.

import { byId, el, fill, say, show } from "./dom.js";
import { count, parse } from "./num.js";
import { span, timeOf, zoneName } from "./time.js";
import { linkTo, stateText } from "./timeline.js";
import { TopList } from "./top.js";
import { many, words } from "./words.js";

/** @typedef {import("./stream.js").Update} Update @typedef {import("./stream.js").Line} Line @typedef {import("./stream.js").Bounds} Bounds */

const LENGTH = 50;
/** The shortest pause between two questions, ms. */
const PAUSE = 1000;
/** How many windows away a neighbour may be. */
const AROUND = 100;

export class Detail {
  #list = new TopList(byId("detail-list"), "of this window");
  #name = "";
  /** @type {import("./stream.js").Top | null} */ #top = null;
  #seen = ""; // what the stream said when the answer was asked for
  #askedAt = 0;
  /** @type {AbortController | null} */ #asking = null;
  /** @type {Update | null} */ #update = null;
  /** @type {Line[]} */ #around = []; // newest first, of a window that the stream does not list

  /** The start of the window shown, as the program writes it. */
  get start() { return this.#top?.window?.start ?? this.#name; }

  /** @param {string} name a start, "last" or "current"; empty: none */
  open(name) {
    if (name === this.#name) return;
    this.#asking?.abort();
    this.#name = name;
    this.#top = null;
    this.#around = [];
    this.#seen = "";
    this.#askedAt = 0;
    if (!name) return;
    say(byId("detail-title"), "Window");
    this.#tell("Asking …");
  }

  /** @param {Update} update */
  update(update) {
    this.#update = update;
    if (!this.#name) return;
    const seen = JSON.stringify([update.windows?.windows.find((l) => l.start === this.start), update.last?.window?.start, update.current?.window?.start, update.status.phase], (_, v) => (typeof v === "bigint" ? String(v) : v));
    if (seen !== this.#seen && Date.now() - this.#askedAt >= PAUSE && update.all_time) {
      this.#seen = seen;
      this.#ask();
    }
    this.#steps();
    if (this.#top) this.draw();
  }

  /** The windows among which the one shown is, newest first. */
  #lines() {
    const streamed = this.#update?.windows?.windows ?? [];
    return streamed.some((l) => l.start === this.start) ? streamed : this.#around;
  }

  #line() {
    return this.#lines().find((l) => l.start === this.start);
  }

  async #ask() {
    this.#askedAt = Date.now();
    this.#asking?.abort();
    const { signal } = (this.#asking = new AbortController());
    try {
      const answer = await fetch(this.#address(LENGTH), { signal, headers: { accept: "application/json" } });
      const body = parse(await answer.text());
      if (signal.aborted) return;
      if (answer.ok) {
        this.#top = body;
        if (!this.#line()) this.#around = await this.#neighbours(body.window, signal);
        if (signal.aborted) return;
        this.#steps();
        this.draw();
      } else {
        this.#top = null;
        say(byId("detail-title"), answer.status === 410 ? "Window expired" : answer.status === 404 ? "No such window" : "No answer for this window");
        this.#tell(body.detail ?? `The program answered with status ${answer.status}.`);
      }
    } catch (e) {
      if (signal.aborted) return;
      this.#seen = ""; // ask again with the next update
      if (!this.#top) this.#tell("The program cannot be reached; this goes on by itself when it is back.");
    }
  }

  /** @param {Bounds} w @param {AbortSignal} signal @returns {Promise<Line[]>} */
  async #neighbours(w, signal) {
    const from = Date.parse(w.start), to = Date.parse(w.end), far = AROUND * (to - from);
    const time = (/** @type {number} */ ms) => encodeURIComponent(new Date(ms).toISOString());
    const answer = await fetch(`v1/windows?from=${time(from - far)}&to=${time(to + far)}`, { signal, headers: { accept: "application/json" } });
    return answer.ok ? parse(await answer.text()).windows : [];
  }

  /** @param {number} n */
  #address(n) {
    return `v1/top?scope=window&window=${encodeURIComponent(this.#name)}&n=${n}`;
  }

  /** Shows a sentence in place of an answer. @param {string} text */
  #tell(text) {
    fill(byId("detail-text"), text);
    for (const id of ["detail-facts", "detail-list", "detail-more"]) show(byId(id), false);
  }

  draw() {
    const top = this.#top, w = top?.window;
    if (!top || !w) return;
    const now = Date.parse(top.as_of.generated_at), line = this.#line();
    say(byId("detail-title"), `Window ${span(w.start, w.end)} ${zoneName()}`);
    byId("detail").dataset.state = w.state;
    fill(byId("detail-text"), `${stateText(line?.state === w.state ? line : w)}. From `, timeOf(w.start, now), " up to, not including, ", timeOf(w.end, now), ".");
    /** @type {[string, string | Node][]} */
    const facts = [[words.portions, count(top.total)], [words.records, count(top.records)], [words.nouns, count(top.drinks)]];
    if (line) facts.push([`late ${words.records}`, count(line.late_records)], [`late ${words.portions}`, count(line.late_portions)]);
    if (w.revision !== undefined) facts.push(["revision", String(w.revision)]);
    if (w.final_since) facts.push(["last final", timeOf(w.final_since, now)]);
    fill(byId("detail-facts"), ...facts.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));
    this.#list.update(top);
    const more = top.drinks > top.top.length ? `The first ${top.top.length} of ${many(top.drinks, "noun")}. ` : "";
    fill(byId("detail-more"), more, el("a", { href: this.#address(1000) }, "As JSON"), " ", el("a", { href: this.#address(1000) + "&format=csv", download: `window-${this.start.replaceAll(":", "")}.csv` }, "As CSV"));
    for (const id of ["detail-facts", "detail-list", "detail-more"]) show(byId(id), true);
  }

  #steps() {
    const lines = this.#lines();
    const at = lines.findIndex((l) => l.start === this.start);
    const step = (/** @type {string} */ id, /** @type {{start: string} | undefined} */ to) => {
      show(byId(id), at >= 0 && !!to);
      if (to) byId(id).setAttribute("href", linkTo(to.start));
    };
    step("older", lines[at + 1]);
    step("newer", lines[at - 1]);
  }
}
