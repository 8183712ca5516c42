import { sha256Hex } from "../../core/hash.ts";
import { Lane } from "../../core/work/lane.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { messageOf, SpendingReached } from "../../core/errors.ts";
import { DEFAULT_IMAGE_MODEL } from "../../core/models/model-kind.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { noteImage, noteImageState } from "../../db/files/image-store.ts";
import type { ExtractOptions } from "../../documents/extract-document.ts";
import type { Picture, PictureReading } from "../../documents/pictures/picture.ts";
import { ModelFailure, type ImageReader } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import type { EmbeddingTally } from "../indexing/embed-chunks.ts";
import { labelFailure, StepFailure } from "../indexing/end-file.ts";
import { backOffMs } from "../timeouts.ts";
import { checkTranscription } from "./check-transcription.ts";

/** Raise it with another prompt or check: pictures are read again by whoever indexes anew. */
const EDITION = 1;
const CALL_MS = 2 * MINUTE_MS;
/** After this time a try calls no model any more; another one goes on. */
const TRY_MS = 2 * MINUTE_MS;
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

/** The part of reading a file that reads its pictures. */
export type ImageReading = Required<Pick<ExtractOptions, "readPicture" | "readsPictures">> & {
  close(): void;
  /** Records what is left to read. */
  settle(left: { unread?: number; skipped?: number }, hasText: boolean): Promise<void>;
};

export function imageReading(services: Services, file: ClaimedFile, work: ImageWork): ImageReading {
  const reader = readerOf(services, file.source.imageModel);
  const tries = file.imageTries + 1;
  const nextTryMs = backOffMs(tries);
  const calls = new ImageCalls(services, file, work);
  const readPicture = async (picture: Picture): Promise<PictureReading> => {
    if (reader === null || "problem" in reader) return reader ?? { problem: "" };
    const reading = await calls.read(reader, picture);
    work.extend();
    const isTried = "problem" in reading && nextTryMs !== null;
    return isTried ? { problem: `${reading.problem}; it is tried again` } : reading;
  };
  return {
    readPicture: reader === null ? null : readPicture,
    readsPictures: file.source.pictures,
    close: () => calls.close(),
    async settle({ unread = 0, skipped = 0 }, hasText) {
      // Without any text, the file itself is tried again.
      const imageTries = unread > 0 && reader !== null && hasText ? tries : 0;
      const due = imageTries > 0 && nextTryMs !== null ? services.now() + nextTryMs : null;
      const state = { imagesUnread: unread, imagesSkipped: skipped, imagesDueAt: due, imageTries };
      const isSame = file.imagesUnread === unread && file.imagesSkipped === skipped && due === null;
      if (isSame && file.imageTries === state.imageTries) return;
      await labelFailure("database", () =>
        noteImageState(services.db, file, state, services.now()),
      );
    },
  };
}

/** Null: nothing reads pictures. */
function readerOf(
  { models }: Pick<Services, "models">,
  name: string | null,
): ImageReader | { problem: string } | null {
  if (name === null) return null;
  try {
    return models.imageReader(name);
  } catch (thrown) {
    return name === DEFAULT_IMAGE_MODEL ? null : { problem: messageOf(thrown) };
  }
}

/** The calls of one try to read a file. */
class ImageCalls {
  readonly #services: Services;
  readonly #file: ClaimedFile;
  readonly #work: ImageWork;
  #failuresInARow = 0;
  #failures = 0;
  #read = 0;
  #until: number | null = null;
  #leave: Promise<() => void> | null = null;

  constructor(services: Services, file: ClaimedFile, work: ImageWork) {
    this.#services = services;
    this.#file = file;
    this.#work = work;
  }

  close(): void {
    void this.#leave?.then((leave) => leave());
  }

  /** A text that some file has had read by this model costs nothing. */
  async read(reader: ImageReader, picture: Picture): Promise<PictureReading> {
    const { db, files } = this.#services;
    const { name: by } = reader;
    const version = await sha256Hex(JSON.stringify([by, EDITION]));
    const key = `images/${await sha256Hex(picture.bytes)}/${version.slice(0, 16)}`;
    const isHeld = await labelFailure("database", () => noteImage(db, this.#file, key));
    if (!isHeld) return { problem: "the file has changed meanwhile" };
    const text = await labelFailure("file storage", async () => {
      const object = await files.get(key);
      return object === null ? null : await object.text();
    });
    if (text !== null) return { text, by };
    const { running } = this.#work;
    const reading = running.get(key) ?? this.#call(reader, picture, key);
    running.set(key, reading);
    return await reading.finally(() => running.delete(key));
  }

  async #call(reader: ImageReader, picture: Picture, key: string): Promise<PictureReading> {
    const { now, files } = this.#services;
    const { name: by } = reader;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW)
      return { problem: `${by} failed with the pictures before` };
    this.#until ??= now() + TRY_MS;
    if (this.#leave === null && filesLane.size >= FILES_AT_ONCE) throw this.#later(by);
    this.#leave ??= filesLane.begin({ leaseMs: TRY_MS + 2 * CALL_MS });
    await this.#leave;
    const { beat } = this.#work;
    const place = { leaseMs: CALL_MS, group: this.#file.fileId, beat };
    const end = await laneOf(reader).begin(place);
    try {
      if (now() > this.#until) {
        if (this.#failures === 0 || this.#read > 0) throw this.#later(by);
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
  #later(by: string): StepFailure {
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
