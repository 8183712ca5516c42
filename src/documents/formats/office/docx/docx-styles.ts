import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { entryNamed } from "../../archive/named-entry.ts";
import { readXml } from "../../xml/xml-stream.ts";

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

export function* readStyles(
  archive: ZipArchive,
  part: string | null,
): CooperativeWork<Map<string, ParagraphStyle>> {
  const styles = new Map<string, ParagraphStyle>();
  let style: ParagraphStyle | null = null;
  const properties: Record<string, (val?: string) => Partial<ParagraphStyle>> = {
    name: (val = "") => ({ name: val, headingLevel: style?.headingLevel ?? namedLevel(val) }),
    basedOn: (val = "") => ({ basedOn: val }),
    outlineLvl: (val = "") => ({ headingLevel: headingLevelOf(val) }),
    numId: (val = "") => ({ numId: val }),
    ilvl: (val = "") => ({ listLevel: Number(val) }),
    vanish: (val) => ({ isHidden: isOn(val) }),
  };
  yield* readXml(archive.chunks(part ?? ""), {
    open: (name, attributes) => {
      if (name === "style") {
        style = { ...PLAIN_STYLE };
        if (styles.size < MAX_STYLES) styles.set(attributes["styleId"] ?? "", style);
      } else if (style !== null)
        Object.assign(style, entryNamed(properties, name)?.(attributes["val"]));
    },
    close: (name) => {
      if (name === "style") style = null;
    },
  });
  for (const each of styles.values()) inherit(each, styles);
  return styles;
}

const namedLevel = (name: string) =>
  /^title$/i.test(name) ? 1 : Number(/^heading (\d)$/i.exec(name)?.[1] ?? 0) || null;

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
