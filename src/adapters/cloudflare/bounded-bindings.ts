import { messageOf, noRoom, QuarryError, storageFailed } from "../../core/errors.ts";
import { DeadlineExceeded, awaitWithin } from "../../core/work/deadline.ts";
import type { FileStore } from "../../ports/file-store.ts";

/** Seconds that a call may take, far above what the platform needs; `put` to a full disk hangs. */
const PUT_SECONDS = 8;
const CALL_SECONDS = 30;

const FULL = /SQLITE_FULL|SQLITE_IOERR|disk is full|ENOSPC|No space left|maximum DB size/i;
/** All that a Worker learns of most failures below a binding, a full disk included. */
const UNEXPLAINED = /internal error|Network connection lost/i;

/** Calls that run statements; of the local database, they fail while a command writes to it. */
const STATEMENTS = new Set<PropertyKey>(["all", "batch", "first", "raw", "run"]);
/** The error of such a call, which has done nothing. */
const LOCKED = /SQLITE_BUSY/;
const LOCKED_TRIES = 40;
const LOCKED_WAIT_MS = 50;

/** Methods whose result has methods of its own: a Durable Object, a session of the database. */
const OPENING = new Set<PropertyKey>(["get", "getByName", "withSession"]);

/** `suspect` is called with each failure that a full storage explains; `putSeconds`: for a `put`. */
type Options = { isLocal: boolean; suspect: () => void; putSeconds?: number };

/**
 * Every call of a binding ends: in its time, or with an error of ours. The platform's own failures
 * become `storage-failed`, those of a full storage `no-room`; other errors pass.
 */
export class BoundedBindings {
  readonly #options: Required<Options>;

  constructor(options: Options) {
    this.#options = { putSeconds: PUT_SECONDS, ...options };
  }

  /** The binding; what its methods promise ends within so many seconds. */
  limitCalls<Binding extends object>(binding: Binding, seconds = CALL_SECONDS): Binding {
    return new Proxy(binding, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(value, target, args);
          const result = call();
          const isOpened = OPENING.has(name) && !(result instanceof Promise);
          if (isOpened && result instanceof Object) return this.limitCalls(result, seconds);
          if (!isPromise(result)) return result;
          const mayWait = this.#options.isLocal && STATEMENTS.has(name);
          return this.#resultOf(mayWait ? retryLocked(result, call) : result, name, seconds);
        };
      },
    });
  }

  bucket(bucket: R2Bucket): FileStore {
    const putParts: FileStore["putParts"] = (...args) => this.#putParts(bucket, ...args);
    return Object.assign(Object.create(this.limitCalls(bucket)), { putParts });
  }

  /** An object of the bucket is read by methods of its own. */
  async #resultOf(call: PromiseLike<unknown>, name: PropertyKey, seconds: number) {
    const result = await this.#settle(
      call,
      name === "put" ? this.#options.putSeconds : seconds,
      name === "put",
    );
    const hasBody = result instanceof Object && "arrayBuffer" in result;
    return hasBody ? this.limitCalls(result) : result;
  }

  async #putParts(bucket: R2Bucket, ...args: Parameters<FileStore["putParts"]>): Promise<void> {
    const [key, size, parts, options] = args;
    const { readable, writable } = new FixedLengthStream(size);
    const writer = writable.getWriter();
    const writing = bucket.put(key, readable, options);
    // It may fail while the next part is awaited.
    writing.catch(() => undefined);
    const raceStep = (step: Promise<unknown>) =>
      this.#settle(Promise.race([step, writing.then(() => step)]), this.#options.putSeconds, true);
    try {
      for await (const part of parts) await raceStep(writer.write(part));
      await raceStep(writer.close());
      await raceStep(writing);
    } catch (thrown) {
      writer.abort(thrown).catch(() => undefined);
      throw thrown;
    }
  }

  async #settle<T>(call: PromiseLike<T>, seconds: number, hangsWhenFull = false): Promise<T> {
    try {
      return await awaitWithin(call, seconds);
    } catch (thrown) {
      throw this.#failureOf(thrown, hangsWhenFull);
    }
  }

  #failureOf(thrown: unknown, hangsWhenFull: boolean): unknown {
    if (thrown instanceof QuarryError) return thrown;
    const { isLocal, suspect } = this.#options;
    const isLate = thrown instanceof DeadlineExceeded;
    const isUnexplained = UNEXPLAINED.test(messageOf(thrown));
    // Nobody else looks after the disk of a local service.
    const isExplained = isLocal && (isUnexplained || (isLate && hangsWhenFull));
    const isFull = isExplained || FULL.test(messageOf(thrown));
    if (isFull || (isLocal && isLate)) suspect();
    if (isFull) return noRoom(thrown);
    return isLate || isUnexplained ? storageFailed(thrown) : thrown;
  }
}

async function retryLocked(first: PromiseLike<unknown>, call: () => unknown): Promise<unknown> {
  for (let [result, tries]: [unknown, number] = [first, 1]; ; result = call(), tries++) {
    try {
      return await result;
    } catch (thrown) {
      if (!LOCKED.test(messageOf(thrown)) || tries === LOCKED_TRIES) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, LOCKED_WAIT_MS));
    }
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Object && "then" in value && typeof value.then === "function";
