import type { Stretches } from "../../../core/stretches.ts";
import type { ZipArchive } from "../archive/zip-archive.ts";
import { readXml } from "../xml/xml-stream.ts";

/** How a numeric cell shows its value. */
export type CellFormat = (value: number) => string;

const DAY_MS = 86_400_000;
/** Day 0 of the 1900 calendar; serials below 60 are a day off by Lotus's leap year. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
const LEAP_BUG_SERIAL = 60;
const SIGNIFICANT_DIGITS = 15;
const ISO_DATE_CHARACTERS = 10;
const MAX_SERIAL = 2_958_466;
/** As long as Excel lets one be. */
const MAX_CODE_CHARACTERS = 255;

/** Built-in formats (ECMA-376 part 1, §18.8.30) that matter for reading. */
const BUILT_IN: Record<number, string> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm",
  19: "h:mm:ss",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0",
  38: "#,##0",
  39: "#,##0.00",
  40: "#,##0.00",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss",
};

/** Formats by the index that cells name (`s`). */
export function* readCellFormats(
  archive: ZipArchive,
  part: string | null,
  is1904: boolean,
): Stretches<CellFormat[]> {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  yield* readXml(part === null ? [] : archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "numFmt") {
        codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
      } else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats) {
        const id = Number(attributes["numFmtId"] ?? 0);
        formats.push(formatFor(codes.get(id) ?? BUILT_IN[id] ?? "General", is1904));
      }
    },
    close: (name) => {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return formats;
}

/** A number without the noise of binary fractions. */
export const plainNumber: CellFormat = (value) =>
  String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));

function formatFor(code: string, is1904: boolean): CellFormat {
  // Only the section for positive numbers; quoted and escaped text and colours say nothing here.
  const [section = ""] = code.slice(0, MAX_CODE_CHARACTERS).split(";", 1);
  const bare = section.replace(/"[^"]*"|\\.|_.|\*./g, "").replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
  if (/[ymdhs]/i.test(bare) && !/general/i.test(bare)) return dateFormat(bare, is1904);
  const decimals = /\.([0#?]+)/.exec(bare)?.[1]?.length ?? 0;
  if (bare.includes("%")) return (value) => `${(value * 100).toFixed(decimals)}%`;
  if (/E[+-]/i.test(bare) || !/[0#]/.test(bare)) return plainNumber;
  return (value) => (Math.abs(value) < 1e15 ? value.toFixed(decimals) : plainNumber(value));
}

function dateFormat(code: string, is1904: boolean): CellFormat {
  const hasDate = /[yd]/i.test(code) || /m{3,}/i.test(code);
  const hasTime = /[hs]/i.test(code);
  const hasLeapBug = !is1904 && hasDate;
  const epoch = is1904 ? EPOCH_1904_MS : EPOCH_1900_MS;
  return (value) => {
    if (value < 0 || value > MAX_SERIAL || (!hasDate && value >= 1)) return plainNumber(value);
    const shift = hasLeapBug && value < LEAP_BUG_SERIAL ? 1 : 0;
    const iso = new Date(epoch + Math.round((value + shift) * DAY_MS)).toISOString();
    const date = iso.slice(0, ISO_DATE_CHARACTERS);
    const time = iso.slice(ISO_DATE_CHARACTERS + 1, ISO_DATE_CHARACTERS + 9);
    if (!hasDate) return time;
    return hasTime && time !== "00:00:00" ? `${date} ${time}` : date;
  };
}
