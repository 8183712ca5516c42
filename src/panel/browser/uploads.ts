/** The outcome of files that somebody chose: every one of them is in one of these. */
export type UploadResults = {
  chosen: number;
  uploaded: number;
  /** Names that begin with a dot, and what systems leave in folders. */
  skipped: number;
  /** With the reason: "notes.md: the connection failed". */
  failed: string[];
};

/** "50 files: 49 uploaded, 1 failed", or how far it has come. */
export function uploadInWords({ chosen: total, uploaded, skipped, failed }: UploadResults): string {
  const files = (number: number) => `${number} file${number === 1 ? "" : "s"}`;
  const finished = uploaded + skipped + failed.length;
  if (total === 0) return "There are no files in it.";
  if (finished < total) return `Uploading: ${finished} of ${files(total)} done`;
  const parts = [
    `${uploaded} uploaded`,
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped (hidden)`]),
  ];
  return `${files(total)}: ${parts.join(", ")}`;
}

/** `documents/a/b.md` in the folder `documents` is `a/b.md`, as `quarry push documents` has it. */
export const pathInFolder = (path: string): string => path.slice(path.indexOf("/") + 1);
