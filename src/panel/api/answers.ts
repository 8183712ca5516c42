import { z } from "@hono/zod-openapi";

import { agentPatch, newAgent, storedAgent } from "../../catalog/agents/agent-settings.ts";
import { inferencePatch, newInference } from "../../catalog/inferences/inference-settings.ts";
import { storedInference } from "../../catalog/inferences/inference-settings.ts";
import { agentVerbs, inferenceVerbs } from "../../catalog/inferences/runner-verbs.ts";
import type { Slice } from "../../db/page.ts";
import type { AgentRecord, InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { Endpoints, pageOf, time } from "./request/endpoint.ts";
import { given, type Given } from "../../core/input/given.ts";
import { refuseChange } from "./request/read-request.ts";

const made = { id: z.string(), identifier: z.string(), createdAt: time };

type Verbs<Runner extends { id: string }, New, Patch> = {
  list: (db: Services["db"], slice: Slice) => Promise<{ data: Runner[]; total: number }>;
  /** @throws QuarryError `not-found` */
  find: (services: Services, input: { key: string }) => Promise<Runner>;
  create: (services: Services, input: New) => Promise<Runner>;
  update: (services: Services, record: Runner, patch: Patch) => Promise<Runner>;
  remove: (db: Services["db"], id: Runner["id"]) => Promise<unknown>;
};

const withRags = <Runner extends AgentRecord | InferenceRecord>(record: Runner) => ({
  ...record,
  rags: record.rags.map((rag) => rag.identifier),
});

function runnerRoutes<
  Runner extends { id: string; identifier: string },
  New extends z.ZodType,
  Patch extends z.ZodType<{ identifier?: string | undefined }>,
  Answer extends z.ZodType,
>(
  one: "agent" | "inference",
  verbs: Verbs<Runner, z.output<New>, Omit<Given<z.output<Patch>>, "identifier">>,
  of: { newBody: New; patchBody: Patch; answer: Answer; shown: (one: Runner) => z.input<Answer> },
) {
  const { newBody, patchBody, answer, shown } = of;
  const path = `/${one}s` as const;
  return new Endpoints("answers", (services, key) => verbs.find(services, { key }))
    .list(
      `get ${path}`,
      `All ${one}s. With the RAGs that each is linked to.`,
      { item: answer },
      async ({ services, paging }) => pageOf(await verbs.list(services.db, paging), shown),
    )
    .json(
      `post ${path}`,
      `Add an ${one}. \`rags\` holds the identifiers of the RAGs that it searches.`,
      { body: newBody, answer, status: 201, errors: [404, 409] },
      async ({ services, body }) => shown(await verbs.create(services, body)),
    )
    .json(`get ${path}/{id}`, `An ${one}. All of its settings.`, { answer }, ({ found }) =>
      shown(found),
    )
    .json(
      `patch ${path}/{id}`,
      `Change an ${one}. Fields that are left out stay as they are. The identifier never changes.`,
      { body: patchBody, answer },
      async ({ services, found: record, body }) => {
        const { identifier: wanted, ...patch } = given(body);
        refuseChange("identifier", record.identifier, wanted);
        return shown(await verbs.update(services, record, patch));
      },
    )
    .empty(
      `delete ${path}/{id}`,
      `Remove an ${one}. Programs that call it get 404.`,
      {},
      ({ services, found }) => verbs.remove(services.db, found.id),
    ).app;
}

export const agentRoutes = runnerRoutes("agent", agentVerbs, {
  newBody: newAgent,
  patchBody: agentPatch,
  answer: z.object({ ...storedAgent.shape, ...made }).openapi("PanelAgent"),
  shown: withRags,
});

export const inferenceRoutes = runnerRoutes("inference", inferenceVerbs, {
  newBody: newInference,
  patchBody: inferencePatch,
  answer: z.object({ ...storedInference.shape, ...made }).openapi("PanelInference"),
  shown: withRags,
});
