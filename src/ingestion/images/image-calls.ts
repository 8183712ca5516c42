import { SpendingReached } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { Lane } from "../../core/work/lane.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { noteImage } from "../../db/files/image-store.ts";
import { EXTRACTION_FORMAT } from "../../documents/extracted-document.ts";
import { UnusablePicture, type PageMemory } from "../../documents/pictures/picture.ts";
import type { Picture, PictureReading } from "../../documents/pictures/picture.ts";
import { ModelFailure, type ImageReader } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import type { EmbeddingTally } from "../indexing/embed-chunks.ts";
import { labelFailure, StepFailure } from "../indexing/end-file.ts";
import { checkTranscription } from "./check-transcription.ts";

/** Raise it with another prompt or check: pictures are read again by whoever indexes anew. */
const EDITION = 1;
const CALL_MS = 2 * MINUTE_MS;
/** After this time a try calls no model any more; another one goes on. */
const TRY_MS = 2 * MINUTE_MS;
/**
 * The queue of a local service has one consumer, in which other files wait for their turn. A try
 * that has read nothing yet goes on: the next one would begin with the same pictures.
 */
const OWN_SERVER_TRY_MS = 30 * SECOND_MS;
/** Files whose pictures an isolate reads at once: consumers stay free for other files. */
const FILES_AT_ONCE = 3;
const CALLS_AT_ONCE = 6;
/** A model that fails so often in a row is left alone until the next try. */
const MAX_FAILURES_IN_A_ROW = 3;

const filesLane = new Lane(FILES_AT_ONCE);
const lanes = new Map<string, Lane>();

/** A server of one's own reads one picture after the other. */
function laneOf({ name, server }: ImageReader): Lane {
  const lane = lanes.get(name) ?? new Lane(server === undefined ? CALLS_AT_ONCE : 1);
  lanes.set(name, lane);
  return lane;
}

export type ImageWork = {
  tally: EmbeddingTally;
  /** Called while a model works. */
  beat: () => Promise<void>;
  /** Pictures that this invocation reads now, by their keys. */
  running: Map<string, Promise<PictureReading>>;
  /** Called when a picture is read. */
  extend: () => void;
};

/** The key of what a model has read in a picture. */
async function keyOf(hash: string, { name }: ImageReader): Promise<string> {
  const version = await sha256Hex(JSON.stringify([name, EDITION]));
  return `images/${hash}/${version.slice(0, 16)}`;
}

/** The hash of a page's picture, or why the page has none: null for a page without a picture. */
type PageContent = { hash: string } | { leftOut: string | null };

/** The calls of one try to read a file. */
export class ImageCalls {
  readonly #services: Services;
  readonly #file: ClaimedFile;
  readonly #work: ImageWork;
  #failuresInARow = 0;
  #failures = 0;
  #read = 0;
  #startedAt: number | null = null;
  #leave: Promise<() => void> | null = null;
  /** Pages by their numbers, as this and earlier tries have seen them. */
  #pages: Promise<Record<string, PageContent>> | null = null;
  #hasNewPages = false;

  constructor(services: Services, file: ClaimedFile, work: ImageWork) {
    this.#services = services;
    this.#file = file;
    this.#work = work;
  }

  /** Nothing of the file is left to read. */
  forgetPages(): void {
    this.#hasNewPages = false;
  }

