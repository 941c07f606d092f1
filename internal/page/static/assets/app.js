// @ts-check
// Puts the page together: one update in, everything shown from it.

import { Rates } from "./chart.js";
import { Detail } from "./detail.js";
import { byId, el, fill, say, show } from "./dom.js";
import { nameOf, plain } from "./name.js";
import { count, share } from "./num.js";
import { counters, partitions, waiting } from "./panels.js";
import { Stream } from "./stream.js";
import { clock, duration, span, timeOf, useUTC, zoneName } from "./time.js";
import { Timeline, linkTo, stateText } from "./timeline.js";
import { TopList } from "./top.js";
import { learn, many, words } from "./words.js";

/** @typedef {import("./stream.js").Update} Update @typedef {import("./stream.js").Top} Top */

const lists = {
  now: new TopList(byId("now-list"), "of the open window", true),
  last: new TopList(byId("last-list"), "of the last closed window"),
  all: new TopList(byId("all-list"), "of all time"),
};
const timeline = new Timeline(byId("cells"), byId("cell-text"));
const detail = new Detail();
const rates = new Rates();

/** @type {Update | null} */ let update = null; // the newest
/** @type {Update | null} */ let seen = null; // the one shown
let heardAt = 0;
let pausedAt = 0;
let closed = ""; // the start of the last closed window, once known
let frame = 0;

const stream = new Stream("v1/stream", (u) => {
  update = u;
  heardAt = Date.now();
  tick();
  if (!pausedAt) announce(u);
}, () => schedule(false));

/** Counts go on and times grow old although nothing is said: nothing new is news too. */
function tick() {
  if (!update || !stream.fresh) return;
  const drawn = rates.add(update.status, (nowOf(update) + (pausedAt && Date.now() - heardAt)) / 1000);
  if (!pausedAt) schedule(drawn);
}
setInterval(tick, 1000);

/** @param {boolean} chart whether the chart has news */
function schedule(chart) {
  if (chart) requestAnimationFrame(() => rates.draw(false));
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    render();
  });
}

function render() {
  if (!pausedAt) seen = update;
  strip();
  const ready = !!seen?.all_time, chosen = new URLSearchParams(location.search).get("window") ?? "";
  learn(seen?.status.words);
  detail.open(chosen);
  show(byId("waiting"), !ready);
  show(byId("overview"), ready && !chosen);
  show(byId("detail"), ready && !!chosen);
  show(byId("timeline"), ready && !!seen?.windows?.windows.length);
  show(byId("panels"), !!seen);
  if (!seen) return;
  if (!ready) waiting(seen);
  else if (chosen) detail.update(seen);
  else overview(seen);
  timeline.update(seen.windows?.windows ?? [], nowOf(seen), chosen && detail.start);
  counters(seen, nowOf(seen));
  partitions(seen, nowOf(seen));
}

/** The time by the program's clock; it stands still while the page does. @param {Update} u */
const nowOf = (u) => (Date.parse(u.status.as_of.generated_at) || Date.now()) + (u === update && !pausedAt && stream.fresh ? Date.now() - heardAt : 0);

/** The header and what the tab is called. */
function strip() {
  const stale = stream.state === "stale", link = byId("link"), phase = seen?.status.phase ?? "starting";
  link.dataset.state = pausedAt && !stale ? "paused" : stream.state;
  const since = stream.lastAt ? `stale since ${clock(stream.lastAt)}` : "no answer yet";
  say(link, stale ? since : pausedAt ? `paused at ${clock(pausedAt)}` : stream.state);
  say(byId("stale"), !stale ? "" : stream.lastAt ? `Stale since ${clock(stream.lastAt)} ${zoneName()}: the program does not answer. What you see is from then; trying again.` : "The program does not answer yet; trying again.");
  say(byId("phase"), phase);
  byId("phase").dataset.phase = phase;
  const mark = seen?.watermark?.close_through;
  if (seen) fill(byId("asof"), ...(mark ? ["closed through ", timeOf(mark, nowOf(seen)), `, ${duration(nowOf(seen) - Date.parse(mark))} behind`] : ["no window can close yet"]));
  say(byId("version"), seen?.status.version ?? "");
  const leader = (seen?.current ?? seen?.last)?.top[0];
  document.title = `${stale ? "stale · " : phase !== "running" ? `${phase} · ` : leader ? `${plain(leader.drink)} · ` : ""}windowed`;
}

/** @param {Update} u */
function overview(u) {
  const now = nowOf(u);
  hero(u, now);
  lists.now.update(u.current, u.last);
  lists.last.update(u.last);
  lists.all.update(u.all_time);
  about("now", u, u.current, u.last ? `No window is open: no ${words.record} has come since the last one closed.` : "No window is open yet.");
  about("last", u, u.last, "No window is closed yet.");
  fill(byId("all-about"), u.all_time ? `${many(u.all_time.total, "portion")} in ${many(u.all_time.records, "record")}` : "");
}

