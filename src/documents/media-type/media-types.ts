import { FORMATS, type DocumentKind } from "../registry.ts";
import { endingOf } from "./ending.ts";

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

const KIND_BY_TYPE = new Map<string, DocumentKind>();
const BY_ENDING = new Map<string, { kind: DocumentKind; mediaType: string }>();
for (const { kind, files } of FORMATS) {
  for (const [mediaType, endings] of Object.entries(files)) {
    if (mediaType !== UNKNOWN_MEDIA_TYPE) KIND_BY_TYPE.set(mediaType, kind);
    for (const ending of endings.match(/\S+/g) ?? []) BY_ENDING.set(ending, { kind, mediaType });
  }
}

const FOREIGN_ENDINGS = new Map(
  Object.entries({
    doc: "application/msword",
    gif: "image/gif",
    gz: "application/gzip",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    png: "image/png",
    tiff: "image/tiff",
    webp: "image/webp",
    zip: "application/zip",
  }),
);

export const nameWithoutGzip = (name: string) => name.replace(/\.gz$/i, "");

export const kindByName = (name: string): DocumentKind | null =>
  BY_ENDING.get(endingOf(name))?.kind ?? null;

export function kindByMediaType(mimeType: string | null): DocumentKind | null {
  const bare = mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const kind = KIND_BY_TYPE.get(bare);
  if (kind !== undefined) return kind;
  if (bare.endsWith("+json")) return "json";
  return bare.endsWith("+xml") ? "xml" : null;
}

export function mediaTypeByName(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return UNKNOWN_MEDIA_TYPE;
  const foreign = FOREIGN_ENDINGS.get(extension);
  return foreign ?? BY_ENDING.get(extension)?.mediaType ?? UNKNOWN_MEDIA_TYPE;
}

const PACKED = new Set(
  FORMATS.filter(({ isPacked, zip }) => isPacked ?? zip).map(({ kind }) => kind),
);
const PACKED_TYPE = /^image|officedocument|opendocument|macroenabled|gzip/i;

/** Whether a document's text, or a picture's pixels, may be longer than its bytes. */
export function mayBeCompressed(name: string, mimeType: string): boolean {
  const kinds = [kindByName(name), kindByMediaType(mimeType)];
  const isPacked = kinds.some((kind) => kind !== null && PACKED.has(kind));
  return isPacked || name !== nameWithoutGzip(name) || PACKED_TYPE.test(mimeType);
}