  /** Ends the try; another one knows its pages. */
  async close(): Promise<void> {
    void this.#leave?.then((leave) => leave());
    if (!this.#hasNewPages) return;
    const key = this.#pagesKey();
    const pages = JSON.stringify(await this.#pages);
    const isHeld = await labelFailure("database", () => this.#hold(key));
    if (isHeld) await labelFailure("file storage", () => this.#services.files.put(key, pages));
  }

  /** Decodes a page again only where its picture is still to be read. */
  async pictureOf(
    reader: ImageReader,
    page: number,
    make: Parameters<PageMemory>[1],
  ): ReturnType<PageMemory> {
    this.#pages ??= this.#readStored(this.#pagesKey()).then((json) => JSON.parse(json ?? "{}"));
    const pages = await this.#pages;
    const content = pages[page];
    if (content !== undefined && "leftOut" in content) {
      if (content.leftOut === null) return null;
      throw new UnusablePicture(content.leftOut);
    }
    const text =
      content === undefined ? null : await this.#holdText(await keyOf(content.hash, reader));
    if (typeof text === "string") return { text, by: reader.name };
    if (this.#isOver(reader) && this.#mayContinue()) throw this.#postponement(reader.name);
    const note = (current: PageContent) => {
      pages[page] = current;
      this.#hasNewPages = true;
    };
    try {
      const picture = await make();
      note(picture === null ? { leftOut: null } : { hash: await sha256Hex(picture.bytes) });
      return picture;
    } catch (thrown) {
      if (thrown instanceof UnusablePicture) note({ leftOut: thrown.message });
      throw thrown;
    }
  }

  #pagesKey = () =>
    `images/pages/${this.#file.fileId}/${this.#file.contentId}/${EXTRACTION_FORMAT}`;
  #hold = (key: string) => noteImage(this.#services.db, this.#file, key);
  #isOver = ({ server }: ImageReader) =>
    this.#services.now() - (this.#startedAt ?? Infinity) >
    (server === undefined || this.#read === 0 ? TRY_MS : OWN_SERVER_TRY_MS);
  #mayContinue = () => this.#failures === 0 || this.#read > 0;

  #readStored(key: string): Promise<string | null> {
    return labelFailure("file storage", async () => {
      const object = await this.#services.files.get(key);
      return object === null ? null : await object.text();
    });
  }

  /**
   * A text that some file has had read by this model costs nothing, and stays with this file. Null:
   * none has; undefined: the file has changed meanwhile.
   */
  async #holdText(key: string): Promise<string | null | undefined> {
    const isHeld = await labelFailure("database", () => this.#hold(key));
    const text = isHeld ? await this.#readStored(key) : undefined;
    this.#work.extend();
    return text;
  }

  async read(reader: ImageReader, picture: Picture): Promise<PictureReading> {
    const key = await keyOf(await sha256Hex(picture.bytes), reader);
    const text = await this.#holdText(key);
    if (text === undefined) return { problem: "the file has changed meanwhile" };
    const { running, extend } = this.#work;
    if (text !== null) return { text, by: reader.name };
    const reading = running.get(key) ?? this.#call(reader, picture, key);
    running.set(key, reading);
    return await reading.finally(() => {
      running.delete(key);
      extend();
    });
  }

  async #call(reader: ImageReader, picture: Picture, key: string): Promise<PictureReading> {
    const { now, files } = this.#services;
    const { name: by } = reader;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW)
      return { problem: `${by} failed with the pictures before` };
    this.#startedAt ??= now();
    if (this.#leave === null && filesLane.size >= FILES_AT_ONCE) throw this.#postponement(by);
    this.#leave ??= filesLane.begin({ leaseMs: TRY_MS + 2 * CALL_MS });
    await this.#leave;
    const { beat } = this.#work;
    const place = { leaseMs: CALL_MS, group: this.#file.fileId, beat };
    const end = await laneOf(reader).begin(place);
    try {
      if (this.#isOver(reader)) {
        if (this.#mayContinue()) throw this.#postponement(by);
        // Pictures that always fail are first in each try: those behind them get their turn.
        if (this.#failures >= MAX_FAILURES_IN_A_ROW)
          return { problem: `the pictures before took ${by} too long` };
      }
      const reading = await this.#transcribe(reader, picture);
      if ("text" in reading) {
        await labelFailure("file storage", async () => void (await files.put(key, reading.text)));
        this.#read++;
      }
      return reading;
    } finally {
      end();
    }
  }

  /** Another try goes on where this one ends. It counts as none. */
  #postponement(by: string): StepFailure {
    const cause = new ModelFailure("not yet", { isLate: true });
    const words = this.#read === 0 ? "pictures wait for" : `${this.#read} pictures were read by`;
    return new StepFailure(`${words} ${by}, more follow`, null, { cause });
  }

  async #transcribe(reader: ImageReader, picture: Picture): Promise<PictureReading> {
    const { now } = this.#services;
    const { tally, beat } = this.#work;
    const { name: model } = reader;
    const startedAt = now();
    const beating = setInterval(() => void beat().catch(() => {}), SECOND_MS);
    const count = (failed: boolean, { inputTokens = 0, outputTokens = 0 } = {}) => {
      const { ragId } = this.#file;
      const latencyMs = now() - startedAt;
      tally.count({ kind: "image", model, ragId, inputTokens, outputTokens, latencyMs, failed });
    };
    try {
      const answer = await reader.read(picture, AbortSignal.timeout(CALL_MS));
      count(false, answer);
      const checked = checkTranscription(answer);
      this.#failuresInARow = 0;
      if ("text" in checked) return { text: checked.text, by: model };
      this.#failures++;
      return { problem: `${checked.problem}, ${model}` };
    } catch (thrown) {
      if (thrown instanceof SpendingReached) throw thrown;
      count(true);
      this.#failures++;
      this.#failuresInARow++;
      const isOurs = thrown instanceof ModelFailure;
      return { problem: `${isOurs ? thrown.message : "no answer in time"} from ${model}` };
    } finally {
      clearInterval(beating);
    }
  }
}
