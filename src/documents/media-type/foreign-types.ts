import { Buffer } from "node:buffer";

const SIGNATURES: [offset: number, bytes: string, mediaType: string][] = [
  [0, "\x89PNG", "image/png"],
  [0, "\xff\xd8\xff", "image/jpeg"],
  [0, "GIF8", "image/gif"],
  [0, "II*\0", "image/tiff"],
  [0, "MM\0*", "image/tiff"],
  [0, "II+\0", "image/tiff"],
  [0, "MM\0+", "image/tiff"],
  [0, "BM", "image/bmp"],
  [0, "\0\0\x01\0", "image/x-icon"],
  [4, "jP  \r\n", "image/jp2"],
  [0, "\xff\x4f\xff\x51", "image/jp2"],
  [4, "JXL \r\n", "image/jxl"],
  [0, "\xff\x0a", "image/jxl"],
  [8, "WEBP", "image/webp"],
  [8, "WAVE", "audio/wav"],
  [8, "AVI ", "video/x-msvideo"],
  [4, "ftypheic", "image/heic"],
  [4, "ftypheix", "image/heic"],
  [4, "ftypmif1", "image/heic"],
  [4, "ftypavif", "image/avif"],
  [4, "ftypM4A", "audio/mp4"],
  [4, "ftypqt", "video/quicktime"],
  [4, "ftyp", "video/mp4"],
  [0, "ID3", "audio/mpeg"],
  [0, "\xff\xfb", "audio/mpeg"],
  [0, "OggS", "audio/ogg"],
  [0, "\x1f\x8b", "application/gzip"],
  [0, "BZh", "application/x-bzip2"],
  [0, "7z\xbc\xaf'\x1c", "application/x-7z-compressed"],
  [0, "Rar!\x1a\x07", "application/vnd.rar"],
  [0, "\x28\xb5\x2f\xfd", "application/zstd"],
  [257, "ustar", "application/x-tar"],
  [0, "\x7fELF", "application/x-executable"],
  [0, "MZ", "application/x-msdownload"],
  [0, "SQLite format 3\0", "application/vnd.sqlite3"],
  [0, "%!PS", "application/postscript"],
];

const SIGNATURE_BYTES = 512;

export function headOf(bytes: Uint8Array, count = SIGNATURE_BYTES): string {
  const { buffer, byteOffset, byteLength } = bytes.subarray(0, count);
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

export function foreignMediaType(bytes: Uint8Array): string | null {
  const head = headOf(bytes);
  // Short signatures made of letters also begin texts, which hold no control characters.
  // oxlint-disable-next-line no-control-regex -- control characters mark binary files
  const isBinary = /[\0-\x08\x0e-\x1a\x7f-\xff]/.test(head);
  if (!isBinary) return head.startsWith("%!PS") ? "application/postscript" : null;
  const hasZeros = head.includes("\0");
  const signature = SIGNATURES.find(
    ([offset, text]) => (text.length > 2 || hasZeros) && head.startsWith(text, offset),
  );
  return signature?.[2] ?? null;
}

export const FLAT_ODF = "application/vnd.oasis.opendocument.text-flat-xml";

const ADVICE: Record<string, string> = {
  "application/msword": "save it as DOCX",
  "application/vnd.ms-powerpoint": "save it as PPTX",
  "application/vnd.ms-excel": "save it as XLSX",
  "application/vnd.ms-excel.sheet.binary.macroenabled.12": "save it as XLSX",
  "application/vnd.ms-outlook": "save it as EML",
  "application/vnd.apple.iwork": "export it as PDF, DOCX, XLSX or PPTX",
  [FLAT_ODF]: "save it as ODT, ODS or ODP",
  "application/vnd.oasis.opendocument.graphics": "export it as PDF",
  "application/vnd.ms-visio.drawing": "export it as PDF",
  "application/postscript": "convert it to PDF",
};

const PICTURES = "save it as PNG or JPEG";

export function unsupportedMessage(mediaType: string): string {
  const advice = ADVICE[mediaType] ?? (mediaType.startsWith("image/") ? PICTURES : undefined);
  return `unsupported media type: ${mediaType}${advice === undefined ? "" : `; ${advice}`}`;
}
