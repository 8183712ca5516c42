import { entryNamed } from "../archive/named-entry.ts";
import { countedAs, markerFor } from "../office/list-labels.ts";

type Attributes = Record<string, string>;

const INTEGER = /^\s*([-+]?\d{1,9})(?!\d)/;
const TYPES = new Set("1 a A i I".split(" "));
const STYLE =
  /(?:^|[;\s])list-style(?:-type)?\s*:[^;]{0,100}?\b(none|decimal|(?:low|upp)er-[a-z]+)/i;
const TYPES_BY_STYLE: Record<string, string> = {
  none: "",
  decimal: "1",
  "lower-alpha": "a",
  "lower-latin": "a",
  "upper-alpha": "A",
  "upper-latin": "A",
  "lower-roman": "i",
  "upper-roman": "I",
};

/** Counts the items of an `ol` as a browser does (HTML Standard, "The ol element", "The li element"). */
export class ListCounter {
  #next: number | null;
  readonly #step: 1 | -1;
  readonly #type: string;

  constructor(attributes: Attributes) {
    const isReversed = attributes["reversed"] !== undefined;
    this.#step = isReversed ? -1 : 1;
    // A reversed list starts at its number of items, which is not known yet.
    this.#next = integerOf(attributes["start"]) ?? (isReversed ? null : 1);
    this.#type = typeOf(attributes) ?? "1";
  }

  next(attributes: Attributes): { marker: string; prefix: string } {
    const count = integerOf(attributes["value"]) ?? this.#next;
    if (count === null) return { marker: "-", prefix: "" };
    this.#next = count + this.#step;
    const type = typeOf(attributes) ?? this.#type;
    return type === "" ? { marker: "-", prefix: "" } : markerFor(`${countedAs(type, count)}.`);
  }
}

function integerOf(text: string | undefined): number | null {
  const digits = INTEGER.exec(text ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The type from the style, else from the attribute; empty for no number, null if neither says. */
function typeOf({ type, style = "" }: Attributes): string | null {
  const styled = STYLE.exec(style)?.[1]?.toLowerCase();
  const told = styled === undefined ? undefined : entryNamed(TYPES_BY_STYLE, styled);
  return told ?? (type !== undefined && TYPES.has(type) ? type : null);
}
