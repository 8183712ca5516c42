import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml } from "../../xml/xml-stream.ts";

export type CellFormat = (value: number) => string;

const SECONDS_A_DAY = 86_400;
/** Serials below 60 are off by one day, due to Lotus's leap year bug. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
const LEAP_BUG_SERIAL = 60;
const SIGNIFICANT_DIGITS = 15;
const ISO_DATE_CHARACTERS = 10;
const MAX_SERIAL = 2_958_466;
/** Excel's own limit. */
const MAX_CODE_CHARACTERS = 255;
const MAX_DECIMALS = 15;
const PERCENT_PLACES = 2;
const COMMA_PLACES = 3;
const DAYS_TO_1904 = 1_462;

/** A number without binary rounding noise. */
export const plainNumber: CellFormat = (value) =>
  String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));

/** An ISO 8601 time without fractions of seconds and zone; midnight and Excel's first day are not shown. */
export const isoMoment = (value: string): string =>
  value.replace(/T(\d\d:\d\d:\d\d)[\d.]*Z?$/, " $1").replace(/^1899-12-3[01] | 00:00:00$/, "");

/**
 * A format code (ECMA-376 part 1, §18.8.31). Dates are shown as ISO 8601, numbers without
 * thousands separators, with the code's units and currencies. A value is shown plainly if the code
 * shows nothing or has conditions.
 */
export function formatOf(code: string, is1904: boolean): CellFormat {
  if (code.length > MAX_CODE_CHARACTERS) return plainNumber;
  const parts = sectionsOf(code);
  if (parts.some((part) => CONDITION.test(part.replace(QUOTED, "")))) return plainNumber;
  // The last section with a text placeholder is for texts, like the fourth.
  if (parts.length > 1 && parts.at(-1)?.replace(QUOTED, "").includes("@") === true) parts.pop();
  const sections = parts.slice(0, MAX_SECTIONS).map((part) => sectionFormat(part, is1904));
  return (value) => {
    const section = chooseSection(sections, value);
    if (section === null || section.isEmpty) return plainNumber(value);
    if (section.isDate || value >= 0) return section.show(value);
    const text = section.show(-value);
    const isWords = sections.length > 1 && !section.hasNumber;
    return isWords || isZero(text) ? text : `-${text}`;
  };
}

/** Whether only zeros are shown: a sign, as in `-0.00`, would add nothing. */
const isZero = (text: string) => text.includes("0") && !/[1-9]/.test(text);

const QUOTED = /"[^"]*"|\\./g;
const MAX_SECTIONS = 3;

function sectionsOf(code: string): string[] {
  const sections = [""];
  for (const token of code.match(/"[^"]*"|\\.|\[[^[\]]*\]|[^]/g) ?? []) {
    if (token === ";") sections.push("");
    else sections[sections.length - 1] += token;
  }
  return sections;
}

type Section = {
  isDate: boolean;
  isEmpty: boolean;
  hasNumber: boolean;
  show: CellFormat;
};

/** The first section is for positive numbers, the second for negative ones, the third for zero. */
function chooseSection([first, second, zero]: Section[], value: number): Section | null {
  const fallback = value < 0 ? second : zero;
  return (value > 0 ? first : fallback) ?? first ?? null;
}

/** A section's own condition, such as `[<100]`; colours and currencies hold no such signs. */
const CONDITION = /\[[<>=]/;

function sectionFormat(section: string, is1904: boolean): Section {
  const format = section.replace(/_.|\*./g, " ").replace(/\[\$([^[\]-]*)(?:-[^[\]]*)?\]/g, '"$1"');
  const unquoted = format.replace(QUOTED, "");
  const bare = unquoted.replace(/\[(?![hms]+\])[^[\]]*\]/gi, "");
  const isEmpty = format.trim() === "";
  // `e` and `g` are years and eras of East Asia.
  if (/[ymdhs]|^\s*g*e+\s*$/i.test(bare) && !/general/i.test(bare))
    return { isEmpty, isDate: true, hasNumber: true, show: dateFormat(bare, is1904) };
  const number = numberFormat(bare);
  const [before, after] = affixesOf(format);
  const show = (value: number) => before + (number?.(value) ?? "") + after;
  return { isEmpty, isDate: false, hasNumber: number !== null, show };
}

