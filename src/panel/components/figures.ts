import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";

const NUMBERS = new Intl.NumberFormat("en");

/** 4,812 */
export const count = (number: number) => NUMBERS.format(number);

/** "1 file", "4,812 files". */
export const countText = (number: number, noun: string, more = `${noun}s`) =>
  `${count(number)} ${number === 1 ? noun : more}`;

/** A number that was counted up to a limit: "10,000 files or more". */
export const countOrMore = (number: number, limit: number, noun: string) =>
  countText(number, noun) + (number < limit ? "" : " or more");

/** A message from any part of the service, as a sentence. */
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];
const STEP = 1_000;
const TENTHS_BELOW = 10;

/** 512 bytes, 1.2 MB: steps of 1,000. */
export function size(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= STEP && unit < UNITS.length - 1) {
    amount /= STEP;
    unit += 1;
  }
  const digits = unit > 0 && amount < TENTHS_BELOW ? amount.toFixed(1) : String(Math.round(amount));
  return `${digits} ${UNITS[unit] ?? ""}`;
}

const HUNDRED = 100;

/** A part of a whole: 0.3 %, 96 %; never 0 % or 100 % where it is not. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  if (part === whole) return "100 %";
  const share = (part / whole) * HUNDRED;
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9) return "> 99.9 %";
  return share < TENTHS_BELOW || share > 99 ? `${share.toFixed(1)} %` : `${Math.round(share)} %`;
}

/** 96 ms, 1.2 s. */
export const duration = (ms: number) =>
  ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`;

const AGES: [ms: number, unit: string][] = [
  [DAY_MS, "day"],
  [HOUR_MS, "hour"],
  [MINUTE_MS, "minute"],
  [SECOND_MS, "second"],
];

/** "5 hours", "40 seconds": the largest unit that fits. */
function span(ms: number, rounded: (figure: number) => number = Math.floor): string {
  for (const [length, unit] of AGES) {
    if (ms >= length) return countText(rounded(ms / length), unit);
  }
  return "a moment";
}

/** Before it is a while ago: clocks differ, and "0 seconds ago" reads badly. */
const NOW_WITHIN_MS = 5 * SECOND_MS;

/** "5 hours ago", "in 3 days" for what has just been given three, "just now". */
export function relativeTime(at: number, now: number): string {
  if (Math.abs(now - at) < NOW_WITHIN_MS) return "just now";
  return at > now ? `in ${span(at - now, Math.round)}` : `${span(now - at)} ago`;
}

/** Minutes between scans: "every 6 hours". */
export function interval(minutes: number): string {
  if (minutes === 0) return "on request";
  const text = span(minutes * MINUTE_MS);
  return `every ${text.startsWith("1 ") ? text.slice(2) : text}`;
}

const CENTS_BELOW = 100;
const FINE_BELOW = 0.01;

/** An amount with its currency: $3.18, €0.0042. */
export function money(amount: number, currency: string): string {
  const digits = amount !== 0 && amount < FINE_BELOW ? 4 : amount < CENTS_BELOW ? 2 : 0;
  return new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}
