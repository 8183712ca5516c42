import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { releaseBytes } from "../../../release-bytes.ts";
import type { MailPart } from "./mail-parts.ts";
import type { Body } from "./message-contents.ts";
import { decodedBody } from "./transfer-encoding.ts";

/** The decoded bodies of a message's parts, each in a buffer of its own until it is taken. */
export class PartContents {
  readonly #bodies = new Map<MailPart, Uint8Array<ArrayBuffer>>();
  /** Call once, before any body is taken: afterwards the message's bytes can be released. */
  *decode(message: Uint8Array, body: Body[], attachments: MailPart[]): CooperativeWork<void> {
    for (const part of [...partsOf(body), ...attachments]) {
      const { start, end, encoding } = part;
      this.#bodies.set(part, yield* decodedBody(message.subarray(start, end), encoding));
    }
  }

  /** Hands a part's bytes over to the caller; works once for each part. */
  take(part: MailPart): Uint8Array<ArrayBuffer> {
    const bytes = this.#bodies.get(part) ?? new Uint8Array();
    this.#bodies.delete(part);
    return bytes;
  }

  /** Releases the bytes of bodies that are not needed any more. */
  drop(body: Body[]): void {
    for (const part of partsOf(body)) releaseBytes(this.take(part));
  }
}

const partsOf = (body: Body[]): MailPart[] =>
  body.flatMap((each) => ("part" in each ? [each.part] : each.alternatives.flatMap(partsOf)));
