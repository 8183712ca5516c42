import { invalidField } from "../../core/errors.ts";

const PATH_MAX_LENGTH = 2_048;
// oxlint-disable-next-line no-control-regex -- these are what no path may hold
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws QuarryError `invalid` unless the path is relative and names a file. */
export function checkFilePath(path: string): void {
  const wrong = reasonAgainst(path);
  if (wrong !== null) throw invalidField("path", wrong);
}

function reasonAgainst(path: string): string | null {
  if (path === "") return "is required";
  if (path.length > PATH_MAX_LENGTH) return `must have at most ${PATH_MAX_LENGTH} characters`;
  if (path.startsWith("/")) return "must be relative, without a leading /";
  if (CONTROL.test(path)) return "must not contain control characters";
  const segments = path.split("/");
  if (segments.includes("")) return "must not have an empty segment";
  if (segments.includes(".") || segments.includes("..")) return "must not have a . or .. segment";
  return null;
}

/** The last segment. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
