import { Progress } from "../../../core/work/cooperative.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";

type Property = { name: string; parameters: string; value: string };

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^",:;]*)(?:,(?:"[^"]*"|[^",:;]*))*)*):/;
const MAX_NAME_CHARACTERS = 4_096;
const SAID_AS_NAMED =
  "SUMMARY DUE DURATION COMPLETED LOCATION STATUS ORGANIZER ATTENDEE CONTACT CATEGORIES RESOURCES COMMENT".split(
    " ",
  );
const LABELS = new Map([
  ...SAID_AS_NAMED.map((name) => [name, name.charAt(0) + name.slice(1).toLowerCase()] as const),
  ["DTSTART", "Start"] as const,
  ["FREEBUSY", "Free or busy"] as const,
  ["DTEND", "End"] as const,
  ["RRULE", "Repeats"] as const,
  ["RDATE", "Also on"] as const,
  ["EXDATE", "Not on"] as const,
  ["EXRULE", "Not when it repeats"] as const,
  ["RECURRENCE-ID", "In place of"] as const,
  ["URL", "URL"] as const,
]);
const ENTRY = /^V(?:EVENT|TODO|JOURNAL|FREEBUSY)$/;
const BEGIN_ENTRY = /^BEGIN:V(?:EVENT|TODO|JOURNAL|FREEBUSY)\s/im;
const MOMENTS = /^(?:DTSTART|DTEND|DUE|RDATE|EXDATE|RECURRENCE-ID|COMPLETED|FREEBUSY)$/;
const DURATION = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;
const UNITS = ["week", "day", "hour", "minute", "second"];
/** What a line is folded with (RFC 5545 §3.1). */
const FOLD = /^[ \t]/;

export const isCalendar = (text: string) => /^\s*BEGIN:VCALENDAR\s/i.test(text.slice(0, 200));

/** Whether a calendar has entries to write; time zones do not count. */
export const hasEntries = (text: string) => BEGIN_ENTRY.test(text);

/** Writes the entries of a calendar (RFC 5545): their facts as a list, their description as text. */
export function* writeCalendar(text: string, out: MarkdownBuilder): CooperativeWork<void> {
  const writer = new CalendarWriter(out, /^METHOD:(.*)$/m.exec(text)?.[1]?.trim() ?? "");
  const progress = new Progress();
  let at = 0;
  for (const line of unfolded(text)) {
    const property = propertyOf(line.trimEnd());
    if (property !== null) writer.add(property);
    at += line.length + 1;
    const advanced = progress.advanceTo(at);
    if (advanced > 0) yield advanced;
  }
  writer.endEntry();
}

function* unfolded(text: string): Generator<string> {
  let pieces: string[] = [];
  for (let at = 0; at <= text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end);
    if (FOLD.test(line)) pieces.push(line.slice(1));
    else {
      yield pieces.join("");
      pieces = [line];
    }
    at = end + 1;
  }
  yield pieces.join("");
}

class CalendarWriter {
  readonly #out: MarkdownBuilder;
  readonly #method: string;
  readonly #inside: string[] = [];
  #descriptions: string[] = [];

  constructor(out: MarkdownBuilder, method: string) {
    this.#out = out;
    this.#method = method;
  }

  add(property: Property): void {
    const { name, value } = property;
    if (name === "BEGIN") this.#begin(value.toUpperCase());
    else if (name === "END") {
      if (ENTRY.test(this.#inside.pop() ?? "")) this.endEntry();
    } else if (!ENTRY.test(this.#inside.at(-1) ?? "")) return;
    else if (name === "DESCRIPTION") this.#descriptions.push(unescaped(value));
    else this.#write(property);
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

  #write({ name, parameters, value }: Property): void {
    const label = LABELS.get(name);
    if (label !== undefined)
      this.#out.listItem(0, "-", `${label}: ${shown(name, parameters, value)}`);
  }
}

function propertyOf(line: string): Property | null {
  const found = PROPERTY.exec(line.slice(0, MAX_NAME_CHARACTERS));
  if (found === null) return null;
  const [head, name = "", parameters = ""] = found;
  return { name: name.toUpperCase(), parameters, value: line.slice(head.length) };
}

function shown(name: string, parameters: string, value: string): string {
  if (MOMENTS.test(name)) return moments(parameters, value);
  if (name === "DURATION") return duration(value);
  if (/^(ORGANIZER|ATTENDEE)$/.test(name)) return person(parameters, value);
  return foldSpace(unescaped(value));
}

const unescaped = (value: string) =>
  value.replace(/\\([nN,;\\])/g, (_whole, letter: string) =>
    letter.toLowerCase() === "n" ? "\n" : letter,
  );

/** One or several times, which may be periods with an end or a duration (RFC 5545 §3.3.9). */
function moments(parameters: string, value: string): string {
  return value
    .split(",")
    .map((each) => {
      const [start = "", end] = each.split("/");
      const from = moment(parameters, start);
      if (end === undefined) return from;
      const isDuration = DURATION.test(end.trim());
      return isDuration ? `${from} for ${duration(end)}` : `${from} to ${moment(parameters, end)}`;
    })
    .join(", ");
}

/** `PT1H30M` as `1 hour 30 minutes`. */
function duration(value: string): string {
  const found = DURATION.exec(value.trim());
  const [, sign = "", ...numbers] = found ?? [];
  const told = UNITS.flatMap((unit, index) => {
    const number = Number(numbers[index] ?? 0);
    return number === 0 ? [] : [`${number} ${unit}${number === 1 ? "" : "s"}`];
  });
  if (told.length === 0) return foldSpace(value);
  return `${sign === "-" ? "minus " : ""}${told.join(" ")}`;
}

/** `20250314T090000Z` as `2025-03-14 09:00 UTC`. */
function moment(parameters: string, value: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:\d\d)?(Z)?)?$/.exec(value.trim());
  if (found === null) return value;
  const [, year, month, day, hour, minute, isUtc] = found;
  const zone = isUtc === "Z" ? "UTC" : parameterOf(parameters, "TZID");
  const time = hour === undefined ? "" : ` ${hour}:${minute}${zone === "" ? "" : ` ${zone}`}`;
  return `${year}-${month}-${day}${time}`;
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
