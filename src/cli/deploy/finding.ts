import { reasonSaid, type Said } from "./wrangler-command.ts";

/**
 * One requirement of a deployment. `unknown`: it could not be checked, which stops a deployment
 * just as if it were missing.
 */
export type Finding = {
  what: string;
  state: "there" | "missing" | "wrong" | "unknown";
  /** The problem, or a remark. */
  note?: string;
  /** How to fix it, line by line: commands, and `#` lines that describe manual steps. */
  fix?: string[];
};

export const there = (what: string, note?: string): Finding =>
  note === undefined ? { what, state: "there" } : { what, state: "there", note };

export const unread = (what: string, said: Said): Finding => ({
  what,
  state: "unknown",
  note: reasonSaid(said),
});
