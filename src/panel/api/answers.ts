import { z } from "@hono/zod-openapi";

import { agentPatch, newAgent, storedAgent } from "../../catalog/agents/agent-settings.ts";
import {
  createAgent,
  findAgent,
  updateAgent,
  createInference,
  findInference,
  updateInference,
} from "../../catalog/inferences/runner-verbs.ts";
import {
  deleteAgent,
  listAgentRecords,
  deleteInference,
  listInferenceRecords,
} from "../../db/catalog/runner-store.ts";
import {
  inferencePatch,
  newInference,
  storedInference,
} from "../../catalog/inferences/inference-settings.ts";
import type { Slice } from "../../db/page.ts";
import type { AgentRecord, InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { Endpoints, pageOf, time } from "./request/endpoint.ts";
import { given, type Given } from "../../core/input/given.ts";
import { refuseChange } from "./request/read-request.ts";

export const agentRoutes = () =>
  resourceRoutes({
    path: "/agents",
    one: "agent",
    newBody: newAgent,
    patchBody: agentPatch,
    answer: z.object({ ...storedAgent.shape, ...shownPrompted }).openapi("PanelAgent"),
    shown: promptedOf,
    list: listAgentRecords,
    find: findAgent,
    create: createAgent,
    update: updateAgent,
    remove: (db, { id }) => deleteAgent(db, id),
  });

export const inferenceRoutes = () =>
  resourceRoutes({
    path: "/inferences",
    one: "inference",
    newBody: newInference,
    patchBody: inferencePatch,
    answer: z.object({ ...storedInference.shape, ...shownPrompted }).openapi("PanelInference"),
    shown: promptedOf,
    list: listInferenceRecords,
    find: findInference,
    create: createInference,
    update: updateInference,
    remove: (db, { id }) => deleteInference(db, id),
  });

/** What an answer adds to the settings. */
const shownPrompted = { id: z.string(), identifier: z.string(), createdAt: time };

type Patched = { identifier?: string | undefined };
type Resource<
  Record,
  New extends z.ZodType,
  Patch extends z.ZodType<Patched>,
  Answer extends z.ZodType,
> = {
  path: "/agents" | "/inferences";
  one: string;
  newBody: New;
  patchBody: Patch;
  answer: Answer;
  shown: (record: Record) => z.input<Answer>;
  list: (db: Services["db"], slice: Slice) => Promise<{ data: Record[]; total: number }>;
  /** @throws QuarryError `not-found` */
  find: (services: Services, input: { key: string }) => Promise<Record>;
  create: (services: Services, input: z.output<New>) => Promise<Record>;
  update: (
    services: Services,
    record: Record,
    patch: Omit<Given<z.output<Patch>>, "identifier">,
  ) => Promise<Record>;
  remove: (db: Services["db"], record: Record) => Promise<void>;
};

/** With the identifiers of its RAGs. */
const promptedOf = <Record extends AgentRecord | InferenceRecord>(record: Record) => ({
  ...record,
  rags: record.rags.map((rag) => rag.identifier),
});

/** The five routes of a resource: list, create, read, change, remove. */
function resourceRoutes<
  Record extends { identifier: string },
  New extends z.ZodType,
  Patch extends z.ZodType<Patched>,
  Answer extends z.ZodType,
>(resource: Resource<Record, New, Patch, Answer>) {
  const { path, one, answer, shown, find } = resource;
  return new Endpoints("answers", (services, key) => find(services, { key }))
    .list(
      `get ${path}`,
      `All ${one}s. With the RAGs that each is linked to.`,
      { item: answer },
      async ({ services, paging }) => pageOf(await resource.list(services.db, paging), shown),
    )
    .json(
      `post ${path}`,
      `Add an ${one}. \`rags\` holds the identifiers of the RAGs that it searches.`,
      { body: resource.newBody, answer, status: 201, errors: [404, 409] },
      async ({ services, body }) => shown(await resource.create(services, body)),
    )
    .json(`get ${path}/{id}`, `An ${one}. All of its settings.`, { answer }, ({ found }) =>
      shown(found),
    )
    .json(
      `patch ${path}/{id}`,
      `Change an ${one}. Fields that are left out stay as they are. The identifier never changes.`,
      { body: resource.patchBody, answer },
      async ({ services, found: record, body }) => {
        const { identifier: wanted, ...patch } = given(body);
        refuseChange("identifier", record.identifier, wanted);
        return shown(await resource.update(services, record, patch));
      },
    )
    .empty(
      `delete ${path}/{id}`,
      `Remove an ${one}. Programs that call it get 404.`,
      {},
      ({ services, found }) => resource.remove(services.db, found),
    ).app;
}
