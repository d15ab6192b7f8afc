/** What became of a run, as a word with a sign: colour alone tells nobody anything. */
import { make } from "./dom.js";

const SIGNS = { running: "●", finished: "✓", failed: "✕", crashed: "!", unreadable: "?" };
const WORDS = { live: "live", reconnecting: "reconnecting", ended: "ended" };

export function statusBadge(row) {
  const status = row.status ?? "unreadable";
  const title = row.reason ?? (status === "crashed" ? "It ended without a final message." : null);
  return make(
    "span",
    { class: `badge status-${status}`, title },
    make("span", { "aria-hidden": "true" }, SIGNS[status] ?? "?"),
    status,
  );
}

/** Which attempt it is, if it is not the first. */
export function attemptBadge(row) {
  if (!(row.attempt > 1)) return null;
  return make(
    "span",
    { class: "badge plain", title: row.resumed_from ? `Goes on from ${row.resumed_from}` : null },
    `attempt ${row.attempt}`,
  );
}

export function severityBadge(severity) {
  return make("span", { class: `badge severity-${severity}` }, severity);
}

/** "2 errors +1": as short as the table needs it. */
export function findingsText(row) {
  const [all, errors] = [row.findings ?? 0, row.errors ?? 0];
  if (!errors) return String(all);
  return `${errors} error${errors > 1 ? "s" : ""}${all > errors ? ` +${all - errors}` : ""}`;
}

export function liveBadge() {
  const element = make("span", { class: "live", role: "status" });
  return {
    element,
    show(state) {
      element.dataset.state = state;
      element.textContent = WORDS[state] ?? "";
      element.hidden = !(state in WORDS);
    },
  };
}
