import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { entryNamed } from "../archive/named-entry.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^",:;]*)(?:,(?:"[^"]*"|[^",:;]*))*)*):/;
const MAX_NAME_CHARACTERS = 4_096;
const LABELS: Record<string, string> = {
  DTSTART: "Start",
  DTEND: "End",
  RRULE: "Repeats",
  RDATE: "Also on",
  EXDATE: "Not on",
  "RECURRENCE-ID": "In place of",
  URL: "URL",
};
const LABELLED_AS_NAMED =
  /^(?:SUMMARY|DUE|DURATION|COMPLETED|LOCATION|STATUS|ORGANIZER|ATTENDEE|CONTACT|CATEGORIES|RESOURCES|COMMENT)$/;
const ENTRY = /^V(?:EVENT|TODO|JOURNAL)$/i;
const MOMENTS = /^(?:DTSTART|DTEND|DUE|RDATE|EXDATE|RECURRENCE-ID|COMPLETED)$/;
const MOMENT = /\b(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:\d\d)?(Z)?)?\b/g;

export const isCalendar = (text: string) => /^\s*BEGIN:VCALENDAR\s/i.test(text.slice(0, 200));

/** Whether a calendar has entries to write; time zones do not count. */
export const hasEntries = (text: string) => /^BEGIN:V(?:EVENT|TODO|JOURNAL)\s/im.test(text);

/** Writes the entries of a calendar (RFC 5545): their facts as a list, their description as text. */
export function* writeCalendar(text: string, out: MarkdownBuilder): CooperativeWork<void> {
  const writer = new CalendarWriter(out, /^METHOD:(.*)$/m.exec(text)?.[1]?.trim() ?? "");
  const progress = new Progress();
  let at = 0;
  for (const line of unfolded(text)) {
    at += line.length + 1;
    yield* progress.advanceTo(at);
    const found = PROPERTY.exec(line.slice(0, MAX_NAME_CHARACTERS));
    if (found === null) continue;
    const [head, name = "", parameters = ""] = found;
    writer.add(name.toUpperCase(), parameters, line.slice(head.length).trimEnd());
  }
  writer.endEntry();
}

class CalendarWriter {
  readonly #out: MarkdownBuilder;
  readonly #method: string;
  readonly #inside: string[] = [];
  readonly #descriptions: string[] = [];

  constructor(out: MarkdownBuilder, method: string) {
    this.#out = out;
    this.#method = method;
  }

  add(name: string, parameters: string, value: string): void {
    if (name === "BEGIN") this.#begin(value);
    else if (name === "END") {
      if (ENTRY.test(this.#inside.pop() ?? "")) this.endEntry();
    } else if (!ENTRY.test(this.#inside.at(-1) ?? "")) return;
    else if (name === "DESCRIPTION") this.#descriptions.push(unescaped(value));
    else writeFact(name, parameters, value, this.#out);
  }

  endEntry(): void {
    for (const each of this.#descriptions.splice(0)) this.#out.paragraph(each);
  }

  #begin(component: string): void {
    this.#inside.push(component);
    if (!ENTRY.test(component)) return;
    this.#out.endList();
    if (this.#method !== "") this.#out.listItem(0, "-", `Method: ${this.#method.toLowerCase()}`);
  }
}

function* unfolded(text: string): Generator<string> {
  let pieces: string[] = [];
  for (let at = 0; at <= text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end);
    // What a line is folded with (RFC 5545 §3.1).
    if (/^[ \t]/.test(line)) pieces.push(line.slice(1));
    else {
      yield pieces.join("");
      pieces = [line];
    }
    at = end + 1;
  }
  yield pieces.join("");
}

function writeFact(name: string, parameters: string, value: string, out: MarkdownBuilder): void {
  const named = LABELLED_AS_NAMED.test(name) ? name.charAt(0) + name.slice(1).toLowerCase() : null;
  const label = entryNamed(LABELS, name) ?? named;
  if (label === null) return;
  const isPerson = name === "ORGANIZER" || name === "ATTENDEE";
  const shown = MOMENTS.test(name)
    ? moments(parameters, value)
    : isPerson
      ? person(parameters, value)
      : foldSpace(unescaped(value));
  out.listItem(0, "-", `${label}: ${shown}`);
}

const unescaped = (value: string) =>
  value.replace(/\\([nN,;\\])/g, (_whole, letter: string) =>
    letter.toLowerCase() === "n" ? "\n" : letter,
  );

/** `20250314T090000Z` as `2025-03-14 09:00 UTC`. */
function moments(parameters: string, value: string): string {
  const local = parameterOf(parameters, "TZID");
  return value
    .replaceAll(",", ", ")
    .replace(MOMENT, (_whole, year, month, day, hour?: string, minute?: string, utc?: string) => {
      const zone = utc === undefined ? local : "UTC";
      const time = hour === undefined ? "" : ` ${hour}:${minute}${zone === "" ? "" : ` ${zone}`}`;
      return `${year}-${month}-${day}${time}`;
    });
}

function person(parameters: string, value: string): string {
  const address = value.replace(/^mailto:/i, "");
  const name = parameterOf(parameters, "CN");
  return name === "" || name === address ? address : `${name} <${address}>`;
}

function parameterOf(parameters: string, name: string): string {
  const found = new RegExp(`;${name}=(?:"([^"]*)"|([^;:]*))`, "i").exec(parameters);
  return found?.[1] ?? found?.[2] ?? "";
}
