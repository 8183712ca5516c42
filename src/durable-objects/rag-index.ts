import { DurableObject } from "cloudflare:workers";

import { composeServices } from "../compose.ts";
import { attempt } from "../core/log.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { Env } from "../env.ts";
import type { RagIndex as RagIndexPort } from "../ports/rag-index.ts";
import { answerOfEmpty, INDEX_VERBS, openIndex } from "../rag-index/index-store.ts";
import type { IndexStore, IndexVerb, VerbArguments } from "../rag-index/index-store.ts";

/** The methods are added to the prototype below, where remote calls find them. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface RagIndex extends RagIndexPort {}

/** The index of one RAG, generation and shard: a shell over rag-index/. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class RagIndex extends DurableObject<Env> {
  #store: IndexStore | null = null;
  #alarmAt = Infinity;

  static {
    for (const verb of INDEX_VERBS) {
      const answer = async function (this: RagIndex, ...args: VerbArguments[IndexVerb]) {
        return this.#call(verb, args);
      };
      Object.defineProperty(this.prototype, verb, { value: answer, configurable: true });
    }
  }

  #call<Verb extends IndexVerb>(verb: Verb, args: VerbArguments[Verb]) {
    this.#store ??= openIndex(this.ctx.storage, verb);
    if (this.#store === null) return answerOfEmpty(verb, ...args);
    const inTurns = this.#store.searchInTurns(verb, args, () => scheduler.wait(0));
    if (inTurns !== null) return inTurns;
    const answer = this.#store.call(verb, ...args);
    this.#setAlarm();
    return answer;
  }

  /**
   * Steps of maintenance are alarms, so that other calls come between them. Never throws: an alarm
   * that fails six times is dropped.
   */
  override async alarm() {
    this.#alarmAt = Infinity;
    const { log } = composeServices(this.env, this.ctx);
    const isDone = await attempt(log, "index not maintained", {}, async () => {
      this.#store ??= openIndex(this.ctx.storage, "facts");
      this.#store?.maintain(Date.now());
    });
    if (isDone) this.#setAlarm();
    else await this.ctx.storage.setAlarm(Date.now() + MINUTE_MS);
  }

  #setAlarm(): void {
    const dueAt = this.#store?.dueAt ?? Infinity;
    if (dueAt >= this.#alarmAt) return;
    this.#alarmAt = dueAt;
    void this.ctx.storage.setAlarm(Math.max(Date.now(), dueAt));
  }

  async destroy() {
    this.#store = null;
    this.#alarmAt = Infinity;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
