import type { Reading } from "../../../document-format.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { MailPart } from "./mail-parts.ts";

/** The texts of a message in order, with one of each set of alternatives. */
export type Body = { part: MailPart } | { alternatives: Body[][] };

export type MessageContents = {
  body: Body[];
  attachments: MailPart[];
  /** Images that a page shows. */
  images: MailPart[];
  hasEncrypted: boolean;
};

/** Where a message goes, and what reads it. `inMailbox`: lines that begin with `From ` are escaped. */
export type MailTarget = Reading & { inMailbox: boolean; out: MarkdownBuilder; notes: string[] };

type Place = { inRelated: boolean; inAlternative: boolean; isRoot: boolean };

const SIGNATURES = /^application\/(x-)?(pkcs7-signature|pgp-signature)$/;
const NEVER_READ = /^(application\/applefile|text\/(x-amp-html|watch-html))$/;
const PAGE_PARTS = /^(image|font|audio|video)\/|^text\/(css|javascript)$|\bjavascript$/;
/** Encrypted data, or a signature that encloses its text: only the bytes show which (RFC 8551). */
const WRAPPED = /^application\/(x-)?pkcs7-mime$/;
const TEXTS = /^text\/(plain|html|(x-)?markdown)$/;
const MESSAGES = /^message\/(rfc822|global)$/;

export const isMessage = ({ type }: Pick<MailPart, "type">) => MESSAGES.test(type);

export const isWrapped = ({ type }: MailPart) => WRAPPED.test(type);

export function sortParts(root: MailPart): MessageContents {
  const contents: MessageContents = { body: [], attachments: [], images: [], hasEncrypted: false };
  const place = { inRelated: false, inAlternative: false, isRoot: true };
  contents.body = bodyOf(root, place, contents);
  return contents;
}

export const partsOf = (body: Body[]): MailPart[] =>
  body.flatMap((each) => ("part" in each ? [each.part] : each.alternatives.flatMap(partsOf)));

function bodyOf(part: MailPart, place: Place, contents: MessageContents): Body[] {
  if (part.parts.length > 0) return bodyOfParts(part, place, contents);
  if (isUnseen(part, place)) {
    if (part.type.startsWith("image/")) contents.images.push(part);
    return [];
  }
  if (isBody(part, place)) return [{ part }];
  if (isEncrypted(part, place)) contents.hasEncrypted = true;
  else if (part.end > part.start || part.name !== null) contents.attachments.push(part);
  return [];
}

function bodyOfParts(part: MailPart, place: Place, contents: MessageContents): Body[] {
  const { type, parts } = part;
  if (type === "multipart/encrypted") {
    contents.hasEncrypted = true;
    return [];
  }
  const inside: Place = {
    inRelated: place.inRelated || type === "multipart/related",
    inAlternative: type === "multipart/alternative",
    isRoot: false,
  };
  const bodies = parts.map((each) => bodyOf(each, inside, contents));
  if (type !== "multipart/alternative") return bodies.flat();
  // HTML is preferred: it has more structure than its plain alternative.
  const alternatives = [...bodies.filter(hasHtml), ...bodies.filter((body) => !hasHtml(body))];
  return [{ alternatives: alternatives.filter((body) => body.length > 0) }];
}

/** A wrapped root part is encrypted: one that is only signed would have been opened before. */
const isEncrypted = (part: MailPart, { isRoot }: Place) =>
  part.type === "application/pgp-encrypted" || (isRoot && isWrapped(part));

const hasHtml = (body: Body[]): boolean =>
  body.some((each) =>
    "part" in each ? each.part.type === "text/html" : each.alternatives.some(hasHtml),
  );

function isUnseen({ type, disposition, headers, name }: MailPart, { inRelated }: Place): boolean {
  if (SIGNATURES.test(type) || NEVER_READ.test(type)) return true;
  if (!inRelated || !PAGE_PARTS.test(type)) return false;
  const isReferred =
    headers.first("content-id") !== null || headers.first("content-location") !== null;
  const isAttached = disposition === "attachment" && name !== null;
  return isReferred || !(isAttached || type.startsWith("image/"));
}

function isBody({ type, disposition, name }: MailPart, place: Place): boolean {
  if (!TEXTS.test(type)) return false;
  if (disposition === "attachment" && !place.isRoot) return false;
  return name === null || place.isRoot || place.inAlternative || place.inRelated;
}
