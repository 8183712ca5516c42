import { entryNamed } from "../named-entry.ts";

export type Attributes = Record<string, string>;
/** What closing an element undoes or makes of its text; `plain` does nothing. */
export type Effect =
  | "plain"
  | "skip"
  | "pre"
  | "code"
  | "quote"
  | "content"
  | "link"
  | "note"
  | "raised"
  | "lowered"
  | "ruby"
  | "reading";

export type OpenElement = {
  name: string;
  effect: Effect;
  attributes: Attributes;
  textStart: number;
  /** Characters that the page showed before, where scripts may fill the element. */
  mountedAt: number | null;
  /** Whether it is, or holds, a link to another place of the page. */
  hasReference: boolean;
};

const EFFECTS: Record<string, Effect> = {
  title: "skip",
  main: "content",
  article: "content",
  blockquote: "quote",
  pre: "pre",
  code: "code",
  kbd: "code",
  samp: "code",
  sup: "raised",
  sub: "lowered",
  ruby: "ruby",
  rt: "reading",
};

export function effectOf(name: string, attributes: Attributes): Effect {
  if (attributes["role"] === "main") return "content";
  if (name !== "a") return entryNamed(EFFECTS, name) ?? "plain";
  const role = `${attributes["role"] ?? ""} ${attributes["epub:type"] ?? ""}`;
  if (role.includes("noteref")) return "note";
  return attributes["href"] === undefined ? "plain" : "link";
}

/** Elements whose content is no text of the document. */
export const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object audio video map datalist select button rp annotation annotation-xml".split(
    " ",
  ),
);

/** Elements that stand on lines of their own. */
export const BLOCKS = new Set(
  "address article aside blockquote body center details dialog div dd dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table caption thead tbody tfoot tr td th ul".split(
    " ",
  ),
);

/** Blocks that may be lines of code. */
export const LINES = new Set("div p li ol ul table tbody tr td".split(" "));

const NAVIGATION_ROLES = new Set(
  "navigation search contentinfo menu menubar dialog alertdialog".split(" "),
);
/** As generators of pages call what leads around: themes of sites, DocBook, Texinfo, Doxygen, Apache. */
const NAVIGATION_NAMES = new RegExp(
  [
    String.raw`^(?:(?:main|site|top|sub|bottom|page|post|doc|fixed|skip|global|header|footer)-?)?nav(?:igation|-?(?:bar|list|listsearch|links|menu|path|panel|row|header|footer))?$`,
    String.raw`^(?:main-?)?menu$|^breadcrumbs?$|^(?:site|page)-footer$|^cookie-(?:banner|notice|consent|bar)$`,
    String.raw`^skip-(?:links?|to-content)$|^(?:top|bottom)lang$|^prev-?next$|^pagination$|^titlearea$`,
  ].join("|"),
);
/** Authors have footers and boxes beside their text as well. */
const OUTSIDE_NAMES = /^(footer|side-?(bar|nav)|sphinxsidebar)$/;
const CONTAINERS = new Set(["div", "ul", "ol", "section", "aside", "table", "p", "address"]);
/** Sections have ids made of their headings, which may be about menus. */
const SECTION = /(^|\s)(section|level\d|sect\d)(\s|$)/;

/** Whether an element leads around the site instead of belonging to the document. */
export function isNavigation(
  name: string,
  attributes: Attributes,
  insideContent: boolean,
): boolean {
  if (name === "nav" || NAVIGATION_ROLES.has(attributes["role"] ?? "")) return true;
  if (name === "footer" && !insideContent) return true;
  if (!CONTAINERS.has(name)) return false;
  const { class: classes = "", id = "" } = attributes;
  const hasOwnId = !insideContent && name !== "section" && !SECTION.test(classes);
  const names = wordsOf(hasOwnId ? `${classes} ${id}` : classes);
  return names.some(
    (each) => NAVIGATION_NAMES.test(each) || (!insideContent && OUTSIDE_NAMES.test(each)),
  );
}

export const isMain = (name: string, attributes: Attributes) =>
  name === "main" || attributes["role"] === "main";

const GUTTERS = /^(linenos?|linenodiv|line-?numbers?|gutter|rouge-gutter|hljs-ln-numbers|ln-num)$/;
const INLINE_HIDDEN = new Set(["span", "i", "a", "em", "b"]);

/** Line numbers beside code, and what screen readers are told to pass over: signs and doubles. */
export function isBesideText(name: string, attributes: Attributes): boolean {
  if (attributes["aria-hidden"] === "true" && INLINE_HIDDEN.has(name)) return true;
  if (!/^(span|td|div|pre|a)$/.test(name)) return false;
  return wordsOf(attributes["class"] ?? "").some((each) => GUTTERS.test(each));
}

/** Names of places that a link leads to from every page (HTML 4, §6.12). */
const LEADING_RELATIONS = /\b(next|prev|previous|up|start|first|last|contents|index|home)\b/i;

export const leadsOn = (attributes: Attributes) => LEADING_RELATIONS.test(attributes["rel"] ?? "");

/** Elements in which scripts of common frameworks build their pages. */
const MOUNT_NAMES = /^(root|app|__next|__nuxt|___gatsby|q-app|svelte|react-root|main-app)$/;

export const isMount = (name: string, attributes: Attributes) =>
  name === "app-root" ||
  isMain(name, attributes) ||
  (name === "div" && MOUNT_NAMES.test(attributes["id"] ?? ""));

/** Lines of verse (docutils) and of code (Doxygen), of which each is an element. */
export const isLine = (name: string, { class: classes }: Attributes) =>
  name === "div" && classes === "line";
export const isDoxygenCode = ({ class: classes }: Attributes) => classes === "fragment";

const wordsOf = (names: string) => (names === "" ? [] : names.toLowerCase().split(/\s+/));
