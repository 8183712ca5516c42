import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../extracted-document.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import type { PackageParts } from "../archive/zip-archive.ts";
import { readDocx } from "./docx/extract-docx.ts";
import { readPptx } from "./slides/extract-pptx.ts";

const MAX_PARTS = 20_000;
const MAX_TAG_CHARACTERS = 4_096;
const PART = "<pkg:part ";
const STEP_BYTES = 1 << 16;

/**
 * Office documents in one XML file: Word 2003 XML (`w:wordDocument`), and Office 2006 packages
 * whose parts follow each other (flat OPC, `pkg:package`). Pictures in them are not decoded.
 */
export function* extractFlatOffice(bytes: Uint8Array): CooperativeWork<Extraction> {
  const text = new TextDecoder().decode(bytes);
  const isPackage = text.includes("<pkg:package");
  const parts = new FlatParts(isPackage ? partsOfPackage(text) : partsOfWord2003(text));
  const isSlides = parts.has("ppt/presentation.xml");
  if (!isSlides && !parts.has("word/document.xml")) {
    throw new UnreadableDocument("package holds neither a text document nor a presentation");
  }
  const extraction = yield* isSlides ? readPptx(parts) : readDocx(parts);
  const isWhole = text.includes(isPackage ? "</pkg:package>" : "</w:wordDocument>");
  return isWhole ? extraction : { ...extraction, notes: [...extraction.notes, ENDS_EARLY] };
}

/** The parts of a flat package by name, without a ZIP file. */
class FlatParts implements PackageParts {
  readonly #parts: Map<string, string>;

  constructor(parts: Map<string, string>) {
    this.#parts = parts;
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  names(): string[] {
    return [...this.#parts.keys()];
  }

  *read(name: string): CooperativeWork<Uint8Array | null> {
    const text = this.#parts.get(name);
    if (text === undefined) return null;
    yield text.length;
    return new TextEncoder().encode(text);
  }

  *chunks(name: string): Generator<Uint8Array> {
    const bytes = new TextEncoder().encode(this.#parts.get(name) ?? "");
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      yield bytes.subarray(at, at + STEP_BYTES);
    }
  }
}

function partsOfPackage(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  let at = text.indexOf(PART);
  while (at >= 0 && parts.size < MAX_PARTS) {
    const tag = text.slice(at, at + MAX_TAG_CHARACTERS);
    const next = text.indexOf(PART, at + PART.length);
    const name = /\bpkg:name="\/?([^"]{1,500})"/.exec(tag)?.[1];
    const xml = between(text.slice(at, next < 0 ? text.length : next), "pkg:xmlData");
    if (name !== undefined && xml !== null) parts.set(name, xml);
    at = next;
  }
  return parts;
}

/** The file's sections under the part names of current packages. */
function partsOfWord2003(text: string): Map<string, string> {
  const title = /<o:Title>([^<]{1,1000})<\/o:Title>/.exec(text)?.[1] ?? "";
  const relationships = ["styles", "numbering"].map(
    (type) => `<Relationship Id="${type}" Type="${type}" Target="${type}.xml"/>`,
  );
  return new Map([
    ["word/document.xml", `<body>${between(text, "w:body") ?? ""}</body>`],
    ["word/styles.xml", `<styles>${between(text, "w:styles") ?? ""}</styles>`],
    ["word/numbering.xml", `<lists>${between(text, "w:lists") ?? ""}</lists>`],
    ["word/_rels/document.xml.rels", `<Relationships>${relationships.join("")}</Relationships>`],
    ["docProps/core.xml", `<properties><title>${title}</title></properties>`],
  ]);
}

/** The content of the first element of this name; up to the text's end if it is not closed. */
function between(text: string, name: string): string | null {
  const starts = [`<${name}>`, `<${name} `].map((tag) => text.indexOf(tag));
  const start = Math.min(...starts.filter((at) => at >= 0));
  if (start === Infinity) return null;
  const from = text.indexOf(">", start) + 1;
  const end = text.indexOf(`</${name}>`, from);
  return from === 0 ? null : text.slice(from, end < 0 ? text.length : end);
}
