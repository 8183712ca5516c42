/** How a numeric cell shows its value. */
export type CellFormat = (value: number) => string;

const SECONDS_A_DAY = 86_400;
/** Day 0 of the 1900 calendar; serials below 60 are a day off by Lotus's leap year. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
const LEAP_BUG_SERIAL = 60;
const SIGNIFICANT_DIGITS = 15;
const ISO_DATE_CHARACTERS = 10;
const MAX_SERIAL = 2_958_466;
/** As long as Excel lets one be. */
const MAX_CODE_CHARACTERS = 255;
/** Beyond, a number has no more decimals. */
const MAX_FIXED = 1e15;
const MAX_DECIMALS = 30;
const SCALE = 1_000;
const PERCENT = 100;
/** More digits say no more to a reader. */
const MAX_DENOMINATOR_DIGITS = 2;

/** A number without the noise of binary fractions. */
export const plainNumber: CellFormat = (value) =>
  String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));

/**
 * A format code (ECMA-376 part 1, §18.8.31). Dates are shown as ISO 8601, numbers without
 * thousands separators, with the units and currencies that the code puts beside them.
 */
export function formatOf(code: string, is1904: boolean): CellFormat {
  const sections = sectionsOf(code.slice(0, MAX_CODE_CHARACTERS));
  const [positive = "", negative, zero] = sections.map((section) => sectionFormat(section, is1904));
  if (positive === "") return plainNumber;
  return (value) => {
    if (value < 0 && negative !== undefined && !negative.isDate) return `-${negative.show(-value)}`;
    if (value === 0 && zero !== undefined) return zero.show(0);
    return value < 0 && !positive.isDate ? `-${positive.show(-value)}` : positive.show(value);
  };
}

/** Parts of a code, between semicolons outside of quotes. */
function sectionsOf(code: string): string[] {
  return code.match(/(?:"[^"]*"|\\.|[^;"])+/g) ?? [];
}

type Section = { isDate: boolean; show: CellFormat };

function sectionFormat(section: string, is1904: boolean): Section {
  const shown = section.replace(/_.|\*./g, " ").replace(/\[\$([^\]-]*)[^\]]*\]/g, '"$1"');
  const bare = shown.replace(/"[^"]*"|\\./g, "").replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
  if (/[ymdhs]/i.test(bare) && !/general/i.test(bare))
    return { isDate: true, show: dateFormat(bare, is1904) };
  const number = numberFormat(bare);
  const [before, after] = wordsAround(shown);
  return { isDate: false, show: (value) => before + number(value) + after };
}

