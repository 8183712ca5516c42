/** A parameter, quoted or not, and what ends it; an element's parameters may be absent. */
const PAIR =
  /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=\\]+))[ \t]*)?([;,]|$)/y;

/** One proxy's word of a request: names in lower case. */
type Element = Record<string, string>;

/**
 * The elements of a `Forwarded` header (RFC 7239, https://www.rfc-editor.org/rfc/rfc7239#section-4),
 * the nearest proxy's last. Malformed headers have none: what their parts say cannot be known.
 * Addresses with a port need not be quoted, as some proxies leave the quotes out.
 */
export function forwardedElements(header: string): Element[] {
  const elements: Element[] = [];
  let element: Element = {};
  PAIR.lastIndex = 0;
  for (;;) {
    const pair = PAIR.exec(header);
    if (pair === null) return [];
    const [, name, quoted, token, end] = pair;
    if (name !== undefined) {
      element[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, "$1") ?? token ?? "";
    }
    if (end === ";") continue;
    if (Object.keys(element).length > 0) elements.push(element);
    if (end === "") return elements;
    element = {};
  }
}
