/** Patterns that may take more than linear time, each with the reason why that harms nobody. */
export type Exemption = { pattern: string; why: string };

/** Commands read what their operator wrote, on the operator's own machine. */
export const OPERATORS_OWN = "cli/";

const raw = String.raw;

/** Known and not yet mended: nothing may be added here. */
const TO_BE_MENDED = [
  raw`sources/web/robots.ts: /^\s*([\w-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/`,
  raw`documents/decoding/decode-text.ts: /<meta[^>]+?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i`,
  raw`documents/formats/office/sheets/number-formats.ts: /^[^1-9]*0[^1-9]*$/`,
  raw`documents/formats/office/sheets/number-formats.ts: /"[^"]*"|\\.|\[[^\]]*\]|[^]/g`,
  raw`documents/formats/office/sheets/number-formats.ts: /\[\$([^\]-]*)[^\]]*\]/g`,
  raw`documents/formats/office/sheets/number-formats.ts: /\[(?![hms]+\])[^\]]*\]/gi`,
  raw`documents/formats/office/sheets/number-formats.ts: /\[[^\]]*\]/g`,
  raw`documents/formats/pdf/layout/joined-lines.ts: /(\p{L}+)[-\u2010]$/u`,
  raw`documents/formats/pdf/layout/joined-lines.ts: /(?:^|\s)(?:[^\s\\]*[/@]\S*|--?\p{L}\S*)-$/u`,
  raw`documents/formats/pdf/layout/joined-lines.ts: /\p{L}+-\p{L}+(?=[^-\p{L}])/gu`,
  `adapters/embedded/extractive/fill-scalars.ts: new RegExp(pattern, "u")`,
];

export const EXEMPT: Exemption[] = [
  ...TO_BE_MENDED.map((pattern) => ({ pattern, why: "to be mended" })),
  {
    pattern:
      "documents/chunking/scan-blocks.ts: new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\\\t]*$`)",
    why: "anchored, and its two repeats share no character: a fence is of backticks or tildes",
  },
  {
    pattern:
      'documents/decoding/detect-encoding.ts: new RegExp(`[${[...characters].join("")}\\\\u3041-\\\\u309e\\\\u30a1-\\\\u30fe]`, "u")',
    why: "one class of characters, without a repeat",
  },
  {
    pattern:
      'documents/formats/mail/calendar.ts: new RegExp(`;${name}=(?:"([^"]*)"|([^;:]*))`, "i")',
    why: "the name is one of ours, and no repeat runs past the next name",
  },
  {
    pattern: "documents/formats/markdown/markdown-hidden.ts: new RegExp(PARTS)",
    why: "a copy of a pattern that is checked",
  },
  {
    pattern: 'documents/formats/markdown/markdown.ts: new RegExp(`^${name}:[ \\\\t]*(.+)$`, "m")',
    why: "the name is one of ours; a line is tried once, and fails only where it is blank",
  },
];
