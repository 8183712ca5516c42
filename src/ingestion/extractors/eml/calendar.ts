import { foldSpace } from "../fold-space.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";
import { entryNamed } from "../named-entry.ts";

type Property = { name: string; parameters: string; value: string };

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^",:;]*)(?:,(?:"[^"]*"|[^",:;]*))*)*):/;
const MAX_NAME_CHARACTERS = 4_096;
const LABELS: Record<string, string> = {
  SUMMARY: "Summary",
  DTSTART: "Start",
  DTEND: "End",
  DUE: "Due",
  RRULE: "Repeats",
  LOCATION: "Location",
  STATUS: "Status",
  ORGANIZER: "Organizer",
  ATTENDEE: "Attendee",
  URL: "URL",
};
const ENTRY = /^V(?:EVENT|TODO|JOURNAL)$/;

export const isCalendar = (text: string) => /^\s*BEGIN:VCALENDAR\s/i.test(text.slice(0, 200));

/** Writes the entries of a calendar (RFC 5545): their facts as a list, their description as text. */
export function writeCalendar(text: string, out: MarkdownBuilder): void {
  const writer = new CalendarWriter(out, /^METHOD:(.*)$/m.exec(text)?.[1]?.trim() ?? "");
  for (const line of text.replace(/\n[ \t]/g, "").split("\n")) {
    const property = propertyOf(line.trimEnd());
    if (property !== null) writer.add(property);
  }
  writer.endEntry();
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
    const label = entryNamed(LABELS, name);
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
  if (/^(DTSTART|DTEND|DUE)$/.test(name)) return moment(parameters, value);
  if (/^(ORGANIZER|ATTENDEE)$/.test(name)) return person(parameters, value);
  return foldSpace(unescaped(value));
}

const unescaped = (value: string) =>
  value.replace(/\\([nN,;\\])/g, (_whole, letter: string) =>
    letter.toLowerCase() === "n" ? "\n" : letter,
  );

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
