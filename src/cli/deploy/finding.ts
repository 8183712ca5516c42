/**
 * One thing that a deployment needs. `unknown`: it could not be checked, which stops a
 * deployment just as if it were missing.
 */
export type Finding = {
  what: string;
  state: "there" | "missing" | "wrong" | "unknown";
  /** What is wrong with it, or worth knowing. */
  note?: string;
  /** What fixes it, line by line: commands, and `#` lines that say what to do by hand. */
  fix?: string[];
};

export const there = (what: string, note?: string): Finding =>
  note === undefined ? { what, state: "there" } : { what, state: "there", note };
