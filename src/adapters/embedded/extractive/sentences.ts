import { splitSentences } from "../../../text/sentences.ts";
import { blocksOf, leadsTo, plainText } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { sourceOf } from "./document-names.ts";
import type { Source } from "./document-names.ts";
import { stemOfForm, stemsOf } from "./stems.ts";
import { tellingWords } from "../../../text/telling-words.ts";

/** A sentence of a paragraph, a whole list item or table row, or a block of code. */
export type Sentence = {
  text: string;
  /** Whether it is nothing but a link to another page. */
  isLink: boolean;
  stems: string[];
  /** The same, to look one up. */
  stemSet: Set<string>;
  /** The heading directly above it in its passage; empty where there is none. */
  heading: string;
  /** Stems of the document's title and path, and of the headings above it. */
  headingStems: Set<string>;
  source: Source;
  /** The index of its passage, and its position in the passage. */
  passage: number;
  position: number;
  /** A list item's bullet or number; otherwise empty. */
  mark: string;
  group: Group;
};

/** The block that a sentence belongs to. */
export type Group = {
  kind: "paragraph" | "list" | "table" | "code";
  sentences: Sentence[];
  /** The words that introduce the block: a sentence that ends with a colon, or a term. */
  introduction: string;
  introductionStems: Set<string>;
  /** The list, table or code that the paragraph's last sentence introduces. */
  introduces: Group | null;
  section: Section;
};

/** What stands below one heading of a passage. */
export type Section = {
  /** Stems of the words of the heading directly above it that tell something. */
  told: Set<string>;
  /** Its blocks in their order. */
  groups: Group[];
  /** Whether the passage holds its heading, and with it its beginning. */
  isWhole: boolean;
  /** Whether questions ask for it, as far as that is known. */
  asked: WeakMap<object, boolean>;
};

/** What is read of a passage's title, and shown of a heading. */
const TITLE_CHARACTERS = 2_000;
const HEADING_CHARACTERS = 200;

/** Splits Markdown or plain text; each sentence keeps the headings above it. */
export function sentencesOf(text: string, passage = 0, title = ""): Sentence[] {
  const sentences: Sentence[] = [];
  const source = sourceOf(title.slice(0, TITLE_CHARACTERS));
  let heading = "";
  const titleStems = new Set(stemsOf(title.slice(0, TITLE_CHARACTERS)));
  let headingStems = titleStems;
  let before: Group | null = null;
  let section = sectionBelow(title.split(" › ").slice(1).at(-1) ?? "", false);
  for (const block of blocksOf(text)) {
    if (block.kind === "heading") {
      heading = plainText(block.text);
      headingStems = new Set([...titleStems, ...stemsOf(heading)]);
      heading = heading.slice(0, HEADING_CHARACTERS).replace(/\p{Surrogate}$/u, "");
      before = null;
      section = sectionBelow(heading, true);
      continue;
    }
    const group = groupOf(block, before, section);
    for (const { mark, said, isLink } of partsOf(block)) {
      const position = sentences.length;
      const stems = stemsOf(said);
      const place = { heading, headingStems, source, passage, position };
      const sentence = {
        text: said,
        isLink,
        stems,
        stemSet: new Set(stems),
        ...place,
        mark,
        group,
      };
      group.sentences.push(sentence);
      sentences.push(sentence);
    }
    if (group.sentences.length === 0) continue;
    section.groups.push(group);
    before = group;
  }
  return sentences;
}

function sectionBelow(heading: string, isWhole: boolean): Section {
  const words = tellingWords(heading.slice(0, HEADING_CHARACTERS)).filter((one) => !/\d/.test(one));
  return { told: new Set(words.map(stemOfForm)), groups: [], isWhole, asked: new WeakMap() };
}

function groupOf(
  block: Exclude<Block, { kind: "heading" }>,
  before: Group | null,
  section: Section,
): Group {
  const last = before?.kind === "paragraph" ? (before.sentences.at(-1)?.text ?? "") : "";
  const isLed = block.kind !== "paragraph" && /[:：]$/.test(last);
  const term = block.kind === "paragraph" ? plainText(block.term) : "";
  const introduction = isLed ? last : term;
  const group: Group = {
    kind: block.kind,
    sentences: [],
    introduction,
    introductionStems: new Set(stemsOf(introduction)),
    introduces: null,
    section,
  };
  if (isLed && before !== null) before.introduces = group;
  return group;
}

type Part = { mark: string; said: string; isLink: boolean };

/** Longer code is quoted by its stanzas, which blank lines separate. */
const SHORT_CODE_CHARACTERS = 600;

function partsOf(block: Exclude<Block, { kind: "heading" }>): Part[] {
  const parts = (): Part[] => {
    switch (block.kind) {
      case "paragraph":
        return splitSentences(block.text).flatMap((said) => partOf("", said));
      case "list":
        return block.items.flatMap(({ mark, text }) => partOf(mark, text));
      case "table":
        return block.rows.flatMap((row) => partOf("", row));
      case "code":
        return stanzasOf(block.text).map((said) => ({ mark: "", said, isLink: false }));
      default:
        return block satisfies never;
    }
  };
  return parts().filter(({ said }) => said.trim() !== "");
}

/** A part of a table of contents is none. */
function partOf(mark: string, markdown: string): Part[] {
  const leads = leadsTo(markdown);
  if (leads === "place") return [];
  const said = markdown.split("\n").map(plainText).filter(Boolean).join("\n");
  return [{ mark, said, isLink: leads === "page" }];
}

const stanzasOf = (code: string): string[] =>
  code.length <= SHORT_CODE_CHARACTERS
    ? [code]
    : code.split(/\n[ \t]*\n/).map((stanza) => stanza.replace(/^\n+/, ""));
