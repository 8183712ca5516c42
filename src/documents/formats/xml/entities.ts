import { Progress, runToEnd, type CooperativeWork } from "../../../core/work/cooperative.ts";

/** One part of those that may precede the type declaration. */
const PROLOG = /\s+|<\?[^]*?\?>|<!--[^]*?-->/y;
const DOCTYPE = /<!DOCTYPE\s/iy;
const SUBSET_END = /\]\s*>/g;
const DECLARED = /<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g;
const REFERENCE = /&([\w.:-]+);/g;
const MAX_ENTITIES = 1_000;
/** In characters: of an entity with those that it holds, and of all that a document's become. */
const MAX_ENTITY = 1 << 12;
const MAX_EXPANDED = 1 << 20;
export const UNEXPANDED = "entities that are not declared here, or too long, are left as they are";

type Entities = ReadonlyMap<string, string>;

/**
 * The document without its type declaration, and with the entities that this declares replaced
 * (XML 1.0, §4.4) within bounds: each holds only those before it, so that none can hold itself.
 */
export function* expandEntities(xml: string): CooperativeWork<{ text: string; notes: string[] }> {
  const start = doctypeStart(xml);
  if (start < 0) return { text: xml, notes: [] };
  const { subset, end } = doctypeAt(xml, start);
  const entities = new Map<string, string>();
  for (const [, name = "", quoted, apostrophed = ""] of subset.matchAll(DECLARED)) {
    if (entities.size === MAX_ENTITIES) break;
    const value = runToEnd(replaceEntities(quoted ?? apostrophed, entities, MAX_ENTITY));
    if (!hasOpenReference(value) && !entities.has(name)) entities.set(name, value);
  }
  const body = xml.slice(0, start) + xml.slice(end);
  const text = entities.size === 0 ? body : yield* replaceEntities(body, entities, MAX_EXPANDED);
  const isWhole = !subset.includes("<!ENTITY") || !hasOpenReference(text);
  return { text, notes: isWhole ? [] : [UNEXPANDED] };
}

/** @param room how many characters may be replaced or gained; later references stay */
function* replaceEntities(text: string, entities: Entities, room: number): CooperativeWork<string> {
  const parts: string[] = [];
  const progress = new Progress();
  let [budget, end] = [room, 0];
  for (const { 0: reference, 1: name = "", index } of text.matchAll(REFERENCE)) {
    yield* progress.advanceTo(index);
    const value = entities.get(name);
    if (value === undefined) continue;
    budget -= Math.max(value.length, reference.length);
    if (budget < 0) break;
    parts.push(text.slice(end, index), value);
    end = index + reference.length;
  }
  return parts.join("") + text.slice(end);
}

const hasOpenReference = (text: string) => /&(?!(?:amp|lt|gt|quot|apos|#\w+);)[\w.:-]+;/.test(text);

/** Before the first element: what looks like it behind that is text. Negative: none. */
function doctypeStart(xml: string): number {
  let start = 0;
  for (PROLOG.lastIndex = 0; PROLOG.test(xml); PROLOG.lastIndex = start) start = PROLOG.lastIndex;
  DOCTYPE.lastIndex = start;
  return DOCTYPE.test(xml) ? start : -1;
}

function doctypeAt(xml: string, start: number): { subset: string; end: number } {
  const bracket = xml.indexOf("[", start);
  const close = xml.indexOf(">", start);
  if (close < 0) return { subset: "", end: xml.length };
  if (bracket < 0 || bracket > close) return { subset: "", end: close + 1 };
  SUBSET_END.lastIndex = bracket;
  if (SUBSET_END.exec(xml) === null) return { subset: "", end: start };
  const end = SUBSET_END.lastIndex;
  return { subset: xml.slice(bracket, end), end };
}
