import { Parser } from "htmlparser2";

import { walkParts, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { standardEncodingOf } from "../../decoding/decode-text.ts";
import { UnreadableDocument } from "../../extracted-document.ts";

/** By qualified name and, if not taken, by local name: `r:id` and `id`. */
export type XmlAttributes = Record<string, string>;

export type XmlHandler = {
  /** `"skip"`: the element and all that it holds are left out. */
  open(name: string, attributes: XmlAttributes): "skip" | undefined | void;
  close?(name: string): void;
  text?(data: string): void;
  /** Characters written so far, where a short element can make many. */
  readonly written?: number;
};

/** Characters of elements that repeat their text between two looks at what was written. */
const REPEATED_PART_CHARACTERS = 1 << 9;

const MAX_DEPTH = 500;
const MAX_ATTRIBUTES = 1_000;
/** The namespace of attributes that name relationships (ECMA-376 part 1, §22.8), usually `r:`. */
const RELATIONSHIPS = /\/officeDocument\/(?:\d{4}\/)?relationships$/;

/**
 * Reads XML as events with local names, whatever the prefixes. Entities other than XML's own five
 * stay as written, so that nothing can expand.
 * @throws UnreadableDocument when elements nest too deeply or entities are declared.
 */
export class XmlStream {
  readonly #parser: Parser;
  readonly #handler: XmlHandler;
  #depth = 0;
  /** The depth of the element that is left out; 0: none is. */
  #skipped = 0;
  #attributes: XmlAttributes = {};
  #attributeCount = 0;
  #prefix = "r";

  constructor(handler: XmlHandler) {
    this.#handler = handler;
    this.#parser = new Parser(
      {
        onopentagname: () => {
          this.#attributes = {};
          this.#attributeCount = 0;
          if (++this.#depth > MAX_DEPTH) throw new UnreadableDocument("XML nests too deeply");
        },
        onattribute: (name, value) => {
          if (++this.#attributeCount > MAX_ATTRIBUTES) {
            throw new UnreadableDocument("XML element has too many attributes");
          }
          this.#attributes[name] = value;
          if (name.startsWith("xmlns:") && RELATIONSHIPS.test(value))
            this.#prefix = localName(name);
          const local = localName(name);
          if (!Object.hasOwn(this.#attributes, local)) this.#attributes[local] = value;
        },
        onopentag: (name) => {
          if (this.#skipped > 0) return;
          if (this.#prefix !== "r")
            for (const [key, value] of Object.entries(this.#attributes))
              if (key.startsWith(`${this.#prefix}:`))
                this.#attributes[`r:${localName(key)}`] = value;
          if (handler.open(localName(name), this.#attributes) === "skip")
            this.#skipped = this.#depth;
        },
        onclosetag: (name) => {
          const isSkipped = this.#skipped > 0;
          if (this.#skipped === this.#depth--) this.#skipped = 0;
          if (!isSkipped) handler.close?.(localName(name));
        },
        ontext: (data) => {
          if (this.#skipped === 0) handler.text?.(data);
        },
        onprocessinginstruction: (name, data) => {
          if (/^!doctype$/i.test(name) && data.includes("<!ENTITY")) {
            throw new UnreadableDocument("XML declares entities");
          }
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  *write(text: string): CooperativeWork<void> {
    if (this.#handler.written === undefined) {
      yield* walkParts(text, (part) => this.#parser.write(part));
      return;
    }
    for (let at = 0; at < text.length; at += REPEATED_PART_CHARACTERS) {
      const before = this.#handler.written;
      const part = text.slice(at, at + REPEATED_PART_CHARACTERS);
      this.#parser.write(part);
      yield part.length + (this.#handler.written - before);
    }
  }

  end(): { endsEarly: boolean } {
    const endsEarly = this.#depth > 0;
    this.#parser.end();
    return { endsEarly };
  }
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Reads an XML part in the encoding that its bytes show or declare, else as UTF-8. */
export function* readXml(
  chunks: Iterable<Uint8Array>,
  handler: XmlHandler,
): CooperativeWork<{ endsEarly: boolean }> {
  const stream = new XmlStream(handler);
  let decoder: TextDecoder | null = null;
  for (const chunk of chunks) {
    yield CHUNK_COST;
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: false, ignoreBOM: false });
    yield* stream.write(decoder.decode(chunk, { stream: true }));
  }
  yield* stream.write(decoder?.decode() ?? "");
  return stream.end();
}

/** In characters: to inflate the first bytes of a part takes longer than to read them. */
const CHUNK_COST = 1 << 9;
const DECLARATION_BYTES = 200;

/** Byte-order marks, and the first two bytes of `<?xml` in UTF-16. */
const SIXTEEN_BITS: Record<string, string> = {
  "255,254": "utf-16le",
  "60,0": "utf-16le",
  "254,255": "utf-16be",
  "0,60": "utf-16be",
};

function encodingOf(chunk: Uint8Array): string {
  const encoding = SIXTEEN_BITS[chunk.subarray(0, 2).join(",")];
  return encoding ?? declaredEncoding(String.fromCharCode(...chunk.subarray(0, DECLARATION_BYTES)));
}

function declaredEncoding(head: string): string {
  const name = /^<\?xml[^>]{1,100}encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
  return (name === undefined ? null : standardEncodingOf(name)) ?? "utf-8";
}
