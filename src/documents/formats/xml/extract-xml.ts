import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { expandEntities } from "./entities.ts";
import { isSpreadsheet, readSpreadsheet } from "./spreadsheet-xml.ts";
import { XmlReader, type XmlEvent } from "./xml-reader.ts";
import { XmlStream, type XmlAttributes } from "./xml-stream.ts";

/** FictionBook keeps its pictures as base64. */
const isPicture = (name: string, attributes: XmlAttributes) =>
  name === "binary" && attributes["content-type"] !== undefined;

/** Documents keep their structure; in records, values have the names that lead to them. */
export function* readText(xml: string): CooperativeWork<Extraction> {
  const { text, notes } = yield* expandEntities(xml);
  if (isSpreadsheet(text)) return yield* readSpreadsheet(text);
  const reader = new XmlReader();
  const events: XmlEvent[] = [];
  const stream = new XmlStream({
    open: (name, attributes) => {
      if (isPicture(name, attributes)) return "skip";
      events.push({ name, attributes });
      return undefined;
    },
    text: (part) => void events.push({ text: part }),
    close: () => void events.push(null),
  });
  for (const advanced of stream.write(text)) {
    yield* reader.read(events.splice(0));
    yield advanced;
  }
  const { endsEarly } = stream.end();
  yield* reader.read(events);
  yield* reader.finish();
  const { out, title, language } = reader;
  if (endsEarly) notes.push(ENDS_EARLY);
  return out.extraction({ title, language, notes });
}
