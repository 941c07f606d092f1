// @ts-check
// The quiet half of the page: waiting, counters, partitions.

import { byId, el, fill, say, show } from "./dom.js";
import { nameOf } from "./name.js";
import { count, minus, ratio, sum } from "./num.js";
import { duration, timeOf, zoneName } from "./time.js";
import { words } from "./words.js";

/** @typedef {import("./stream.js").Update} Update */

/** How many of the refused records are listed. */
const REFUSED = 20;

/** @type {Record<string, string>} */
const PHASES = { starting: "Starting", joining: "Joining the consumer group", restoring: "Restoring the counts", stopping: "Stopping", running: "Waiting for the counts" };

/** Why there are no lists yet. @param {Update} update */
export function waiting({ status }) {
  const r = status.restore;
  const bar = byId("waiting-bar");
  show(bar, !!r?.active);
  if (!r?.active) {
    say(byId("waiting-title"), PHASES[status.phase] ?? status.phase);
    say(byId("waiting-text"), "The lists come as soon as the counts are complete.");
    return;
  }
  // 100 % is for when the counts can be asked: until then there is something left to do.
  const done = Math.min(99, Math.floor(100 * ratio(r.done_records, r.total_records)));
  say(byId("waiting-title"), `Restoring the counts: ${done} %`);
  const left = r.eta_seconds > 0 ? `, about ${duration(1000 * Math.ceil(r.eta_seconds))} left` : "";
  say(byId("waiting-text"), `${count(r.done_records)} of ${count(r.total_records)} changelog records, ${count(Math.round(r.records_per_second))} a second${left}.`);
  bar.setAttribute("aria-valuenow", String(done));
  /** @type {HTMLElement} */ (bar.firstElementChild).style.transform = `scaleX(${done / 100})`;
}

/** @param {Update} update @param {number} now */
export function counters({ status: s }, now) {
  const invalid = Object.entries(s.invalid ?? {}).filter(([, n]) => n);
  /** @type {[string, string, string?][]} */
  const tiles = [
    [`${words.records} read`, count(s.records)],
    [`${words.records} counted`, count(s.counted)],
    [words.portions, count(s.portions)],
    [`late ${words.records}`, count(s.late), s.late_idle ? `${count(s.late_idle)} by an idle partition` : ""],
    ["amended", count(s.amended)],
    ["invalid", count(sum(...invalid.map(([, n]) => n))), invalid.map(([why, n]) => `${why.replaceAll("_", " ")} ${count(n)}`).join(", ")],
    ["skipped", count(s.skipped)],
    ["commits", count(s.commits)],
    ["aborted commits", count(s.aborts)],
    ["session rebuilds", count(s.session_rebuilds)],
  ];
  fill(byId("counters"), ...tiles.map(([name, value, note]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value, ...(note ? [el("small", {}, note)] : [])))));
  const refused = Object.entries(s.last_invalid ?? {}).flatMap(([why, list]) => list.map((r) => ({ why, ...r }))).sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, REFUSED);
  show(byId("refused"), refused.length > 0);
  fill(byId("refused-rows"), ...refused.map((r) => el("li", {}, el("b", {}, r.why.replaceAll("_", " ")), ` partition ${r.partition}, offset ${count(r.offset)}, `, timeOf(r.at, now), ": ", nameOf(r.error))));
  show(byId("trouble"), !!s.last_error);
  say(byId("trouble"), s.last_error ? `Last error: ${s.last_error}` : "");
}

/** The partitions in words. @param {number[]} p */
const named = (p) => (p.length === 1 ? `partition ${p[0]}` : `partitions ${p.slice(0, -1).join(", ")} and ${p.at(-1)}`);

/** @param {Update} update @param {number} now */
export function partitions({ status, watermark }, now) {
  const all = watermark?.partitions ?? [];
  const holding = watermark?.held_back_by ?? all.filter((p) => p.holds_back).map((p) => p.partition);
  const through = watermark?.close_through;
  const start = through ? ["Windows are closed through ", timeOf(through, now), ` ${zoneName()}`] : ["No window can close yet"];
  const why = holding.length ? `; ${named(holding)} ${holding.length === 1 ? "holds" : "hold"} that back.` : "; no partition holds that back.";
  fill(byId("held"), ...start, why);
  const body = byId("partitions");
  show(body.closest("section") ?? body, all.length > 0);
  while (body.children.length > all.length) body.lastElementChild?.remove();
  while (body.children.length < all.length) body.append(el("tr", { role: "row" }));
  all.forEach((p, i) => row(body.children[i], p, now, status));
}

/** @param {Element} tr @param {import("./stream.js").Partition} p @param {number} now @param {Update["status"]} status */
function row(tr, p, now, status) {
  const td = (/** @type {string} */ label, /** @type {(Node | string)[]} */ content, kind = "") =>
    el("td", { role: "cell", "data-label": label, class: kind }, el("span", {}, ...content));
  const why = p.stopped || status.stopped_partitions?.[p.partition];
  const states = [why ? el("b", { class: "stopped" }, `stopped: ${why}`) : status.paused_partitions?.includes(p.partition) ? "paused" : p.idle ? "idle" : p.watermark ? "active" : `no ${words.record} yet`];
  if (p.holds_back) states.push(" ", el("b", { class: "holds" }, "holds back"));
  tr.classList.toggle("holding", !!p.holds_back);
  fill(tr,
    el("th", { scope: "row", role: "rowheader", "data-label": "partition" }, String(p.partition)),
    td("watermark", [timeOf(p.watermark, now)]),
    td("behind now", [p.watermark ? duration(minus(now, Date.parse(p.watermark))) : "–"], "num"),
    td("closed through", [timeOf(p.close_through, now)]),
    td("lag, records", [count(p.lag)], "num"),
    td("next offset", [count(p.next_offset)], "num"),
    td("state", states));
}