function affixesOf(section: string): [string, string] {
  const bare = section.replace(/\[[^[\]]*\]/g, "");
  const tokens = bare.match(/"[^"]*"|\\.|general|[^"\\]/gi) ?? [];
  const isDigit = (token: string) => /^(?:[0#?@.,/]|general)$/i.test(token);
  const first = tokens.findIndex(isDigit);
  const last = tokens.findLastIndex(isDigit);
  const textOf = (part: string[]) => {
    const text = part.map((token) => token.replace(/^["\\]|"$/g, "")).join("");
    const words = text.replace(/[()+-]/g, "").replace(/\s+/g, " ");
    return /[\p{L}\p{S}%‰]/u.test(words) ? words : "";
  };
  if (first < 0) return [textOf(tokens).trim(), ""];
  const isScientific = /E[+-]/i.test(bare);
  return [
    textOf(tokens.slice(0, first)).trimStart(),
    isScientific ? "" : textOf(tokens.slice(last + 1)).trimEnd(),
  ];
}

function numberFormat(bare: string): CellFormat | null {
  // A fraction, `# ?/?`, is shown as the number that it is.
  if (/general|@|E[+-]|[#?0]\s*\/\s*[#?\d]/i.test(bare)) return plainNumber;
  // The words of a section without digits say what the number means.
  if (!/[0#?]/.test(bare)) return null;
  const places = /\.([0#?]+)/.exec(bare)?.[1] ?? "";
  const decimals = Math.min(places.length, MAX_DECIMALS);
  const optional = places.length - 1 - Math.max(places.lastIndexOf("0"), places.lastIndexOf("?"));
  const whole = /^[^.]*?([0#?][0#?,]*)/.exec(bare)?.[1] ?? "";
  const zeros = whole.replace(/[^0]/g, "").length;
  const percents = bare.split("%").length - 1;
  const scalingCommas = /[0#?](,+)(?:[^0#?,]|$)/.exec(bare)?.[1]?.length ?? 0;
  const shift = percents * PERCENT_PLACES - scalingCommas * COMMA_PLACES;
  return (value) => {
    const text = decimalText(value, shift, decimals, optional);
    const point = text.indexOf(".");
    return "0".repeat(Math.max(0, zeros - (point < 0 ? text.length : point))) + text;
  };
}

/**
 * A number that is not negative, with its point moved right by `places`, to `decimals` decimals;
 * of the last, `optional` ones, zeros are left out. Halves round up in the decimal digits that a
 * cell shows, as in Excel: the binary value of 1.005 is below that.
 */
function decimalText(value: number, places: number, decimals: number, optional: number): string {
  const [digits = "0", exponent = "0"] = plainNumber(value).split("e");
  const shifted = Math.round(Number(`${digits}e${Number(exponent) + places + decimals}`));
  const text = Number(`${shifted}e${-decimals}`).toFixed(decimals);
  const short = text.replace(/(?<!0)0+$/, (zeros) => zeros.slice(optional)).replace(/\.$/, "");
  return /^[\d.]+$/.test(text) ? short : plainNumber(Number(`${value}e${places}`) || value);
}

function dateFormat(code: string, is1904: boolean): CellFormat {
  const hasTime = /[hs]/i.test(code);
  const isElapsed = /\[[hms]+\]/i.test(code);
  // Without hours or seconds, `m` means months.
  const hasDate = /[yd]|m{3,}/i.test(code) || (!hasTime && !isElapsed);
  const end = (MAX_SERIAL - (is1904 ? DAYS_TO_1904 : 0)) * SECONDS_A_DAY;
  return (value) => {
    if (isElapsed && value >= 1) return formatElapsed(value);
    if (value < 0 || Math.round(value * SECONDS_A_DAY) >= end) return plainNumber(value);
    const [date, time] = momentOf(value, is1904, hasDate);
    // A time of day has no date, whatever the format shows.
    if (!hasDate || (hasTime && value < 1 && !is1904)) return time;
    return hasTime && time !== "00:00:00" ? `${date} ${time}` : date;
  };
}

function momentOf(value: number, is1904: boolean, hasDate: boolean): [string, string] {
  const epoch = is1904 ? EPOCH_1904_MS : EPOCH_1900_MS;
  const shift = !is1904 && hasDate && value < LEAP_BUG_SERIAL ? 1 : 0;
  const iso = new Date(epoch + Math.round((value + shift) * SECONDS_A_DAY) * 1_000).toISOString();
  return [
    iso.slice(0, ISO_DATE_CHARACTERS),
    iso.slice(ISO_DATE_CHARACTERS + 1, ISO_DATE_CHARACTERS + 9),
  ];
}

function formatElapsed(days: number): string {
  const seconds = Math.round(days * SECONDS_A_DAY);
  const clock = new Date((seconds % 3_600) * 1_000).toISOString().slice(14, 19);
  return `${Math.floor(seconds / 3_600)}:${clock}`;
}

/** Built-in formats (ECMA-376 part 1, §18.8.30) that matter for reading. */
const FROM_0 =
  "General|0|0.00|#,##0|#,##0.00|#,##0|#,##0|#,##0.00|#,##0.00|0%|0.00%|0.00E+00|# ?/?|# ??/??|yyyy-mm-dd|d-mmm-yy|d-mmm|mmm-yy|h:mm|h:mm:ss|h:mm|h:mm:ss|yyyy-mm-dd h:mm".split(
    "|",
  );
const FROM_37 =
  "#,##0|#,##0|#,##0.00|#,##0.00|#,##0|#,##0|#,##0.00|#,##0.00|mm:ss|[h]:mm:ss|mm:ss".split("|");
/** Dates, and in some languages times, in Chinese, Japanese, Korean and Thai Excel. */
const EASTERN = "yyyy-mm-dd h:mm";
const EASTERN_TIMES = new Map([
  [32, "h:mm"],
  [33, "h:mm:ss"],
]);
const isEastern = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

const builtInFormat = (id: number) =>
  FROM_0[id] ?? FROM_37[id - 37] ?? EASTERN_TIMES.get(id) ?? (isEastern(id) ? EASTERN : "General");

/** Excel's own limit is 65,490; cells with higher format numbers show plain numbers. */
const MAX_FORMATS = 1 << 16;

export function* readCellFormats(
  archive: ZipArchive,
  part: string | null,
  is1904: boolean,
): CooperativeWork<CellFormat[]> {
  const codes = new Map<number, string>();
  const built = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  yield* readXml(archive.chunks(part ?? ""), {
    open: (name, attributes) => {
      if (name === "numFmt") {
        if (codes.size < MAX_FORMATS)
          codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
      } else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats && formats.length < MAX_FORMATS) {
        const id = Number(attributes["numFmtId"] ?? 0);
        const format = built.get(id) ?? formatOf(codes.get(id) ?? builtInFormat(id), is1904);
        built.set(id, format);
        formats.push(format);
      }
    },
    close: (name) => {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return formats;
}
