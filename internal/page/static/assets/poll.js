// @ts-check
// What the stream would say, asked for in pieces: for when it is refused, because as many
// are open as the program serves, or because something in between lets none through.

import { parse } from "./num.js";

/** @typedef {import("./stream.js").Update} Update @typedef {import("./stream.js").Windows} Windows */

/** How many windows the stream lists. */
const WINDOWS = 48;

/**
 * Asks once. It fails if the program does not answer; lists are null while it is not ready.
 * @param {AbortSignal} signal
 * @returns {Promise<Update>}
 */
export async function poll(signal) {
  const ask = async (/** @type {string} */ path) => {
    const answer = await fetch(`v1/${path}`, { signal, headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return parse(await answer.text());
  };
  const status = await ask("status");
  if (status.phase !== "running") return { status, watermark: null, all_time: null, current: null, last: null, windows: null };
  /** @type {Windows} */
  const windows = await ask(`windows?limit=${WINDOWS}`);
  // By start, since last and current are refused as long as there are none.
  const newest = (/** @type {string} */ state) => {
    const line = windows.windows.find((l) => l.state === state);
    return line ? ask(`top?scope=window&window=${encodeURIComponent(line.start)}`) : null;
  };
  const [watermark, all_time, current, last] = await Promise.all([ask("watermark"), ask("top?scope=all-time"), newest("open"), newest("closed")]);
  return { status, watermark, all_time, current, last, windows };
}
