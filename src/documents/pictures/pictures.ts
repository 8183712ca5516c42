import type { ExtractedDocument, PageStart, Span } from "../extracted-document.ts";
import { foreignMediaType } from "../media-type/foreign-types.ts";
import { foldSpace } from "../writing/fold-space.ts";
import { isLargePicture, pictureOfFile } from "./picture-file.ts";
import { UnusablePicture, type Picture, type PictureReader } from "./picture.ts";
import type { PageMemory, PictureText } from "./picture.ts";

/** More are not read: each takes a call. */
const MAX_PICTURES = 2_000;
/** Length of a mark without its number. */
const MARK_CHARACTERS = 39;
const PREFIX = "Picture: ";
const CHOOSE = "Choose an image model in the source's settings.";

/** The number of a page, or null for another picture. */
type Place = number | null;
type Reading = { place: Place; prefix: string; text: string | null };

export type PictureOptions = {
  /** Reads images and scanned pages; null or absent: these are unreadable. */
  readPicture?: PictureReader;
  /** Whether pictures within documents are read, too. */
  readsPictures?: boolean;
  /** Pictures that are read at once: each is in memory. */
  picturesAtOnce?: number;
  pageMemory?: PageMemory;
};

/** The pictures of a document and of those within it; their texts replace marks at the end. */
export class Pictures {
  /** Whether pictures within Word, PowerPoint and mail are read. */
  readonly areWanted: boolean;
  readonly #reader: PictureReader;
  readonly #atOnce: number;
  readonly #pageMemory: PageMemory;
  /** No document can know the marks of this extraction. */
  readonly #name = crypto.randomUUID();
  readonly #readings: Reading[] = [];
  readonly #reserved: { reading: Reading; bytes: Uint8Array; mediaType: string }[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Places by what is said of them. */
  readonly #told = new Map<string, Place[]>();
  #failure: unknown = null;
  /** Pictures that a model may still read. */
  unread = 0;
  /** Pictures within documents that are not to be read. */
  skipped = 0;
  #unmodelled: Place[] = [];

  constructor({ readPicture, readsPictures, picturesAtOnce, pageMemory }: PictureOptions) {
    this.#reader = readPicture ?? null;
    this.#atOnce = picturesAtOnce ?? 1;
    this.#pageMemory = pageMemory ?? ((_page, make) => make());
    this.areWanted = readsPictures === true && this.#reader !== null;
  }

  /** Returns a mark that the picture's text replaces; empty when it is not read. */
  async add(make: () => Promise<Picture | null>, place: Place = null): Promise<string> {
    const reading: Reading = { place, prefix: "", text: null };
    const isRead = this.#hasRoom(place) && (await this.#start(reading, make));
    return isRead ? this.#mark(reading) : "";
  }

  /**
   * Returns a mark for a picture within a document, whose reading begins with `readReserved`; empty
   * for a small one, and where such pictures are not read.
   */
  reserve(bytes: Uint8Array): string {
    const mediaType = foreignMediaType(bytes) ?? "";
    if (!isLargePicture(bytes, mediaType)) return "";
    if (!this.areWanted) this.skipped++;
    if (!this.areWanted || !this.#hasRoom(null)) return "";
    const reading: Reading = { place: null, prefix: PREFIX, text: null };
    this.#reserved.push({ reading, bytes, mediaType });
    return this.#mark(reading);
  }

  async readReserved(): Promise<void> {
    for (const { reading, bytes, mediaType } of this.#reserved.splice(0))
      await this.#start(reading, () => pictureOfFile(bytes, mediaType));
  }

  #hasRoom(place: Place): boolean {
    const hasRoom = this.#readings.length < MAX_PICTURES;
    if (!hasRoom) this.addNote(`left out: ${MAX_PICTURES} pictures of a file are read`, place);
    return hasRoom;
  }

  #mark(reading: Reading): string {
    return `\uE000${this.#name} ${this.#readings.push(reading) - 1}\uE001`;
  }

