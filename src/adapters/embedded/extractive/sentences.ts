import { splitSentences } from "../../../text/sentences.ts";
import { stemOf } from "../../../text/stems.ts";
import { pairUnspacedScripts, wordsOf } from "../../../text/words.ts";
import { blocksOf, plainText } from "./blocks.ts";
import type { Block } from "./blocks.ts";

/** A sentence of a paragraph, a whole list item or table row, or a block of code. */
export type Sentence = {
  text: string;
  stems: string[];
  /** The same, to look one up. */
  stemSet: Set<string>;
  /** The heading directly above it in its passage; empty where there is none. */
  heading: string;
  /** Stems of the document's title and path, and of the headings above it. */
  headingStems: Set<string>;
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
};

/** Forms that a stemmer cannot lead back to their verb or noun. */
const FORMS = `
  began begun:begin bought:buy broke broken:break brought:bring built:build chose chosen:choose
  children:child cost costs:cost drew drawn:draw drove driven:drive fell fallen:fall felt:feel
  forgot forgotten:forget found:find gave given:give grew grown:grow held:hold hid hidden:hide
  indices indexes:index kept:keep knew known:know left:leave lost:lose made:make meant:mean
  men:man met:meet paid:pay people:person ran:run said:say sent:send shown:show sold:sell
  spent:spend spoke spoken:speak stood:stand stole stolen:steal taught:teach threw thrown:throw
  told:tell took taken:take understood:understand went gone:go women:woman won:win wrote
  written:write`;

/** `began begun:begin`: every form since the last base belongs to the one that follows. */
function basesIn(forms: string): Map<string, string> {
  const bases = new Map<string, string>();
  let waiting: string[] = [];
  for (const entry of forms.trim().split(/\s+/)) {
    const [form = "", base] = entry.split(":");
    waiting.push(form);
    if (base === undefined) continue;
    for (const one of waiting) bases.set(one, base);
    waiting = [];
  }
  return bases;
}

const BASES = basesIn(FORMS);

/** The stem of a word, also of an irregular form. */
export const stemOfForm = (word: string): string => stemOf(BASES.get(word) ?? word);

export function stemsOf(text: string): string[] {
  return wordsOf(pairUnspacedScripts(text)).map(stemOfForm);
}

/** Splits Markdown or plain text; each sentence keeps the headings above it. */
export function sentencesOf(text: string, passage = 0, title = ""): Sentence[] {
  const sentences: Sentence[] = [];
  let heading = "";
  let headingStems = new Set(stemsOf(title));
  let before: Group | null = null;
  for (const block of blocksOf(text)) {
    if (block.kind === "heading") {
      heading = plainText(block.text);
      headingStems = new Set(stemsOf(`${title} ${heading}`));
      before = null;
      continue;
    }
    const group = groupOf(block, before);
    for (const { mark, said } of partsOf(block)) {
      const position = sentences.length;
      const stems = stemsOf(said);
      const place = { heading, headingStems, passage, position };
      const sentence = { text: said, stems, stemSet: new Set(stems), ...place, mark, group };
      group.sentences.push(sentence);
      sentences.push(sentence);
    }
    if (group.sentences.length > 0) before = group;
  }
  return sentences;
}

function groupOf(block: Exclude<Block, { kind: "heading" }>, before: Group | null): Group {
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
  };
  if (isLed && before !== null) before.introduces = group;
  return group;
}

type Part = { mark: string; said: string };

function partsOf(block: Exclude<Block, { kind: "heading" }>): Part[] {
  const parts = (): Part[] => {
    switch (block.kind) {
      case "paragraph":
        return splitSentences(block.text).map((said) => ({ mark: "", said: plainText(said) }));
      case "list":
        return block.items.map(({ mark, text }) => ({ mark, said: plainText(text) }));
      case "table":
        return block.rows.map((row) => ({ mark: "", said: plainText(row) }));
      case "code":
        return [{ mark: "", said: block.text }];
      default:
        return block satisfies never;
    }
  };
  return parts().filter(({ said }) => said.trim() !== "");
}
