/** Patterns that may take more than linear time, each with the reason why that harms nobody. */
export type Exemption = { pattern: string; why: string };

/** Commands read what their operator wrote, on the operator's own machine. */
export const OPERATORS_OWN = "cli/";

export const EXEMPT: Exemption[] = [
  {
    pattern: 'new RegExp(`^(?:${element.raw})$`, "u")',
    why: "one class of a caller's pattern, over one character",
  },
  {
    pattern: "new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\\\t]*$`)",
    why: "anchored, and its two repeats share no character: a fence is of backticks or tildes",
  },
  {
    pattern:
      'new RegExp(`[${[...characters].join("")}\\\\u3041-\\\\u309e\\\\u30a1-\\\\u30fe]`, "u")',
    why: "one class of characters, without a repeat",
  },
  {
    pattern: "new RegExp(pattern)",
    why: "a pattern of our own documents, which is checked where it stands, over an empty text",
  },
  {
    pattern: "new RegExp(PARTS)",
    why: "a copy of a pattern that is checked",
  },
  {
    pattern: 'new RegExp(`^${name}:[ \\\\t]*(.+)$`, "m")',
    why: "the name is one of ours; a line is tried once, and fails only where it is blank",
  },
  {
    pattern: 'new RegExp(`${name}>`, "g")',
    why: "begins with <, which its bounded repeats do not match",
  },
  {
    pattern: "new RegExp(`^${name}$`)",
    why: "anchored, and its repeats are bounded",
  },
  {
    pattern: "new RegExp(`\\uE000${this.#name} (\\\\d+)\\uE001`)",
    why: "begins with a random id, and its repeat ends at what no digit is",
  },
];
