// @ts-check
// The connection: one EventSource while the tab is seen, opened again with growing pauses,
// replaced by questions while it is refused, and honest about how old the last answer is.

import { parse } from "./num.js";
import { poll } from "./poll.js";

/**
 * @typedef {import("./num.js").Num} Num
 * @typedef {{start: string, end: string, state: string, final: boolean, final_since?: string, in_grace?: boolean, revision?: number}} Bounds
 * @typedef {Bounds & {records: Num, total: Num, drinks: Num, late_records: Num, late_portions: Num}} Line
 * @typedef {{watermark?: string, complete: boolean, generated_at: string}} AsOf
 * @typedef {{rank: number, drink: string, count: Num}} Entry
 * @typedef {{scope: string, window?: Bounds, records: Num, total: Num, drinks: Num, top: Entry[], as_of: AsOf}} Top
 * @typedef {{partition: number, watermark?: string, close_through?: string, idle: boolean, next_offset: Num, lag?: Num | null, holds_back?: boolean, stopped?: string}} Partition
 * @typedef {{close_through?: string, held_back_by?: number[] | null, partitions: Partition[] | null, as_of?: AsOf}} Watermark
 * @typedef {{active: boolean, done_records: Num, total_records: Num, records_per_second: number, eta_seconds: number}} Restore
 * @typedef {{partition: number, offset: Num, error: string, at: string}} Refused
 * @typedef {{version: string, phase: string, words?: import("./words.js").Words, restore?: Restore, records: Num, counted: Num, portions: Num, late: Num, late_idle: Num, amended: Num, invalid: Record<string, Num> | null, last_invalid?: Record<string, Refused[]> | null, skipped: Num, commits: Num, aborts: Num, session_rebuilds: Num, last_error?: string, paused_partitions?: number[], stopped_partitions?: Record<string, string>, as_of: AsOf}} Status
 * @typedef {{window_size: string, windows: Line[], truncated?: boolean}} Windows
 * @typedef {{status: Status, watermark: Watermark | null, all_time: Top | null, current: Top | null, last: Top | null, windows: Windows | null}} Update
 * @typedef {"connecting" | "live" | "polling" | "reconnecting" | "stale"} LinkState
 */

/** How long a break lasts before the page calls itself stale. */
const PATIENCE = 3000;
/** A break as short as this is not worth a word. */
const BLINK = 1000;
/** A connection without any word for this long, when one is due every 15 s, is taken for dead and made again. */
const SILENCE = 40_000;
const PAUSE = { first: 500, most: 10_000 };
/** The pause between two questions, and two tries to be let in again. */
const POLL = 5000;

export class Stream {
  /** @type {EventSource | null} */ #source = null;
  /** @type {AbortController | null} */ #asking = null;
  #pause = PAUSE.first;
  #retry = 0;
  #waitingSince = Date.now(); // 0 = an answer came since the last break
  #openedAt = 0;
  /** When the last answer came; 0 = never. */
  lastAt = 0;
  /** @type {LinkState} */ state = "connecting";

  /** @param {string} url @param {(u: Update) => void} onUpdate @param {() => void} onState */
  constructor(url, onUpdate, onState) {
    this.url = url;
    this.onUpdate = onUpdate;
    this.onState = onState;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#close() : this.#again()));
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (e) => { if (e.persisted) this.#again(); });
    addEventListener("online", () => { if (!document.hidden && this.#waitingSince) this.#again(); });
    setInterval(() => this.#tick(), 250);
    if (!document.hidden) this.#open();
  }

  #again() {
    this.#waitingSince = Date.now();
    this.#pause = PAUSE.first;
    this.#open();
  }

  #open() {
    this.#close();
    this.#openedAt = Date.now();
    const source = (this.#source = new EventSource(this.url));
    source.addEventListener("update", (e) => this.#heard(parse(e.data), "live"));
    source.addEventListener("bye", () => this.#broken());
    // Only an answer that is no stream closes the source; a broken one it would try again.
    source.addEventListener("error", () => this.#broken(source.readyState === EventSource.CLOSED));
  }

  #close() {
    clearTimeout(this.#retry);
    this.#asking?.abort();
    this.#source?.close();
    this.#source = null;
  }

  /** Whether what is shown is what the program counts now. */
  get fresh() { return this.state === "live" || this.state === "polling"; }

  /** @param {Update} update @param {LinkState} state */
  #heard(update, state) {
    this.lastAt = Date.now();
    this.#waitingSince = 0;
    this.#pause = PAUSE.first;
    this.#turn(state);
    this.onUpdate(update);
  }

  /** @param {boolean} [refused] */
  #broken(refused) {
    this.#close();
    if (document.hidden) return;
    this.#waitingSince ||= Date.now();
    this.#tick();
    if (refused) this.#ask();
    this.#retry = setTimeout(() => this.#open(), (refused ? POLL : this.#pause) * (0.75 + Math.random() / 2));
    this.#pause = Math.min(2 * this.#pause, PAUSE.most);
  }

  async #ask() {
    const { signal } = (this.#asking = new AbortController());
    try {
      const update = await poll(signal);
      if (!signal.aborted) this.#heard(update, "polling");
    } catch { /* then this page grows stale */ }
  }

  #tick() {
    if (document.hidden) return;
    if (this.#waitingSince) {
      const waited = Date.now() - this.#waitingSince;
      if (waited >= PATIENCE) this.#turn("stale");
      else if (waited >= BLINK) this.#turn(this.lastAt ? "reconnecting" : "connecting");
    } else if (this.#source && Date.now() - Math.max(this.lastAt, this.#openedAt) > SILENCE) {
      this.#again();
    }
  }

  /** @param {LinkState} state */
  #turn(state) {
    if (state === this.state) return;
    this.state = state;
    this.onState();
  }
}
