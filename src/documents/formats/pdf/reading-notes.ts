import type { UnmappedFonts } from "./fonts/unmapped-fonts.ts";

const NAMED_PAGES = 10;
const NAMED_CMAPS = 3;
const UNKNOWN_MAPS = "unknown character maps";

export function fontNotes(fonts: UnmappedFonts, missingCmaps: Set<string>): string[] {
  const notes: string[] = [];
  if (fonts.hasDropped) notes.push("text in fonts without a map to characters left out");
  if (missingCmaps.size > 0) {
    notes.push(`text coded by ${UNKNOWN_MAPS} (${namesOf(missingCmaps)}) left out`);
  }
  return notes;
}

export const cmapReason = (cmaps: Set<string>) =>
  cmaps.size > 0 ? { reason: `PDF's text is coded by ${UNKNOWN_MAPS} (${namesOf(cmaps)})` } : {};

const namesOf = (cmaps: Set<string>) => [...cmaps].slice(0, NAMED_CMAPS).join(", ");

export function unreadNotes(pages: number[]): string[] {
  if (pages.length === 0) return [];
  const numbers = pages.slice(0, NAMED_PAGES).join(", ");
  const more = pages.length > NAMED_PAGES ? ` and ${pages.length - NAMED_PAGES} more` : "";
  return [`page${pages.length === 1 ? "" : "s"} ${numbers}${more} could not be read`];
}
