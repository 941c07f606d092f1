// @ts-check
// All times of the page go through here, so one switch changes them all.

import { el } from "./dom.js";

let utc = true;

/** @param {boolean} on */
export const useUTC = (on) => { utc = on; };

export const zoneName = () => (utc ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone || "local");

/** @param {number} n @param {number} [width] */
const pad = (n, width = 2) => String(n).padStart(width, "0");

/** @param {number} ms */
function parts(ms) {
  const d = new Date(ms);
  return utc
    ? { y: d.getUTCFullYear(), mo: d.getUTCMonth() + 1, d: d.getUTCDate(), h: d.getUTCHours(), mi: d.getUTCMinutes(), s: d.getUTCSeconds(), ms: d.getUTCMilliseconds() }
    : { y: d.getFullYear(), mo: d.getMonth() + 1, d: d.getDate(), h: d.getHours(), mi: d.getMinutes(), s: d.getSeconds(), ms: d.getMilliseconds() };
}

/** 2026-03-01 @param {number} ms */
export function date(ms) {
  const p = parts(ms);
  return `${pad(p.y, 4)}-${pad(p.mo)}-${pad(p.d)}`;
}

/** 10:15:50, or 10:15 if short and the rest is zero. @param {number} ms @param {boolean} [short] */
export function clock(ms, short) {
  const p = parts(ms);
  let text = `${pad(p.h)}:${pad(p.mi)}`;
  if (!short || p.s || p.ms) text += `:${pad(p.s)}`;
  if (short && p.ms) text += `.${pad(p.ms, 3)}`;
  return text;
}

/** The clock, with the date unless it is that of now. @param {number} ms @param {number} now */
const near = (ms, now) => (date(ms) === date(now) ? clock(ms) : `${date(ms)} ${clock(ms)}`);

/**
 * The bounds of a window: 10:00–11:00, with the date unless it is that of now.
 * @param {string} start @param {string} end @param {number} [now]
 */
export function span(start, end, now) {
  const from = Date.parse(start), to = Date.parse(end);
  const whole = clock(from, true) === "00:00" && clock(to, true) === "00:00";
  if (whole) return to - from <= 25 * 3600e3 ? date(from) : `${date(from)} – ${date(to)}`;
  const until = to - from <= 24 * 3600e3 ? clock(to, true) : `${date(to)} ${clock(to, true)}`;
  const day = now !== undefined && date(from) === date(now) ? "" : date(from) + " ";
  return `${day}${clock(from, true)}–${until}`;
}

/**
 * A time element: readable, with the exact time and its milliseconds on hover.
 * @param {string | undefined} iso @param {number} now
 */
export function timeOf(iso, now) {
  if (!iso) return el("span", {}, "–");
  const ms = Date.parse(iso);
  return el("time", { datetime: iso, title: `${iso} (${ms} ms)` }, near(ms, now));
}

/** 850 ms, 12 s, 3 min, 2 h 5 min, 4 d 3 h. @param {number} ms */
export function duration(ms) {
  const s = Math.round(ms / 1000);
  if (ms < 0) return "0 s";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (s < 120) return `${s} s`;
  const m = Math.round(s / 60), h = Math.floor(m / 60), d = Math.floor(h / 24);
  if (m < 60) return `${m} min`;
  if (h < 48) return m % 60 ? `${h} h ${m % 60} min` : `${h} h`;
  return h % 24 ? `${d} d ${h % 24} h` : `${d} d`;
}
