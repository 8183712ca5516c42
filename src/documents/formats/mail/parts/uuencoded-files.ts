/** The first line of a uuencoded file in a text. */
const BEGIN = /^begin [0-7]{3,4} (\S.{0,250})$/;
const LINE = /^[ -`]*$/;
const SPACE = 0x20;
const MAX_LINE_CHARACTERS = 90;

/**
 * The lines of a text without the uuencoded files that old mailers put into it; notes name them.
 */
export function* withoutUuencoded(lines: Iterable<string>, notes: string[]): Generator<string> {
  let begin: string | null = null;
  let isInside = false;
  for (const line of lines) {
    if (begin !== null) {
      isInside = isEncoded(line, true);
      if (isInside) notes.push(`uuencoded file ${nameIn(begin)} left out`);
      else yield begin;
      begin = null;
    }
    if (isInside) {
      isInside = isEncoded(line, false);
      if (isInside || line.trimEnd() === "end") continue;
    }
    if (BEGIN.test(line)) begin = line;
    else yield line;
  }
  if (begin !== null) yield begin;
}

const nameIn = (begin: string) => BEGIN.exec(begin)?.[1]?.trimEnd() ?? "";

/**
 * The first character gives the line's length; spaces at its end may have been lost in transport.
 */
function isEncoded(line: string, isFirst: boolean): boolean {
  if (line.length > MAX_LINE_CHARACTERS || !LINE.test(line)) return false;
  const told = ((line.charCodeAt(0) || SPACE) - SPACE) & 63;
  const length = 1 + Math.ceil(told / 3) * 4;
  // Some encoders add a checksum character.
  if (line.length > length + 1) return false;
  return !isFirst || (told > 0 && line.length > length - 4);
}
