import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { entryNamed } from "../../archive/named-entry.ts";
import { readXml } from "../../xml/xml-stream.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";

export type ParagraphStyle = {
  name: string;
  basedOn: string | null;
  /** 1 to 9; null for body text. */
  headingLevel: number | null;
  numId: string | null;
  listLevel: number | null;
  /** Null in a character style: as the paragraph; null in a paragraph style: shown. */
  isHidden: boolean | null;
};

/** For styles that a document names but does not define. */
const PLAIN_STYLE: ParagraphStyle = {
  name: "",
  basedOn: null,
  headingLevel: null,
  numId: null,
  listLevel: null,
  isHidden: null,
};

const BODY_OUTLINE_LEVEL = 9;
const MAX_INHERITANCE = 20;
/** More than any document needs: a file may define millions. */
const MAX_STYLES = 1 << 14;

/** Paragraph and character styles by id, with what they inherit filled in. */
export function* readStyles(
  archive: ZipArchive,
  part: string | null,
): CooperativeWork<Map<string, ParagraphStyle>> {
  const styles = new Map<string, ParagraphStyle>();
  let style: ParagraphStyle | null = null;
  const set: Record<string, (current: ParagraphStyle, attributes: XmlAttributes) => void> = {
    name: (current, { val = "" }) => {
      current.name = val;
      const level = /^heading (\d)$/i.exec(val)?.[1];
      if (level !== undefined) current.headingLevel ??= Number(level);
      if (/^title$/i.test(val)) current.headingLevel ??= 1;
    },
    basedOn: (current, { val = "" }) => {
      current.basedOn = val;
    },
    outlineLvl: (current, { val = "" }) => {
      current.headingLevel = headingLevelOf(val);
    },
    numId: (current, { val = "" }) => {
      current.numId = val;
    },
    ilvl: (current, { val = "" }) => {
      current.listLevel = Number(val);
    },
    vanish: (current, { val }) => {
      current.isHidden = isOn(val);
    },
  };
  yield* readXml(part === null ? [] : archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "style") {
        style = { ...PLAIN_STYLE };
        if (styles.size < MAX_STYLES) styles.set(attributes["styleId"] ?? "", style);
      } else if (style !== null) entryNamed(set, name)?.(style, attributes);
    },
    close: (name) => {
      if (name === "style") style = null;
    },
  });
  for (const each of styles.values()) inherit(each, styles);
  return styles;
}

function inherit(style: ParagraphStyle, styles: Map<string, ParagraphStyle>): void {
  let parent = styles.get(style.basedOn ?? "");
  for (let step = 0; parent !== undefined && step < MAX_INHERITANCE; step++) {
    style.headingLevel ??= parent.headingLevel;
    style.numId ??= parent.numId;
    style.listLevel ??= parent.listLevel;
    style.isHidden ??= parent.isHidden;
    parent = styles.get(parent.basedOn ?? "");
  }
}

/** The style of this id; without a style sheet, writers use Word's own ids, such as `Heading2`. */
export function styleOf(styles: Map<string, ParagraphStyle>, id: string): ParagraphStyle {
  const known = styles.get(id);
  if (known !== undefined) return known;
  const level = /^heading ?([1-9])$/i.exec(id)?.[1];
  return level === undefined ? PLAIN_STYLE : { ...PLAIN_STYLE, headingLevel: Number(level) };
}

/** `w:outlineLvl` counts from 0; 9 is body text. */
export function headingLevelOf(outlineLevel: string): number | null {
  const level = Number(outlineLevel);
  return Number.isInteger(level) && level >= 0 && level < BODY_OUTLINE_LEVEL ? level + 1 : null;
}

/** An on/off property without a value is on. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(0|false|off)$/.test(value);
}