/** The answer, in one line. @param {Update} u @param {number} now */
function hero(u, now) {
  const top = u.current?.top.length ? u.current : u.last?.top.length ? u.last : u.all_time, best = top?.top[0];
  const what = !best || top === u.current ? "now" : top === u.last ? "in the last closed window" : "of all time";
  say(byId("hero-caption"), `Most ordered ${what === "now" && stream.state === "stale" ? `at ${clock(stream.lastAt)}` : what}`);
  if (!top || !best) {
    fill(byId("hero-name"), `No ${words.record} yet`);
    fill(byId("hero-text"), `The lists fill with the first ${words.record}.`);
    return;
  }
  const tied = top.top.filter((e) => e.count == best.count).slice(1);
  fill(byId("hero-name"), nameOf(best.drink));
  byId("hero-name").title = plain(best.drink);
  const w = top.window;
  fill(byId("hero-text"), el("b", {}, count(best.count)), ` of ${many(top.total, "portion")} (${share(best.count, top.total)})`,
    ...(w ? [w.state === "open" ? " so far in " : " in ", el("a", { href: linkTo(w.start), "data-window": true }, span(w.start, w.end, now)), ` ${zoneName()}`] : []),
    ...(tied.length ? ["; as many: ", ...tied.slice(0, 3).flatMap((e, i) => [i ? ", " : "", nameOf(e.drink)]), tied.length > 3 ? ` and ${tied.length - 3} more` : ""] : []));
}

/** The line below a list's title. @param {"now" | "last"} id @param {Update} u @param {Top | null} top @param {string} none */
function about(id, u, top, none) {
  const w = top?.window, line = u.windows?.windows.find((l) => l.start === w?.start);
  if (!top || !w) return fill(byId(`${id}-about`), none);
  fill(byId(`${id}-about`), el("a", { href: linkTo(w.start), "data-window": true }, span(w.start, w.end, nowOf(u))), " ",
    el("span", { class: `badge ${w.state}` }, w.state === "open" ? (line?.in_grace ? "in grace, provisional" : "provisional") : stateText(line ?? w)),
    ` ${many(top.total, "portion")}`);
}

/** Tells screen readers when a window closes, and only then. @param {Update} u */
function announce(u) {
  const w = u.last?.window, best = u.last?.top[0];
  if (!w || w.start === closed) return;
  if (closed && best) say(byId("announce"), `Window ${span(w.start, w.end, nowOf(u))} is closed: ${plain(best.drink)} leads with ${count(best.count)} of ${many(u.last?.total ?? 0, "portion")}.`);
  closed = w.start;
}

/** Goes to another view without loading the page. @param {MouseEvent} e */
function follow(e) {
  const link = e.target instanceof Element ? e.target.closest("a") : null;
  if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || to.pathname !== location.pathname || to.hash) return;
  e.preventDefault();
  if (to.href !== location.href) history.pushState(null, "", to);
  render();
  const goal = byId(to.search ? "detail-title" : "main");
  goal.focus({ preventScroll: true });
  goal.scrollIntoView({ block: "nearest" });
}

/** What localStorage holds, or takes; nothing if it is forbidden. @param {string} key @param {string} [value] */
function setting(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(`windowed.${key}`, value);
    return localStorage.getItem(`windowed.${key}`);
  } catch {
    return null;
  }
}

/** @param {string} zone */
function setZone(zone) {
  useUTC(zone !== "local");
  say(byId("zone"), `Time: ${zone === "local" ? `local (${zoneName()})` : "UTC"}`);
  byId("zone").dataset.zone = zone;
}

/** @param {string} theme */
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  say(byId("theme"), `Theme: ${theme}`);
  byId("theme").dataset.theme = theme;
  rates.draw(true);
}

byId("pause").addEventListener("click", (e) => {
  pausedAt = pausedAt ? 0 : Date.now();
  say(/** @type {Element} */ (e.currentTarget), pausedAt ? "Resume" : "Pause");
  if (!pausedAt && update) announce(update);
  schedule(!pausedAt);
});
byId("zone").addEventListener("click", () => {
  const zone = byId("zone").dataset.zone === "local" ? "utc" : "local";
  setting("zone", zone);
  setZone(zone);
  detail.draw();
  render();
  rates.draw(true);
});
byId("theme").addEventListener("click", () => {
  const next = { auto: "light", light: "dark", dark: "auto" }[byId("theme").dataset.theme ?? "auto"] ?? "auto";
  setting("theme", next);
  setTheme(next);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => rates.draw(true));
document.addEventListener("click", follow);
addEventListener("popstate", render);
setZone(setting("zone") ?? "utc");
setTheme(document.documentElement.dataset.theme ?? "auto");
render();
