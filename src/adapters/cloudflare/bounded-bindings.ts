import { messageOf, noRoom, QuarryError, storageFailed } from "../../core/errors.ts";
import { endedWithin } from "../../core/work/deadline.ts";
import type { FileStore } from "../../ports/file-store.ts";

/** Seconds that a call may take, far above what the platform needs; a write to a full disk hangs. */
const WRITE_SECONDS = 8;
const READ_SECONDS = 30;

class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const FULL = /SQLITE_FULL|SQLITE_IOERR|disk is full|ENOSPC|No space left|maximum DB size/i;
/** All that a Worker learns of most failures below a binding, a full disk included. */
const UNEXPLAINED = /internal error|Network connection lost/i;

/** Methods whose result has methods of its own: a Durable Object, a session of the database. */
const OPENING = new Set<PropertyKey>(["get", "getByName", "withSession"]);

/** `onNoRoom` is called with each failure that a full storage explains. */
type Options = { isLocal: boolean; onNoRoom: () => void };

/**
 * Every call of a binding ends: in its time, or with an error of ours. The platform's own failures
 * become `storage-failed`, those of a full storage `no-room`; other errors pass.
 */
export class BoundedBindings {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The binding; what its methods promise ends within so many seconds. */
  bounded<Binding extends object>(binding: Binding, seconds = READ_SECONDS): Binding {
    return this.#bounded(binding, () => seconds);
  }

  bucket(bucket: R2Bucket): FileStore {
    const putParts: FileStore["putParts"] = (...of) => this.#putParts(bucket, ...of);
    const secondsOf = (name: PropertyKey) => (name === "put" ? WRITE_SECONDS : READ_SECONDS);
    return Object.assign(Object.create(this.#bounded(bucket, secondsOf)), { putParts });
  }

  #bounded<Binding extends object>(
    binding: Binding,
    secondsOf: (method: PropertyKey) => number,
  ): Binding {
    return new Proxy(binding, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, target, args);
          const isOpened = !(result instanceof Promise) && OPENING.has(name);
          if (isOpened && result instanceof Object) return this.#bounded(result, secondsOf);
          return isPromise(result) ? this.#withBody(this.#ended(result, secondsOf(name))) : result;
        };
      },
    });
  }

  /** An object of the bucket is read by methods of its own. */
  async #withBody(call: Promise<unknown>): Promise<unknown> {
    const result = await call;
    const hasBody = result instanceof Object && "arrayBuffer" in result;
    return hasBody ? this.bounded(result) : result;
  }

  async #putParts(bucket: R2Bucket, ...of: Parameters<FileStore["putParts"]>): Promise<void> {
    const [key, size, parts, options] = of;
    const { readable, writable } = new FixedLengthStream(size);
    const writer = writable.getWriter();
    const put = bucket.put(key, readable, options);
    const taken = (step: Promise<unknown>) =>
      this.#ended(Promise.race([step, put.then(() => step)]), WRITE_SECONDS);
    try {
      for await (const part of parts) await taken(writer.write(part));
      await taken(writer.close());
      await this.#ended(put, WRITE_SECONDS);
    } catch (thrown) {
      put.catch(() => undefined);
      writer.abort(thrown).catch(() => undefined);
      throw thrown;
    }
  }

  async #ended<T>(work: PromiseLike<T>, seconds: number): Promise<T> {
    try {
      return await endedWithin(work, seconds, () => new NoAnswer(`no answer in ${seconds} s`));
    } catch (thrown) {
      throw this.#failureOf(thrown);
    }
  }

  #failureOf(thrown: unknown): unknown {
    const { isLocal, onNoRoom } = this.#options;
    if (thrown instanceof QuarryError) return thrown;
    const message = messageOf(thrown);
    const isUnexplained = thrown instanceof NoAnswer || UNEXPLAINED.test(message);
    // Nobody else looks after the disk of a local service.
    const isFull = FULL.test(message) || (isLocal && isUnexplained);
    if (!isFull) return isUnexplained ? storageFailed(thrown) : thrown;
    onNoRoom();
    return noRoom(thrown);
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";
