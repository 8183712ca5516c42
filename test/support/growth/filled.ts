import type { Content } from "../read-document.ts";

export const PROSE =
  "Leave is thirty days a year for all who work here, and ten more after five years. ";

/** Makes a document of about so many bytes. */
export type Make = (size: number) => Content;

export const fill =
  (unit: string, before = "", after = ""): Make =>
  (size) =>
    before + unit.repeat(Math.ceil(size / unit.length)) + after;
