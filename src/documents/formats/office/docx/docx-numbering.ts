import { ownEntryOf } from "../../archive/own-entry.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";
import { nextLabel, startOf, type ListLevel } from "../list-labels.ts";
import { isOn } from "./docx-styles.ts";

type Levels = Map<number, ListLevel>;
type Starts = ReadonlyMap<number, number>;
/** A numbering instance. Few override anything, so most share an empty map. */
type Instance = { abstract: string; own: ReadonlyMap<number, ListLevel>; starts: Starts };

const MAX_LEVEL = 8;
/** A file may define millions: lists beyond this limit show no numbers. */
const MAX_ABSTRACTS = 1 << 14;
const MAX_INSTANCES = 1 << 16;
const MAX_LABEL_CHARACTERS = 200;
const NONE: ReadonlyMap<number, never> = new Map<number, never>();

/** Properties of a list level by its elements. */
const LEVEL: Record<string, (val?: string) => Partial<ListLevel>> = {
  numFmt: (format = "") => ({ format }),
  lvlText: (val = "") => ({
    text: val.slice(0, MAX_LABEL_CHARACTERS).replace(/%([1-9])/g, "%$1%"),
  }),
  start: (val) => ({ start: startOf(val) }),
  isLgl: (val) => ({ isLegal: isOn(val) }),
};

/** Lists of a Word document (ECMA-376 part 1, §17.9), and how far each has counted. */
export class Numbering {
  readonly #abstracts = new Map<string, Levels>();
  readonly #instances = new Map<string, Instance>();
  readonly #counts = new Map<string, number[]>();
  readonly #begun = new Set<string>();
  /** Lists that have the levels of a style, and the lists that define styles. */
  readonly #named = new Map<string, string>();
  readonly #styled = new Map<string, Levels>();
  #abstractId = "";
  #levels: Levels = new Map();
  #level = emptyLevel();
  #instance = emptyInstance();
  #overridden = 0;

  /** The label of the list's next item, such as `1.`, `(b)` or `4.2`; empty for bullets. */
  next(numId: string, atLevel: number): string {
    const instance = this.#instances.get(numId);
    const level = Math.min(Math.max(0, atLevel), MAX_LEVEL);
    if (instance === undefined) return "";
    // Instances of one list continue its counts, unless an instance restarts them.
    const counts = this.#counts.get(instance.abstract) ?? [];
    this.#counts.set(instance.abstract, counts);
    // Word counts a level that is left out as its first item.
    for (let at = 0; at < level; at++) {
      if (counts[at] !== undefined) continue;
      counts[at] = instance.starts.get(at) ?? this.#levelOf(instance, at)?.start ?? 1;
      this.#begun.add(`${numId} ${at}`);
    }
    const key = `${numId} ${level}`;
    const isFirst = !this.#begun.has(key);
    this.#begun.add(key);
    const restart = isFirst || counts[level] === undefined ? instance.starts.get(level) : undefined;
    return nextLabel((at) => this.#levelOf(instance, at), level, counts, restart);
  }

  #levelOf({ abstract, own }: Instance, level: number): ListLevel | undefined {
    const style = this.#named.get(abstract);
    const levels = style === undefined ? undefined : this.#styled.get(style);
    return own.get(level) ?? (levels ?? this.#abstracts.get(abstract))?.get(level);
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    abstractNum: ({ abstractNumId = "" }) => {
      this.#abstractId = abstractNumId;
      this.#levels = new Map();
      setLimited(MAX_ABSTRACTS, this.#abstracts, abstractNumId, this.#levels);
    },
    styleLink: ({ val = "" }) => setLimited(MAX_ABSTRACTS, this.#styled, val, this.#levels),
    numStyleLink: ({ val = "" }) => setLimited(MAX_ABSTRACTS, this.#named, this.#abstractId, val),
    lvl: ({ ilvl = "0" }) => {
      this.#level = emptyLevel();
      setLimited(MAX_LEVEL + 1, this.#levels, Number(ilvl), this.#level);
    },
    num: ({ numId = "" }) => {
      this.#instance = emptyInstance();
      setLimited(MAX_INSTANCES, this.#instances, numId, this.#instance);
    },
    abstractNumId: ({ val = "" }) => {
      this.#instance.abstract = val;
    },
    lvlOverride: ({ ilvl = "0" }) => {
      // An instance's overrides must not change its abstract list.
      this.#overridden = Number(ilvl);
      this.#levels = new Map(this.#instance.own);
      this.#instance.own = this.#levels;
    },
    startOverride: ({ val }) => {
      const starts = new Map(this.#instance.starts);
      setLimited(MAX_LEVEL + 1, starts, this.#overridden, startOf(val));
      this.#instance.starts = starts;
    },
  };

  open(name: string, attributes: XmlAttributes): void {
    Object.assign(this.#level, ownEntryOf(LEVEL, name)?.(attributes["val"]));
    ownEntryOf(this.#onOpen, name)?.(attributes);
  }
}

const emptyLevel = (): ListLevel => ({ format: "bullet", start: 1, text: "", isLegal: false });

const emptyInstance = (): Instance => ({ abstract: "", own: NONE, starts: NONE });

/** Adds an entry; beyond `most` entries, new keys are left out. */
function setLimited<K, V>(most: number, map: Map<K, V>, key: K, value: V): void {
  if (map.size < most || map.has(key)) map.set(key, value);
}
