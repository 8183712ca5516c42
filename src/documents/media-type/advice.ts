/** Advice for documents that exist in a better format. */
const ADVICE: Record<string, string> = {
  "application/msword": "save it as DOCX",
  "application/vnd.ms-powerpoint": "save it as PPTX",
  "application/vnd.ms-excel": "save it as XLSX",
  "application/vnd.ms-excel.sheet.binary.macroenabled.12": "save it as XLSX",
  "application/vnd.ms-outlook": "save it as EML",
  "application/vnd.apple.iwork": "export it as PDF, DOCX, XLSX or PPTX",
  "application/vnd.oasis.opendocument.graphics": "export it as PDF",
  "application/vnd.ms-visio.drawing": "export it as PDF",
  "application/postscript": "convert it to PDF",
};

/** What is said of a kind of picture that a converter reads, where none is bound. */
export const PICTURES = "pictures are read by Workers AI, which a deployed service has";

export function unsupported(mediaType: string, advice = ADVICE[mediaType]): string {
  return `unsupported media type: ${mediaType}${advice === undefined ? "" : `; ${advice}`}`;
}