  /** False when it is not read. */
  async #start(reading: Reading, make: () => Promise<Picture | null>): Promise<boolean> {
    const { place } = reading;
    while (this.#running.size >= this.#atOnce) await Promise.race(this.#running);
    if (this.#failure !== null) throw this.#failure;
    try {
      const picture = await (place === null ? make() : this.#pageMemory(place, make));
      if (picture === null) return false;
      if ("text" in picture) {
        this.#fill(reading, picture);
        return true;
      }
      if (this.#reader === null) {
        this.#unmodelled.push(place);
        this.unread++;
        return false;
      }
      const running = this.#read(reading, picture).finally(() => this.#running.delete(running));
      this.#running.add(running);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof UnusablePicture)) throw thrown;
      this.addNote(`left out: ${thrown.message}`, place);
      return false;
    }
  }

  async #read(reading: Reading, picture: Picture): Promise<void> {
    try {
      const result = await this.#reader?.(picture);
      if (result === undefined) return;
      if ("problem" in result) {
        this.unread++;
        this.addNote(`could not be read from its image: ${result.problem}`, reading.place);
      } else this.#fill(reading, result);
    } catch (thrown) {
      this.#failure ??= thrown;
    }
  }

  #fill(reading: Reading, { text, by }: PictureText): void {
    reading.text = text.trim();
    this.addNote(`read from images by ${by}`, reading.place);
  }

  addNote(what: string, place: Place): void {
    const places = this.#told.get(what) ?? [];
    places.push(place);
    this.#told.set(what, places);
  }

  get notes(): string[] {
    const unread = this.#unmodelled.length;
    const isOne = unread === 1;
    const are = this.#unmodelled.includes(null)
      ? `${unread} picture${isOne ? " is" : "s are"} not read`
      : `${unread} page${isOne ? " is a picture" : "s are pictures"}`;
    const lines = [...this.#told].map(
      ([what, places]) => `${namesOf(places)} ${noteOf(what, places)}`,
    );
    return [...(unread === 0 ? [] : [`${are}. ${CHOOSE}`]), ...lines];
  }

  /** The document with the texts of its pictures. @throws what ended a reading */
  async complete(document: ExtractedDocument): Promise<ExtractedDocument> {
    await Promise.all(this.#running);
    if (this.#failure !== null) throw this.#failure;
    const { unread, skipped } = this;
    return {
      ...document,
      ...(this.#readings.length > 0 && this.#fillMarks(document)),
      notes: [...document.notes, ...this.notes],
      ...(unread > 0 && { unread }),
      ...(skipped > 0 && { skipped }),
    };
  }

  /** Puts texts in place of their marks, and moves the pages. */
  #fillMarks({ markdown: marked, pages: starts }: ExtractedDocument) {
    const mark = new RegExp(`\uE000${this.#name} (\\d+)\uE001`);
    const pages: PageStart[] = [];
    const recognised: Span[] = [];
    let markdown = "";
    let before = 0;
    // Every other part is the number of a picture.
    for (const [at, part] of marked.split(mark).entries()) {
      const start = markdown.length;
      markdown += at % 2 === 0 ? part : this.#textOf(Number(part));
      if (at % 2 === 1 && markdown.length > start) recognised.push({ start, end: markdown.length });
      before += at % 2 === 0 ? part.length : part.length + MARK_CHARACTERS;
      for (let next = starts[pages.length]; next !== undefined && next.start < before;) {
        pages.push({ ...next, start: start + Math.max(0, next.start - (before - part.length)) });
        next = starts[pages.length];
      }
    }
    for (const { page } of starts.slice(pages.length)) pages.push({ page, start: markdown.length });
    return { markdown, pages, recognised };
  }

  #textOf(reading: number): string {
    const { prefix = "", text } = this.#readings[reading] ?? {};
    if (text === undefined || text === null || text === "") return "";
    // Within a table or a paragraph, a text of several lines would break it.
    return prefix === "" ? text : prefix + foldSpace(text);
  }
}

/** `what` is said of pages: `read from images by …`, `could not be read from its image: …`. */
function noteOf(what: string, places: Place[]): string {
  const isMany = places.length > 1;
  const verb = what.startsWith("could") ? "" : isMany ? "were " : "was ";
  if (places.includes(null)) return verb + what.replace(/ from (?:its image|images)/, "");
  return (
    verb +
    (isMany ? what.replace("its image", "their images") : what.replace("images", "its image"))
  );
}

/** `page 3`, `pages 1, 3 to 7 and 9`, `2 pictures`. */
function namesOf(places: Place[]): string {
  const numbers = places.filter((place) => place !== null).toSorted((a, b) => a - b);
  if (numbers.length === 0) return places.length === 1 ? "a picture" : `${places.length} pictures`;
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const names = ranges.flatMap(([from, to]) => {
    if (to - from > 1) return `${from} to ${to}`;
    return from === to ? `${from}` : [`${from}`, `${to}`];
  });
  const last = names.pop() ?? "";
  const list = names.length === 0 ? last : `${names.join(", ")} and ${last}`;
  return `page${numbers.length === 1 ? "" : "s"} ${list}`;
}
