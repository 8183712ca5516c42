import { showCopyButtons } from "./copy.ts";
import { setTimes } from "./times.ts";

const MIN_SECONDS = 2;
/** After this many failures in a row the page is left as it is. */
const MAX_FAILURES = 5;
/** Parts that a reader opened. Parts that the page itself opens are drawn again. */
const OPENED = "details[open]:not([data-unfolded])";

let failures = 0;
let isAsked = false;

/**
 * Where a page has parts that change by themselves (`data-live` and an id), the same page is
 * fetched again after the seconds that it names, and the parts that differ are replaced. It stops
 * while the tab is hidden, and where the page no longer names a time.
 */
export function keepFresh(): void {
  plan();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) plan();
  });
}

function plan(): void {
  const seconds = Number(document.body.dataset["refresh"] ?? 0);
  if (seconds === 0 || isAsked || failures >= MAX_FAILURES) return;
  isAsked = true;
  setTimeout(() => void refreshIfVisible(), Math.max(MIN_SECONDS, seconds) * 1_000);
}

async function refreshIfVisible(): Promise<void> {
  isAsked = false;
  if (document.hidden) return;
  try {
    await fetchAgain();
    failures = 0;
  } catch {
    failures += 1;
  }
  plan();
}

let latest = new AbortController();

/** From another address of the same page; a later call takes precedence over all before it. */
export function refreshFrom(address: string): Promise<void> {
  latest.abort();
  latest = new AbortController();
  return fetchAgain(address).catch(() => undefined);
}

async function fetchAgain(address = location.href): Promise<void> {
  // An open tab alone does not keep a session alive.
  const headers = { "X-Refresh": "1" };
  const response = await fetch(address, { redirect: "manual", headers, signal: latest.signal });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const fetched = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const now of fetched.querySelectorAll<HTMLElement>("[data-live][id]")) {
    const current = document.getElementById(now.id);
    if (current !== null && !isInUse(current)) replace(current, now);
  }
  if (new URL(address).pathname !== location.pathname) return;
  const { refresh } = fetched.body.dataset;
  if (refresh === undefined) delete document.body.dataset["refresh"];
  else document.body.dataset["refresh"] = refresh;
}

/** A part of it has the focus, is unfolded, ticked or selected. */
function isInUse(part: HTMLElement): boolean {
  const used = `${OPENED}, [type=checkbox]:checked`;
  if (part.contains(document.activeElement) || part.querySelector(used) !== null) {
    return true;
  }
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

function replace(current: HTMLElement, now: HTMLElement): void {
  setTimes(now);
  showCopyButtons(now);
  if (current.innerHTML === now.innerHTML) return;
  current.replaceChildren(...[...now.childNodes].map((node) => document.importNode(node, true)));
}
