import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { linesOf } from "../../../text/lines.ts";
import { replaceAll } from "../../decoding/decode-text.ts";
import type { Extraction } from "../../extracted-document.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ownEntryOf } from "../archive/own-entry.ts";
import { readText as readPlainText } from "../text/extract-plain-text.ts";
import { writePlainBody } from "./body/plain-body.ts";

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":])*)?):/;
const MAX_NAME_CHARACTERS = 4_096;
/** The zone of a moment, the name of a person. */
const PARAMETER = /;(?:TZID|CN)=(?:"([^"]*)"|([^;:]*))/i;
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
/** RFC 7986, §5.1, and its name before. */
const CALENDAR_NAME = /^(?:X-WR-CALNAME|NAME)(?:;[^:\n]*)?:(.{1,500})/im;
const ENTRY = /^V(?:EVENT|TODO|JOURNAL)$/i;
const OF_TIME = /^(?:DT|DUE|EX|R(?!ES)|COMPLETED)/;
const MOMENT = /\b(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:\d\d)?(Z)?)?\b/g;

/** Whether a text is a calendar that has entries; time zones do not count. */
export const isCalendar = (text: string) =>
  /^\s*BEGIN:V(?:CALENDAR|EVENT|TODO|JOURNAL)\s/i.test(text.slice(0, 200)) &&
  /^BEGIN:V(?:EVENT|TODO|JOURNAL)\s/im.test(text);

/** A calendar as a file of its own; without entries as it stands. */
export function* readText(text: string): CooperativeWork<Extraction> {
  if (!isCalendar(text)) return yield* readPlainText(text);
  const out = new MarkdownBuilder();
  yield* writeCalendar(text, out);
  const name = foldSpace(unescapeValue(CALENDAR_NAME.exec(text)?.[1] ?? ""));
  return out.extraction({ title: name || null });
}

export function* writeCalendar(text: string, out: MarkdownBuilder): CooperativeWork<void> {
  const areEntries: boolean[] = [];
  // A line that begins with white space continues the line before it (§3.1).
  for (const line of linesOf(yield* replaceAll({ text }, /\n[ \t]/g, ""))) {
    yield line.length;
    const { name, parameters, value } = propertyOf(line);
    if (name === "BEGIN") {
      areEntries.push(ENTRY.test(value));
      if (ENTRY.test(value)) out.endList();
    } else if (name === "END") areEntries.pop();
    else if (areEntries.at(-1) !== true) continue;
    else if (name === "DESCRIPTION") yield* writePlainBody(unescapeValue(value), out);
    else writeFact(name, parameters, value, out);
  }
}

function propertyOf(line: string) {
  const [head = "", name = "", parameters = ""] =
    PROPERTY.exec(line.slice(0, MAX_NAME_CHARACTERS)) ?? [];
  return { name: name.toUpperCase(), parameters, value: line.slice(head.length).trimEnd() };
}

function writeFact(name: string, parameters: string, value: string, out: MarkdownBuilder): void {
  const title = LABELLED_AS_NAMED.test(name) ? name.charAt(0) + name.slice(1).toLowerCase() : null;
  const label = ownEntryOf(LABELS, name) ?? title;
  if (label === null) return;
  const plain = foldSpace(unescapeValue(value.replace(/^mailto:/i, "")));
  if (plain === "") return;
  const output = OF_TIME.test(name)
    ? plain.replace(MOMENT, momentText).replaceAll(",", ", ")
    : plain;
  const [, quoted, zone = quoted ?? ""] = PARAMETER.exec(parameters) ?? [];
  out.listItem(0, "-", `${label}: ${output}${zone === "" || zone === output ? "" : ` (${zone})`}`);
}

const unescapeValue = (value: string) =>
  value.replace(/\\([nN,;\\])/g, (_whole, letter: string) =>
    letter.toLowerCase() === "n" ? "\n" : letter,
  );

/** `20250314T090000Z` as `2025-03-14 09:00 UTC`. */
function momentText(_whole: string, ...[year, month, day, hour, minute, utc]: string[]): string {
  const time = hour === undefined ? "" : ` ${hour}:${minute}${utc === undefined ? "" : " UTC"}`;
  return `${year}-${month}-${day}${time}`;
}
