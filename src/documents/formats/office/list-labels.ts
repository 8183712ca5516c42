const LETTERS = 26;
const FIRST_LETTER = 0x61;
const MAX_LETTERED = 3_999;
const ROMAN = "1000m 900cm 500d 400cd 100c 90xc 50l 40xl 10x 9ix 5v 4iv 1i"
  .split(" ")
  .map((pair) => [Number.parseInt(pair), pair.replace(/\d+/, "")] as const);

/** A list's number in a format, named as in ECMA-376 (`lowerRoman`) or in ODF (`i`). */
export function formatCount(format: string, count: number): string {
  if (count < 1 || count > MAX_LETTERED) return String(count);
  if (format === "lowerLetter") return letters(count);
  if (format === "upperLetter") return letters(count).toUpperCase();
  if (format === "a") return alphabeticLabel(count);
  if (format === "A") return alphabeticLabel(count).toUpperCase();
  if (format === "lowerRoman" || format === "i") return roman(count);
  if (format === "upperRoman" || format === "I") return roman(count).toUpperCase();
  return format === "decimalZero" ? String(count).padStart(2, "0") : formatInScript(format, count);
}

/** Formats of other scripts. OpenDocument shows the first signs of one: `甲, 乙, 丙, ...`. */
const ALPHABETS = [
  [/^russian|^[аА]/, "абвгдежзиклмнопрстуфхцчшщыэюя"],
  [/^arabic(?:Alpha|1)|^أ/, "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"],
  [/^hebrew|^א/, "אבגדהוזחטי"],
  [/^thai(?:Letters|Alpha)|^ก/, "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"],
  [/^ideographTraditional|^甲/, "甲乙丙丁戊己庚辛壬癸"],
  [/^ganada|^가/, "가나다라마바사아자차카타파하"],
  [/^(?:decimalEnclosedC|c)ircle|^①/, "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"],
] as const;
const DIGITS = "零一二三四五六七八九";
const IN_IDEOGRAPHS = /^(?:(?:chinese|japanese|taiwanese)(?!Legal)|ideographDigital|ea1|一)/;

/** A plain number where the script has no such sign. */
function formatInScript(format: string, count: number): string {
  if (IN_IDEOGRAPHS.test(format)) return formatInIdeographs(format, count);
  const [, signs = ""] = ALPHABETS.find(([pattern]) => pattern.test(format)) ?? [];
  const sign = signs.charAt(count - 1) || String(count);
  return /^А|Upper$/.test(format) ? sign.toUpperCase() : sign;
}

/** 第三十二条: clauses of Chinese and Japanese contracts; `Digital` formats write 三二. */
function formatInIdeographs(format: string, count: number): string {
  const digits = String(count).replace(/\d/g, (digit) => DIGITS.charAt(Number(digit)));
  if (format.includes("Digital")) return digits.replaceAll("零", "〇");
  const withPlaces = digits
    .padStart(4, "零")
    .replace(/./g, (digit, at: number) => digit + "千百十".charAt(at))
    .replace(/零[千百十]/g, "零");
  if (format.startsWith("japanese")) return withPlaces.replace(/零|一(?=[千百十])/g, "");
  return withPlaces.replace(/零{2,4}/g, "零").replace(/^零|零$|(?<=^零?)一(?=十)/g, "");
}

const letter = (count: number) => String.fromCharCode(FIRST_LETTER + ((count - 1) % LETTERS));

/** a, b, … z, aa, bb: the letter is repeated, as Word does. */
const letters = (count: number) => letter(count).repeat(Math.ceil(count / LETTERS));

function alphabeticLabel(count: number): string {
  const last = letter(count);
  const before = Math.floor((count - 1) / LETTERS);
  return before === 0 ? last : alphabeticLabel(before) + last;
}

function roman(count: number): string {
  let remaining = count;
  let text = "";
  for (const [value, sign] of ROMAN) {
    while (remaining >= value) {
      text += sign;
      remaining -= value;
    }
  }
  return text;
}

export function startOf(value: string | undefined): number {
  const start = Number(value ?? 1);
  return Number.isInteger(start) && start >= 0 ? start : 1;
}

/** Plain numbers are Markdown's own; other labels (`(a)`) become text, for references to them. */
export function markerFor(label: string): { marker: string; prefix: string } {
  const number = /^\(?(\d{1,9})[.)]?$/.exec(label)?.[1];
  if (number !== undefined) return { marker: `${number}.`, prefix: "" };
  return { marker: "-", prefix: /[\p{L}\p{N}]/u.test(label) ? `${label} ` : "" };
}

/** `text`: its pattern, such as `Article %1%.%2%`, with the numbers of its level and those above. */
export type ListLevel = { format: string; start: number; text: string; isLegal?: boolean };

/**
 * Counts one item of a level, from 0; empty for bullets. `counts` are those of the list's levels,
 * `start` is where the count starts over.
 */
export function nextLabel(
  levelAt: (level: number) => ListLevel | undefined,
  level: number,
  counts: number[],
  start?: number,
): string {
  const own = levelAt(level);
  counts.length = Math.min(counts.length, level + 1);
  counts[level] = start ?? (counts[level] ?? (own?.start ?? 1) - 1) + 1;
  if (own === undefined || UNCOUNTED.has(own.format)) return "";
  const numberAt = (at: number) => {
    const { format = "decimal", start: first = 1 } = levelAt(at) ?? {};
    const isPlain = own.isLegal === true || UNCOUNTED.has(format);
    return formatCount(isPlain ? "decimal" : format, counts[at] ?? first);
  };
  return own.text.replace(/%(\d{1,2})%/g, (_whole, at: string) => numberAt(Number(at) - 1)).trim();
}

const UNCOUNTED = new Set(["bullet", "none"]);
