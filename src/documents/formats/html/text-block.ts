import { isMain, type Attributes } from "./html-roles.ts";
import { judgeNames } from "./judge-names.ts";

const MAX_KIND_CHARACTERS = 200;
/** A page with less prose has no main text that stands out from what is around it. */
export const MIN_PROSE = 250;
export const MIN_LINKS = 3;
/** A longer heading is a sentence. */
const MAX_LABEL = 60;
/** Characters of a link on average; those that share a page are shorter. */
const MIN_TITLE = 15;
/** Text beside the main text without any link: hours, prices, ingredients. */
const MIN_UNLINKED = 40;
/** Paragraphs beside the main text with few words in links are text, too. */
const PROSE_TO_LINKED = 10;

export const CELLS = new Set(["pre", "td", "th", "dd", "dt"]);
const FIGURES = new Set(["table", "dl", "pre"]);
const LISTS_OF_LINKS = new Set(["div", "section", "p", "form"]);

/**
 * `cells`: text in tables, lists of terms and code. `fields`: text in forms. `hosts`: links to
 * another site than the link before. `mass`: text outside links, weighted.
 */
const NOTHING = {
  linked: 0,
  unlinked: 0,
  links: 0,
  cells: 0,
  code: 0,
  fields: 0,
  hosts: 0,
  allProse: 0,
};
const isSum = (name: string): name is keyof typeof NOTHING => name in NOTHING;
export const SUMS = Object.keys(NOTHING).filter(isSum);

export type Block = typeof NOTHING &
  ReturnType<typeof judgeNames> & {
    at: number;
    name: string;
    /** Element and class: alike for blocks of one kind. */
    kind: string;
    parent: Block | null;
    children: Block[];
    isMain: boolean;
    /** Whether it is, or has, a main element with prose. */
    hasMain: boolean;
    hasTitle: boolean;
    /** Whether its text ends with a colon. */
    isLabel: boolean;
    hasFigures: boolean;
    /** Without blocks that are around the text. */
    prose: number;
    mass: number;
  };

export const newBlock = (
  at: number,
  name: string,
  attributes: Attributes,
  parent: Block | null,
): Block => ({
  ...NOTHING,
  ...judgeNames(name, attributes),
  at,
  name,
  kind: `${name} ${(attributes["class"] ?? "").slice(0, MAX_KIND_CHARACTERS).replace(/\d+/g, "")}`,
  parent,
  children: [],
  isMain: name === "article" || isMain(name, attributes),
  hasMain: false,
  hasTitle: false,
  code: name === "pre" ? 1 : 0,
  isLabel: false,
  hasFigures: false,
  prose: 0,
  mass: 0,
});

export const hasOwnText = ({ linked, unlinked, children }: Block) =>
  children.reduce((rest, child) => rest - child.linked - child.unlinked, linked + unlinked) > 0;

export const isShort = ({ linked, unlinked }: Block) => linked + unlinked <= MAX_LABEL;

/** Fields with their labels, and what stands around them, without prices, numbers or hours. */
export const isForm = ({ fields, linked, unlinked, hasFigures }: Block) =>
  fields * 2 > linked + unlinked && !hasFigures;

export const isBox = (block: Block) => block.around !== null || isForm(block);

const isFigure = ({ name, cells, linked }: Block) => FIGURES.has(name) && cells > linked;

export const isFact = (block: Block) => isFigure(block) || hasFewLinks(block);

/** A first paragraph that is named as a teaser. */
export const isLead = ({ around, linked, prose }: Block) =>
  around !== "certain" && linked === 0 && prose > 0;

/** Prose without any link is no box, whatever its name, but comments. */
export const isText = ({ around, isComments, links, allProse }: Block) =>
  links === 0 && allProse > 0 && !(isComments && around === "certain");

export const isListOfLinks = (block: Block) =>
  LISTS_OF_LINKS.has(block.name) && isLinks(block) && !isReferences(block);

/** Titles of pages of several other sites. */
const isReferences = ({ links, hosts, linked }: Block) =>
  links >= MIN_LINKS && hosts > links / 2 && linked > links * MIN_TITLE;

const hasFewLinks = ({ name, hasFigures, links, linked, unlinked, prose }: Block) =>
  links + linked === 0
    ? unlinked >= MIN_UNLINKED || hasFigures || name === "figure"
    : prose >= Math.max(MIN_PROSE, linked * PROSE_TO_LINKED);

/** Code and terms are text, also where each word leads to its own page. */
export const isLinks = ({ name, links, linked, unlinked, prose, code }: Block) =>
  links >= MIN_LINKS && linked > unlinked && prose === 0 && code === 0 && name !== "dl";

/** A paragraph that only leads to another page, or a box outside of tables that is a link. */
export const isLinkAlone = ({ name, parent, children, links, linked, unlinked }: Block) =>
  children.length === 0 &&
  links > 0 &&
  linked > unlinked * 2 &&
  (name === "p" ||
    (name === "div" && unlinked === 0 && links < MIN_LINKS && !CELLS.has(parent?.name ?? "")));
