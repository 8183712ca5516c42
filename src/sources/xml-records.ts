import { Parser } from "htmlparser2";

import { walkParts, type CooperativeWork } from "../core/work/cooperative.ts";

/** A bucket's listing has four, a sitemap three, a feed few more; each costs time at each tag. */
const MAX_LEVELS = 100;

/** An element that stands for one thing, with texts within it by name, or by `parent/name`. */
type XmlRecord = { name: string; fields: [name: string, text: string][] };

type XmlRecords = {
  root: string;
  /** Without one that breaks off. */
  records: XmlRecord[];
  /** Texts of other elements directly within the root. */
  top: Map<string, string>;
  /** The root is closed. */
  isWhole: boolean;
};

/** Names are in lower case, without prefixes; `href` counts as the text. Null: nests too deep. */
export function* xmlRecords(
  xml: string,
  names: Set<string>,
  most = Infinity,
): CooperativeWork<XmlRecords | null> {
  const result: XmlRecords = { root: "", records: [], top: new Map(), isWhole: false };
  const path: string[] = [];
  let fields: XmlRecord["fields"] = [];
  let text = "";
  let isTooDeep = false;
  let isOver = false;
  const parser: Parser = new Parser(
    {
      onopentag(tag, { href = "", rel = "alternate" }) {
        const name = tag.slice(tag.indexOf(":") + 1).toLowerCase();
        if (path.push(name) === 1) result.root ||= name;
        if (names.has(name)) fields = [];
        // https://www.rfc-editor.org/rfc/rfc4287#section-4.2.7.2
        text = rel === "alternate" ? href : "";
        isTooDeep ||= path.length > MAX_LEVELS;
        if (isTooDeep) parser.pause();
      },
      ontext(part) {
        text += part;
      },
      onclosetag() {
        const name = path.pop() ?? "";
        const field = fieldName(names, path, name);
        if (field !== null) fields.push([field, text]);
        if (!names.has(name) && path.length === 1) result.top.set(name, text);
        const isRecord = names.has(name) && !isOver;
        if (isRecord && result.records.length < most) result.records.push({ name, fields });
        if (path.length === 0) result.isWhole ||= !isOver;
        text = "";
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  yield* walkParts(xml, (part) => {
    parser.write(part);
    return !isTooDeep;
  });
  // The parser closes what is open then.
  isOver = true;
  parser.end();
  return isTooDeep ? null : result;
}

function fieldName(records: Set<string>, path: string[], name: string): string | null {
  const [parent = "", above = ""] = [path.at(-1), path.at(-2)];
  if (records.has(parent)) return name;
  return records.has(above) ? `${parent}/${name}` : null;
}
