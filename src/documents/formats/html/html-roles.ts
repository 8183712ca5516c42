import { ownEntryOf } from "../archive/own-entry.ts";

export type Attributes = Record<string, string>;
const EFFECTS = {
  title: "skip",
  main: "content",
  article: "content",
  blockquote: "quote",
  pre: "pre",
  code: "code",
  kbd: "code",
  samp: "code",
  sup: "raised",
  del: "struck",
  s: "struck",
  strike: "struck",
  sub: "lowered",
  ruby: "ruby",
  rt: "reading",
  button: "button",
} as const;

/** The change of an element's text when the element closes; `plain` makes none. */
export type Effect = (typeof EFFECTS)[keyof typeof EFFECTS] | "plain" | "link" | "note";

const TABLE_PARTS = new Set(["table", "tr", "td", "th"]);

export const openElement = (
  name: string,
  effect: Effect,
  attributes: Attributes,
  around: { tablePart: string } | undefined,
) => ({
  name,
  effect,
  attributes,
  /** It, or the nearest around it, of a table, its rows and cells. */
  tablePart: TABLE_PARTS.has(name) ? name : (around?.tablePart ?? ""),
  textStart: 0,
  /** Characters shown before this element, if scripts may fill it. */
  mountedAt: null as number | null,
  hasReference: false,
  isPart: false,
});
export type OpenElement = ReturnType<typeof openElement>;

export const INLINE_EFFECTS: ReadonlySet<string> = new Set(
  "link note code raised struck lowered ruby reading".split(" "),
);

/** Elements by role, and what must be open for it: rows and cells of nothing are but layout. */
const ELEMENTS = new Map<string, [name: string, inside?: string]>([
  ["table", ["table"]],
  ["grid", ["table"]],
  ["row", ["tr", "table"]],
  ["cell", ["td", "tr"]],
  ["gridcell", ["td", "tr"]],
  ["columnheader", ["th", "tr"]],
  ["rowheader", ["th", "tr"]],
]);

/** The element that one without a meaning of its own stands for. */
export function elementOf(
  name: string,
  { role = "" }: Attributes,
  around: OpenElement | undefined,
): string {
  if (name !== "div" && name !== "span") return name;
  const [element, inside] = ELEMENTS.get(role) ?? [name];
  return inside === undefined || inside === around?.tablePart ? element : name;
}

export function effectOf(name: string, attributes: Attributes): Effect {
  if (attributes["role"] === "main") return "content";
  if (attributes["role"] === "tab") return "plain";
  if (name !== "a") return ownEntryOf<Effect>(EFFECTS, name) ?? "plain";
  const role = `${attributes["role"] ?? ""} ${attributes["epub:type"] ?? ""}`;
  if (role.includes("noteref")) return "note";
  return attributes["href"] === undefined ? "plain" : "link";
}

export const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object audio video map datalist select rp annotation annotation-xml".split(
    " ",
  ),
);

export const BLOCKS = new Set(
  "address article aside blockquote body center details dialog div dd dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table caption thead tbody tfoot tr td th ul".split(
    " ",
  ),
);

export const LINES = new Set("div p li ol ul table tbody tr td".split(" "));

/** The test that an element must pass to count as site navigation: see `LeadingParts`. */
export type Part = "links" | "short" | "footer" | "banner" | "dialog" | "beside";

const ROLES = new Map<string, Part>([
  ["search", "short"],
  ["contentinfo", "footer"],
  ["menu", "links"],
  ["menubar", "links"],
  ["dialog", "dialog"],
  ["alertdialog", "dialog"],
]);
const SHORT_NAMES = new RegExp(
  [
    String.raw`^(?:(?:main|site|top|sub|bottom|page|post|doc|fixed|skip|global|header|footer)-?)nav(?:igation|-?(?:bar|list|listsearch|links|menu|path|panel|row|header|footer))?$`,
    String.raw`^nav-?(?:bar|list|listsearch|links|menu|path|panel|row|header|footer)$|^breadcrumbs?$`,
    String.raw`^skip-(?:links?|to-content)$|^(?:top|bottom)lang$|^prev-?next$|^pagination$|^titlearea$`,
  ].join("|"),
);
const LINKS_NAMES = /^nav(?:igation)?$|^(?:main-?)?menu$/;
const BANNER_NAMES = /^cookie-(?:banner|notice|consent|bar)$/;
/** `outside`: counts only outside the text, because authors have footers and boxes, too. */
const NAMES: [names: RegExp, part: Part, outside?: "outside"][] = [
  [SHORT_NAMES, "short"],
  [LINKS_NAMES, "links"],
  [BANNER_NAMES, "banner"],
  [/^(?:site-|page-)?footer$/, "footer", "outside"],
  [/^side-?bar$/, "links", "outside"],
  [/^(?:side-?nav|sphinxsidebar)$/, "short", "outside"],
];
const CONTAINERS = new Set(["div", "ul", "ol", "section", "aside", "table", "p", "address"]);
const BESIDE_MAIN = new Set([...CONTAINERS, "header", "form", "dl", "footer", "figure"]);
/** The ids of sections are made from their headings, which may be about menus. */
const SECTION = /(^|\s)(section|level\d|sect\d)(\s|$)/;

export const isNavigation = (name: string, attributes: Attributes) =>
  name === "nav" || attributes["role"] === "navigation";

