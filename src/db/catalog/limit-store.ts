import { DEFAULT_IMAGE_MODEL } from "../../core/models/model-kind.ts";
import { SECOND_MS, type Now } from "../../core/time.ts";
import { models, spendingLimits } from "../schema/index.ts";
import { columnsOf, orNull, select, rowAsSelect, text, type Row } from "../select.ts";
import { execute, hasRows, raw, readRow, readRows, readValues, runBatch, sql } from "../sql.ts";
import type { CarriedReads, Database, Reads } from "../sql.ts";
import { priceKey, type Prices } from "./model-store.ts";

export const limitColumns = spendingLimits;
const l = columnsOf(spendingLimits, "l");
const LIMIT = select(l);
export type SpendingLimit = Row<typeof LIMIT>;

const name = orNull(text("coalesce(t.name, i.name, a.name)"));
const identifier = orNull(text("coalesce(i.identifier, a.identifier)"));

/** Limits with the names of their subjects, those of the service first. */
export const listLimits = (db: Database) => readRows(db)`
  select ${select({ ...l, name, identifier })} from spending_limits l
    left join tokens t on l.subject_kind = 'token' and t.id = l.subject_id
    left join inferences i on l.subject_kind = 'inference' and i.id = l.subject_id
    left join agents a on l.subject_kind = 'agent' and a.id = l.subject_id
  order by l.subject_kind <> 'service', l.subject_kind, l.subject_id, l.unit, l.period`;

const ID = select({ id: text("id") });

/** Null where there are `max`. */
export const upsertLimit = async (db: Database, limit: SpendingLimit, max: number) =>
  (
    await readRow(db)`insert into spending_limits ${rowAsSelect(spendingLimits, limit)}
      where (select count(*) from spending_limits) < ${max}
      on conflict (subject_kind, subject_id, unit, period) do update set amount = excluded.amount
      returning ${ID}`
  )?.id ?? null;

/** Null deletes the limit. */
export const setAmount = (db: Database, id: string, amount: number | null) =>
  amount === null
    ? execute(db)`delete from spending_limits where id = ${id}`
    : execute(db)`update spending_limits set amount = ${amount} where id = ${id}`;

/** As the audit trail says, whose entry is written with the change. */
export const haveLimitsChanged = (db: Database, since: number) =>
  hasRows(db)`select 1 from audit_events
    where action in ('limits.create', 'limits.change', 'limits.remove') and at >= ${since} limit 1`;

/** By id or identifier; a token by id or name, which up to two have. */
export const findSubjects = (db: Database, kind: "token" | "inference" | "agent", key: string) =>
  readRows(db)`select ${ID} from ${raw(`${kind}s`)}
    where id = ${key} or ${raw(kind === "token" ? "name" : "identifier")} = ${key} limit 2`;

/** Models in use without a price in dollars; of pictures, those that were chosen. */
export const unpricedModels = (db: Database) => readValues(db, text("model"))`
  select distinct model from (
    select 'chat' as kind, model from inferences union all select 'chat', model from agents
    union all select 'reranker', reranker from rags where removed_at is null
    union all select 'image', image_model from file_sources
      where removed_at is null and image_model <> ${DEFAULT_IMAGE_MODEL}
    union all select 'embedding', embedding_model from rag_generations) used
  where model not like 'embedded/%' and not exists (select 1 from models m
    where m.model = used.model and m.currency = 'USD'
      and (m.kind = used.kind or (m.kind = 'chat' and used.kind = 'image'))) order by 1`;

const PRICED = select(columnsOf(models));
/** A limit holds so long after a change. */
const KEPT_MS = 5 * SECOND_MS;
/** Look-ups read the limits along so early that a call finds them. */
const CARRIED_AFTER_MS = 1.5 * SECOND_MS;

/** Limits, and prices while one is in dollars, as an isolate has read them just now. */
export class RecentLimits {
  #recent = { limits: [] as SpendingLimit[], prices: new Map() as Prices };
  #readAt = 0;
  #changes = 0;

  /** Reads that the first batch of a request takes along; null where none is needed. */
  dueReads(now: Now, afterMs = CARRIED_AFTER_MS): CarriedReads | null {
    const [readAt, changes] = [now(), this.#changes];
    if (this.#isFresh(readAt, afterMs)) return null;
    const statements = [
      sql`select ${LIMIT} from spending_limits l`,
      sql`select ${PRICED} from models where currency = 'USD'
        and exists (select 1 from spending_limits where unit = 'usd')`,
    ];
    const take: CarriedReads["take"] = ([limits = [], prices = []]) => {
      const entries = prices
        .map(PRICED.read)
        .map((row) => [priceKey(row.kind, row.model), row] as const);
      this.#recent = { limits: limits.map(LIMIT.read), prices: new Map(entries) };
      this.#readAt = changes === this.#changes ? readAt : 0;
    };
    return { statements, take };
  }

  async current({ $client }: Reads, now: Now, withinMs = KEPT_MS) {
    const readsToCarry = () => this.dueReads(now, withinMs);
    if (!this.#isFresh(now(), withinMs)) await runBatch({ $client, readsToCarry }, []);
    return this.#recent;
  }

  #isFresh = (at: number, withinMs: number) => at >= this.#readAt && at - this.#readAt < withinMs;

  forget(): void {
    this.#changes += 1;
    this.#readAt = 0;
  }
}
