/** What a page, or the server that sends it, asks of those who index. */
export type RobotsDirectives = { noIndex: boolean; noFollow: boolean };

export const NOT_TO_BE_INDEXED = "the page asks not to be indexed";

/** Directives that take a value after a colon; any other colon ends the name of an agent. */
const WITH_VALUE = /^(?:unavailable_after|max-[a-z-]+)$/;
const PART = /^\s*([\w.*-]+)\s*(?::([\s\S]*))?$/;

/**
 * Reads the text of an `X-Robots-Tag` header or of a robots `meta` element; several are joined by
 * commas. Directives behind the name of another agent are not for us, and dates are not read.
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function readDirectives(text: string): RobotsDirectives {
  const asked = new Set<string>();
  let isOurs = true;
  for (const part of text.toLowerCase().split(",")) {
    let [, name = "", value = null] = PART.exec(part) ?? [];
    if (value !== null && !WITH_VALUE.test(name)) {
      isOurs = name === "quarry" || name === "*";
      [, name = "", value = null] = PART.exec(value) ?? [];
    }
    if (isOurs) asked.add(name);
  }
  const isAll = asked.has("none");
  return { noIndex: isAll || asked.has("noindex"), noFollow: isAll || asked.has("nofollow") };
}

/** The directives of the server and the page combined: either of them can ask for one. */
export function directivesOf(
  robotsTag: string | null,
  page: { directives: string[] } | null,
): RobotsDirectives {
  const read = [robotsTag ?? "", ...(page?.directives ?? [])].map(readDirectives);
  return {
    noIndex: read.some(({ noIndex }) => noIndex),
    noFollow: read.some(({ noFollow }) => noFollow),
  };
}