/** Units, currencies and words beside the number; what only places or aligns it is left out. */
function wordsAround(section: string): [string, string] {
  const bare = section.replace(/\[[^\]]*\]/g, "");
  const tokens = bare.match(/"[^"]*"|\\.|general|[^"\\]/gi) ?? [];
  const isDigit = (token: string) => /^(?:[0#?@.,/]|general)$/i.test(token);
  const first = tokens.findIndex(isDigit);
  const last = tokens.findLastIndex(isDigit);
  const textOf = (part: string[]) => {
    const text = part.map((token) => token.replace(/^["\\]|"$/g, "")).join("");
    const words = text.replace(/[()+-]/g, "").replace(/\s+/g, " ");
    return /[\p{L}\p{Sc}°%‰]/u.test(words) ? words : "";
  };
  if (first < 0) return [textOf(tokens).trim(), ""];
  const isScientific = /E[+-]/i.test(bare);
  return [
    textOf(tokens.slice(0, first)).trimStart(),
    isScientific ? "" : textOf(tokens.slice(last + 1)).trimEnd(),
  ];
}

/** The number itself, of a value that is not negative. */
function numberFormat(bare: string): CellFormat {
  const fraction = /(?<![#?0])[#?0]+\s*\/\s*([#?0]+|\d+)/.exec(bare)?.[1];
  if (fraction !== undefined) return fractionFormat(bare, fraction);
  if (/general|@/i.test(bare) || /E[+-]/i.test(bare)) return plainNumber;
  // A section of nothing but words says what the number is.
  if (!/[0#?]/.test(bare)) return () => "";
  const decimals = Math.min(/\.([0#?]+)/.exec(bare)?.[1]?.length ?? 0, MAX_DECIMALS);
  const zeros = leastDigits(bare);
  const factor = (bare.includes("%") ? PERCENT : 1) / SCALE ** scalingCommas(bare);
  return (value) => {
    const scaled = value * factor;
    if (scaled >= MAX_FIXED) return plainNumber(scaled);
    const text = scaled.toFixed(decimals);
    const point = text.indexOf(".");
    return "0".repeat(Math.max(0, zeros - (point < 0 ? text.length : point))) + text;
  };
}

/** Zeros before the point, as of `00000`. */
function leastDigits(bare: string): number {
  const [before = ""] = bare.split(".", 1);
  const whole = /[0#?][0#?,]*/.exec(before)?.[0] ?? "";
  return whole.replace(/[^0]/g, "").length;
}

/** Commas behind the last digit each divide by a thousand. */
function scalingCommas(bare: string): number {
  return /[0#?](,+)(?:[^0#?,]|$)/.exec(bare)?.[1]?.length ?? 0;
}

/** `# ?/?`: the nearest fraction with a denominator of so many digits, or with this one. */
function fractionFormat(bare: string, denominator: string): CellFormat {
  const fixed = Number(denominator) || 0;
  const most = fixed === 0 ? 10 ** Math.min(denominator.length, MAX_DENOMINATOR_DIGITS) - 1 : fixed;
  const hasWhole = /[#0?]\s+[#?0]+\s*\//.test(bare);
  return (value) => {
    const whole = hasWhole ? Math.floor(value) : 0;
    const part = value - whole;
    let best: [number, number] = [Math.round(part), 1];
    for (let under = fixed || 1; under <= most; under++) {
      const over = Math.round(part * under);
      if (Math.abs(over / under - part) < Math.abs(best[0] / best[1] - part) - 1e-12)
        best = [over, under];
    }
    const [over, under] = best;
    if (over === 0 || under === 1) return String(whole + over);
    return `${whole > 0 ? `${whole} ` : ""}${over}/${under}`;
  };
}

function dateFormat(code: string, is1904: boolean): CellFormat {
  const hasDate = /[yd]/i.test(code) || /m{3,}/i.test(code);
  const hasTime = /[hs]/i.test(code);
  const isElapsed = /\[[hms]+\]/i.test(code);
  return (value) => {
    if (isElapsed && value >= 1) return elapsed(value);
    if (value < 0 || value > MAX_SERIAL) return plainNumber(value);
    const [date, time] = momentOf(value, is1904, hasDate);
    // A time of day alone has no date, whatever the format.
    if (!hasDate || (hasTime && value < 1 && !is1904)) return time;
    return hasTime && time !== "00:00:00" ? `${date} ${time}` : date;
  };
}

/** Date and time of a serial number. */
function momentOf(value: number, is1904: boolean, hasDate: boolean): [string, string] {
  const epoch = is1904 ? EPOCH_1904_MS : EPOCH_1900_MS;
  const shift = !is1904 && hasDate && value < LEAP_BUG_SERIAL ? 1 : 0;
  const iso = new Date(epoch + Math.round((value + shift) * SECONDS_A_DAY) * 1_000).toISOString();
  return [
    iso.slice(0, ISO_DATE_CHARACTERS),
    iso.slice(ISO_DATE_CHARACTERS + 1, ISO_DATE_CHARACTERS + 9),
  ];
}

/** A duration of a day or more: 36:30:00. */
function elapsed(days: number): string {
  const seconds = Math.round(days * SECONDS_A_DAY);
  const clock = new Date((seconds % 3_600) * 1_000).toISOString().slice(14, 19);
  return `${Math.floor(seconds / 3_600)}:${clock}`;
}