/** `content`: open elements that hold the text; `own`: those that can have own footers. */
export function partOf(
  name: string,
  attributes: Attributes,
  { content, own }: { content: number; own: number },
): Part | null {
  const isInside = content > 0;
  const part = name === "footer" ? "footer" : ROLES.get(attributes["role"] ?? "");
  if (part === "footer" || part === "dialog") {
    if (!isInside && own === 0) return part;
  } else if (part !== undefined) return part;
  const inner = CONTAINERS.has(name) ? partOfName(name, attributes, isInside) : null;
  return inner ?? (!isInside && BESIDE_MAIN.has(name) ? "beside" : null);
}

function partOfName(name: string, attributes: Attributes, isInside: boolean): Part | null {
  const { class: classes = "", id = "" } = attributes;
  const hasOwnId = !isInside && name !== "section" && !SECTION.test(classes);
  for (const each of wordsOf(hasOwnId ? `${classes} ${id}` : classes)) {
    const match = NAMES.find(([names, , outside]) => !(isInside && outside) && names.test(each));
    if (match !== undefined) return match[1];
  }
  return null;
}

const WITH_OWN_FOOTERS = new Set(["blockquote", "figure", "li", "dd", "td"]);
/** A heading, a term or a summary is text, also where it is a button. */
const HEADLINE = /^(h[1-6]|summary|dt)$/;

const CONTROL_CHARACTERS = 30;

/** Whether a button's text only names its action: `Copy`, `Toggle navigation`. */
export const isControl = (text: string) =>
  text.trim().length < CONTROL_CHARACTERS && !/[?？]\s*$/.test(text);

export const isMain = (name: string, attributes: Attributes) =>
  name === "main" || attributes["role"] === "main";

const GUTTERS =
  /^(linenos?|linenodiv|line-?numbers?|gutter|rouge-gutter|hljs-ln-numbers|ln-num|mw-editsection|printfooter|back-?to-?top)$/;
const INLINE_HIDDEN = new Set(["span", "i", "a", "em", "b"]);

/** Line numbers beside code, "[edit]" of wikis, and what screen readers leave out, such as icons. */
export function isBesideText(name: string, attributes: Attributes): boolean {
  if (attributes["aria-hidden"] === "true" && INLINE_HIDDEN.has(name)) return true;
  if (!/^(span|td|div|pre|a)$/.test(name)) return false;
  return wordsOf(attributes["class"] ?? "").some((each) => GUTTERS.test(each));
}

export const isTab = (name: string, attributes: Attributes) =>
  name === "label" || attributes["role"] === "tab";

export const hasClass = ({ class: classes = "" }: Attributes, name: string) =>
  wordsOf(classes).includes(name);

/** The text that stands for a picture, but for badges, such as that of a build. */
export const alternativeOf = ({ alt = "", src = "" }: Attributes) =>
  /shields\.io|badgen\.|badges?(?:\.svg|\.fury|[/?])/i.test(src) ? " " : ` ${alt} `;

const HIDING_STYLE =
  /(^|[;\s])(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|font-size\s*:\s*0(\.0+)?(px|pt|em|rem|%)?\s*(;|!|$)|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|color\s*:\s*transparent)/i;

/** Whether an element itself says that it is not shown; style sheets are not read. */
export function isHidden({ hidden, style, role }: Record<string, string>): boolean {
  // A tab on the page shows its panel.
  if (hidden !== undefined && hidden !== "until-found" && role !== "tabpanel") return true;
  return style !== undefined && HIDING_STYLE.test(style);
}

const SKIP_CLASS = /(?:^|\s)(?:\S*skip\S*|(?:visually-hidden|sr-only)(?:-focusable)?)(?:\s|$)/i;
const SKIP_TEXT =
  /^\s*(?:(?:back|return) to (?:the )?top\b|(?:skip|jump|go)\b.{0,30}\b(?:content|navigation|main|footer|search)|(?:direkt |springe )?zu[mr] (?:haupt)?(?:inhalt|navigation)|(?:aller|passer) au (?:contenu|menu)|(?:saltar|ir) al contenido|(?:vai|salta) al contenuto|(?:pular|ir|saltar) para o conte[uú]do|(?:ga )?naar (?:de )?(?:hoofd)?inhoud)/iu;

/** Whether a link to a place on the page is for those who go through it by keyboard. */
export const isSkipLink = (attributes: Attributes, text: string) =>
  SKIP_CLASS.test(attributes["class"] ?? "") || SKIP_TEXT.test(text);

const MOUNT_NAMES = /^(root|app|__next|__nuxt|___gatsby|q-app|svelte|react-root|main-app)$/;

export const isMount = (name: string, attributes: Attributes) =>
  name === "app-root" ||
  isMain(name, attributes) ||
  (name === "div" && MOUNT_NAMES.test(attributes["id"] ?? ""));

/** Elements that are single lines, of verse (docutils) or of code (Doxygen). */
export const isLine = (name: string, { class: classes }: Attributes) =>
  name === "div" && classes === "line";

const wordsOf = (names: string) => (names === "" ? [] : names.toLowerCase().split(/\s+/));

export class OpenDepths {
  quote = 0;
  content = 0;
  main = 0;
  /** Open links. Buttons count as links: their text names an action. */
  link = 0;
  inline = 0;
  /** Open elements that may have footers of their own. */
  own = 0;
  headline = 0;

  count({ name, effect, attributes }: OpenElement, step: 1 | -1): void {
    if (effect === "content") this.content += step;
    if (effect === "quote") this.quote += step;
    if (isMain(name, attributes)) this.main += step;
    if (name === "a" || name === "button") this.link += step;
    if (WITH_OWN_FOOTERS.has(name)) this.own += step;
    if (HEADLINE.test(name)) this.headline += step;
    if (INLINE_EFFECTS.has(effect)) this.inline += step;
  }
}
