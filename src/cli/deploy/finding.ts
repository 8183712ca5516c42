/**
 * One thing that a deployment needs. `unknown`: it could not be asked for, which holds a
 * deployment up as much as its absence.
 */
export type Finding = {
  what: string;
  state: "there" | "missing" | "wrong" | "unknown";
  /** What is wrong with it, or what to know. */
  note?: string;
  /** What mends it, line by line: commands, and `#` lines that say what to do by hand. */
  mend?: string[];
};

export const there = (what: string, note?: string): Finding =>
  note === undefined ? { what, state: "there" } : { what, state: "there", note };
