import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { XmlReader, type XmlEvent } from "./xml-reader.ts";
import { XmlStream } from "./xml-stream.ts";

/** Documents keep their structure; in records, values have the names that lead to them. */
export function* readText(xml: string): CooperativeWork<Extraction> {
  const declaresEntities = /<!ENTITY\s/.test(xml.slice(0, xml.indexOf("]>") + 1));
  const reader = new XmlReader();
  const events: XmlEvent[] = [];
  const stream = new XmlStream({
    open: (name, attributes) => void events.push({ name, attributes }),
    text: (text) => void events.push({ text }),
    close: () => void events.push(null),
  });
  for (const advanced of stream.write(withoutDoctype(xml))) {
    yield* reader.read(events.splice(0));
    yield advanced;
  }
  const { endsEarly } = stream.end();
  yield* reader.read(events);
  yield* reader.finish();
  const { out, title, language } = reader;
  const notes = declaresEntities ? ["declared entities are not expanded"] : [];
  if (endsEarly) notes.push(ENDS_EARLY);
  return out.extraction({ title, language, notes });
}

function withoutDoctype(xml: string): string {
  const start = xml.search(/<!DOCTYPE\s/i);
  if (start < 0) return xml;
  const bracket = xml.indexOf("[", start);
  const close = xml.indexOf(">", start);
  if (close < 0) return xml.slice(0, start);
  if (bracket < 0 || bracket > close) return xml.slice(0, start) + xml.slice(close + 1);
  const subsetEnd = /\]\s*>/g;
  subsetEnd.lastIndex = bracket;
  const end = subsetEnd.exec(xml);
  return end === null ? xml.slice(0, start) : xml.slice(0, start) + xml.slice(subsetEnd.lastIndex);
}
