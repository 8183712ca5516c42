/** What a page, or the server that sends it, asks of those who index. */
export type RobotsDirectives = { noIndex: boolean; noFollow: boolean };

const OURS = "quarry";
/** Directives that take a value after a colon; any other colon ends the name of an agent. */
const WITH_VALUE = /^(?:unavailable_after|max-[a-z-]+)$/;
const PART = /^\s*([\w.*-]+)\s*(?::([\s\S]*))?$/;

/**
 * Reads the text of an `X-Robots-Tag` header or of a robots `meta` element; several are joined by
 * commas. Directives behind the name of another agent are not for us.
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function readDirectives(text: string, nowMs: number): RobotsDirectives {
  const asked = oursOf(text);
  const has = (...names: string[]) => asked.some(({ name }) => names.includes(name));
  const isOver = asked.some(
    ({ name, dates }) => name === "unavailable_after" && isPast(dates, nowMs),
  );
  return { noIndex: isOver || has("noindex", "none"), noFollow: has("nofollow", "none") };
}

type Directive = {
  name: string;
  /** Its value, first with what follows the next comma: a date may hold one. */
  dates: string[];
};

function oursOf(text: string): Directive[] {
  const directives: Directive[] = [];
  let isOurs = true;
  const parts = text.toLowerCase().split(",");
  for (const [at, part] of parts.entries()) {
    let [, name = "", value = null] = PART.exec(part) ?? [];
    if (value !== null && !WITH_VALUE.test(name)) {
      isOurs = name === OURS || name === "*";
      [, name = "", value = null] = PART.exec(value) ?? [];
    }
    const dates = value === null ? [] : [`${value},${parts[at + 1] ?? ""}`, value];
    if (isOurs) directives.push({ name, dates });
  }
  return directives;
}

/** The directives of the server and the page combined: either of them can ask for one. */
export function directivesOf(
  robotsTag: string | null,
  page: { directives: string[] } | null,
  nowMs: number,
): RobotsDirectives {
  const read = [robotsTag ?? "", ...(page?.directives ?? [])].map((text) =>
    readDirectives(text, nowMs),
  );
  return {
    noIndex: read.some(({ noIndex }) => noIndex),
    noFollow: read.some(({ noFollow }) => noFollow),
  };
}

export const NOT_TO_BE_INDEXED = "the page asks not to be indexed";

/** The first of these that is a date decides; what is none asks for nothing. */
function isPast(dates: string[], nowMs: number): boolean {
  const time = dates.map((date) => Date.parse(date.trim())).find((at) => !Number.isNaN(at));
  return time !== undefined && time < nowMs;
}
