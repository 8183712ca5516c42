import { randomInt } from "node:crypto";

/** As in the tracked file of development defaults. */
export const LOCAL_EMAIL = "admin@localhost";
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** 100 bits, in groups that are easy to type; without letters that look alike. */
export function newLocalPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
