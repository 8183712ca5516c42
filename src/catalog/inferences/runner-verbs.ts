import { invalidFields, requireFound } from "../../core/errors.ts";
import { type AgentId, type InferenceId, newId, type RagId } from "../../core/ids.ts";
import { findRagIds } from "../../db/catalog/rag-writes.ts";
import { agentRows, inferenceRows } from "../../db/catalog/runner-store.ts";
import type { AgentChange, InferenceChange } from "../../db/catalog/runner-store.ts";
import type { AgentRecord, InferenceRecord } from "../../db/records.ts";
import type { Database } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import type { NewAgent } from "../agents/agent-settings.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import { chatModelProblem } from "../models/check-model.ts";
import type { NewInference } from "./inference-settings.ts";

type Input = { name: string; identifier?: string | undefined; model: string; rags: string[] };
type Change = Links & { model?: string | undefined; openToMembers?: boolean | undefined };
type Links = { rags?: string[] | undefined };
type NewRow<Id> = { id: Id; identifier: string; createdAt: number };

type Store<Id extends string, Row extends { id: Id }, New, Patch> = {
  find: (db: Database, key: string) => Promise<Row | null>;
  insert: (db: Database, row: Omit<New, "rags"> & NewRow<Id>, ragIds: RagId[]) => Promise<boolean>;
  update: (
    db: Database,
    id: Id,
    change: Omit<Patch, "rags">,
    ragIds: RagId[] | null,
  ) => Promise<void>;
};

function runnerVerbs<
  Id extends string,
  Row extends { id: Id; model: string },
  New extends Input,
  Patch extends Change,
>(store: Store<Id, Row, New, Patch>) {
  /** By id or identifier. @throws QuarryError `not-found`. */
  async function find({ db }: Pick<Services, "db">, { key }: { key: string }): Promise<Row> {
    return requireFound(await store.find(db, key));
  }

  /** @throws QuarryError `invalid` (unknown RAG, model); `conflict` when the identifier is taken. */
  async function create(
    services: Services,
    input: New,
    id = newId<Id>(services.now()),
  ): Promise<Row> {
    const { rags, ...fields } = input;
    const identifier = chooseIdentifier(input.name, input.identifier);
    const ragIds = (await linkModelAndRags(services, { model: input.model, rags })) ?? [];
    const row = { ...fields, id, identifier, createdAt: services.now() };
    if (!(await store.insert(services.db, row, ragIds))) throw identifierTaken();
    return await find(services, { key: id });
  }

  /** Changes what is given; `rags` replaces the links. @throws QuarryError `invalid`. */
  async function update(services: Services, row: Row, patch: Patch): Promise<Row> {
    const { rags, ...change } = patch;
    const { id } = row;
    // A model that is kept may be missing for a while: what else is saved is saved.
    const model = change.model === row.model ? undefined : change.model;
    const ragIds = await linkModelAndRags(services, { model, rags });
    await store.update(services.db, id, change, ragIds);
    return await find(services, { key: id });
  }
  return { find, create, update };
}

export const inferenceVerbs = {
  ...runnerVerbs<InferenceId, InferenceRecord, NewInference, InferenceChange & Links>(
    inferenceRows,
  ),
  list: inferenceRows.list,
  remove: inferenceRows.remove,
};

export const agentVerbs = {
  ...runnerVerbs<AgentId, AgentRecord, NewAgent, AgentChange & Links>(agentRows),
  list: agentRows.list,
  remove: agentRows.remove,
};

export const { find: findInference } = inferenceVerbs;
export const { find: findAgent } = agentVerbs;

/** The references of an inference or an agent; absent ones are not checked. */
type References = { model?: string | undefined; rags?: string[] | undefined };

/** Null when none are given. @throws QuarryError `invalid` names the model and unknown RAGs. */
async function linkModelAndRags(
  services: Pick<Services, "models" | "db">,
  { model, rags }: References,
): Promise<RagId[] | null> {
  const wrongModel = model === undefined ? null : await chatModelProblem(services, model);
  const ragIds = rags === undefined || rags.length === 0 ? [] : await findRagIds(services.db, rags);
  const names = new Set(ragIds.map(({ identifier }) => identifier));
  const missing = (rags ?? []).filter((identifier) => !names.has(identifier));
  const problems = [
    ...(wrongModel === null ? [] : [wrongModel]),
    ...(missing.length === 0
      ? []
      : [{ field: "rags", problem: `: there is no ${missing.join(", ")}` }]),
  ];
  if (problems.length > 0) throw invalidFields(problems);
  return rags === undefined ? null : ragIds.map(({ id }) => id);
}
