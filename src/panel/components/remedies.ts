import type { FileFailure } from "../../core/file-failures.ts";

/** What to do about a file that failed. `pushed`: its bytes were uploaded; else its source has it. */
export function remedyOf(failure: FileFailure | null, pushed: boolean): string | null {
  if (failure === null) return null;
  const remedy = REMEDIES[failure];
  const sends = pushed ? "upload it again" : "save it in the source";
  return remedy.replace("{again}", sends);
}

const REMEDIES: Record<FileFailure, string> = {
  encrypted: "Remove the password or the encryption and {again}.",
  "no-text": "If it is a scan or a picture, recognise its text (OCR) and {again}.",
  "too-large": "Split it into smaller files and {again}.",
  damaged: "Open it in the program that made it, save a new copy and {again}.",
  unsupported: "Convert it to PDF, Word, HTML or text and {again}.",
  encoding: "Save it as UTF-8 and {again}.",
  "beyond-limits": "Split it, or save it in a simpler form, and {again}.",
  denied: "Give the source's account access to the file, or correct the source's credentials.",
  source: "Try again when the source answers. If it keeps failing, look at the source's settings.",
  model: "Check the embedding model in Settings → Models, then try again.",
  service: "Try again. If it keeps failing, the service's log has the reason.",
};
