import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { ownEntryOf } from "../../archive/own-entry.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";
import { headingLevelOf, TextStyles, type TextStyle } from "../text-styles.ts";

const PROPERTIES: Record<string, (val?: string) => Partial<TextStyle>> = {
  name: (name = "") => ({ name }),
  basedOn: (basedOn = "") => ({ basedOn }),
  outlineLvl: (val = "") => ({ headingLevel: headingLevelOf(Number(val)) }),
  numId: (numId = "") => ({ numId }),
  ilvl: (val = "") => ({ listLevel: Number(val) }),
  vanish: (val) => ({ isHidden: isOn(val) }),
};

export function* readStyles(archive: ZipArchive, part: string | null): CooperativeWork<TextStyles> {
  const styles = new TextStyles();
  let style: TextStyle | null = null;
  yield* readXml(archive.chunks(part ?? ""), {
    open: (name, { styleId = "", val }) => {
      if (name === "style") style = styles.define(styleId);
      else if (style !== null) Object.assign(style, ownEntryOf(PROPERTIES, name)?.(val));
    },
    close: (name) => {
      if (name === "style") style = null;
    },
  });
  return styles;
}

/** An on/off property without a value is on. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(0|false|off)$/.test(value);
}
