import { Tokenizer } from "htmlparser2";
import type { TokenizerCallbacks } from "htmlparser2";

const MAX_DEPTH = 1_000;
/** Void elements: they hold nothing and add no depth. */
const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
/**
 * Elements that the next tag closes, or that hold only text: many of them do not deepen a tree, so
 * a deep one keeps its paragraphs. Some vocabularies and attacks nest them all the same.
 */
const SHALLOW = new Set(
  "p li td tr th dt dd option optgroup thead tbody tfoot colgroup rp rt html head body script style title textarea iframe noembed noframes xmp".split(
    " ",
  ),
);

type Reader = {
  readonly depth: number;
  ontext(text: string): void;
};

/**
 * Leaves out tags that nest deeper than any document does. At each tag the parser goes through all
 * open elements, so the limit keeps its work linear in the input. Text is never touched.
 */
export class NestingLimit {
  flattened = false;
  readonly #leftOut = new Map<string, number>();
  readonly #html: string;
  readonly #reader: Reader;

  constructor(html: string, reader: Reader) {
    this.#html = html;
    this.#reader = reader;
  }

  /** For a parser that gets the page from its beginning: counts the tags that the parser sees. */
  get tokenizer(): typeof Tokenizer {
    const limited = (callbacks: TokenizerCallbacks) => this.#limited(callbacks);
    return class extends Tokenizer {
      constructor(
        options: ConstructorParameters<typeof Tokenizer>[0],
        callbacks: TokenizerCallbacks,
      ) {
        super(options, limited(callbacks));
      }
    };
  }

  #limited(to: TokenizerCallbacks): TokenizerCallbacks {
    let isLeft = false;
    const unlessLeft =
      <Values extends unknown[]>(tell: (...values: Values) => void) =>
      (...values: Values) => {
        if (!isLeft) tell(...values);
      };
    return {
      onopentagname: (start, end) => {
        isLeft = this.#leavesOut(this.#html.slice(start, end).toLowerCase());
        if (!isLeft) to.onopentagname(start, end);
      },
      onclosetag: (start, end) => {
        if (!this.#leavesOutEnd(this.#html.slice(start, end).toLowerCase()))
          to.onclosetag(start, end);
      },
      onattribname: unlessLeft((start, end) => to.onattribname(start, end)),
      onattribdata: unlessLeft((start, end) => to.onattribdata(start, end)),
      onattribentity: unlessLeft((code) => to.onattribentity(code)),
      onattribend: unlessLeft((quote, end) => to.onattribend(quote, end)),
      onopentagend: unlessLeft((end) => to.onopentagend(end)),
      onselfclosingtag: unlessLeft((end) => to.onselfclosingtag(end)),
      oncdata: (start, end, offset) => to.oncdata(start, end, offset),
      oncomment: (start, end, offset) => to.oncomment(start, end, offset),
      ondeclaration: (start, end) => to.ondeclaration(start, end),
      onprocessinginstruction: (start, end) => to.onprocessinginstruction(start, end),
      ontext: (start, end) => to.ontext(start, end),
      ontextentity: (code, end) => to.ontextentity(code, end),
      onend: () => to.onend(),
      isInForeignContext: () => to.isInForeignContext?.() ?? false,
    };
  }

  #leavesOut(name: string): boolean {
    if (this.#reader.depth < MAX_DEPTH || VOID.has(name)) return false;
    const isShallow = SHALLOW.has(name);
    if (isShallow && this.#reader.depth < 2 * MAX_DEPTH) return false;
    this.flattened = true;
    if (!isShallow) this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1);
    this.#reader.ontext(" ");
    return true;
  }

  #leavesOutEnd(name: string): boolean {
    const count = this.#leftOut.get(name) ?? 0;
    if (count === 0) return false;
    this.#leftOut.set(name, count - 1);
    this.#reader.ontext(" ");
    return true;
  }
}
