import { z } from "@hono/zod-openapi";

import { agentPatch, newAgent, storedAgent } from "../../catalog/agents/agent-settings.ts";
import { inferencePatch, newInference } from "../../catalog/inferences/inference-settings.ts";
import { storedInference } from "../../catalog/inferences/inference-settings.ts";
import { agentVerbs, inferenceVerbs } from "../../catalog/inferences/runner-verbs.ts";
import { asId } from "../../core/ids.ts";
import { omitUndefined, type Given } from "../../core/input/omit-undefined.ts";
import type { Slice } from "../../db/page.ts";
import type { AgentRecord, InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { Endpoints, pageOf, time, schema } from "./request/endpoint.ts";
import { type Find, refuseChange } from "./request/route.ts";

const identity = { id: z.string(), identifier: z.string(), createdAt: time };

type Verbs<Runner extends { id: string }, New, Patch> = {
  list: (db: Services["db"], slice: Slice) => Promise<{ data: Runner[]; total: number }>;
  /** @throws QuarryError `not-found` */
  find: (services: Services, input: { key: string }) => Promise<Runner>;
  create: (services: Services, input: New, id: Runner["id"]) => Promise<Runner>;
  update: (services: Services, record: Runner, patch: Patch) => Promise<Runner>;
  remove: (db: Services["db"], id: Runner["id"]) => Promise<unknown>;
};

const withRags = <Runner extends AgentRecord | InferenceRecord>(record: Runner) => ({
  ...record,
  rags: record.rags.map((rag) => rag.identifier),
});

/** The actions of inferences, and those of agents. */
function runnerActions<
  Noun extends "agent" | "inference",
  Runner extends { id: string; identifier: string; name: string },
  New extends z.ZodType,
  Patch extends z.ZodType<{ identifier?: string | undefined }>,
  Answer extends z.ZodType,
>(
  noun: Noun,
  verbs: Verbs<Runner, z.output<New>, Omit<Given<z.output<Patch>>, "identifier">>,
  declared: {
    newBody: New;
    patchBody: Patch;
    answer: Answer;
    answerOf: (row: Runner) => z.input<Answer> & object;
  },
) {
  const { newBody, patchBody, answer, answerOf } = declared;
  const path = `/${noun}s` as const;
  const find: Find<Runner> = (services, { key }) => verbs.find(services, { key });
  const creation = action({
    name: `${noun}s.create`,
    about: `Add an ${noun}. \`rags\` holds the identifiers of the RAGs that it searches.`,
    body: newBody,
    errors: [404, 409],
    work: ({ services, body, id }) => verbs.create(services, body, asId(id)),
    answer,
    answerOf,
    notice: `The ${noun} is created. Ask it a question.`,
  });
  const change = action({
    name: `${noun}s.change`,
    about: `Change an ${noun}. Fields that are left out stay as they are. The identifier never changes.`,
    find,
    body: patchBody,
    work: ({ services, subject, body }) => {
      const { identifier, ...patch } = omitUndefined(body);
      refuseChange("identifier", subject.identifier, identifier);
      return verbs.update(services, subject, patch);
    },
    previousValues: answerOf,
    answer,
    answerOf,
    notice: "Saved.",
  });
  const removal = action({
    name: `${noun}s.remove`,
    about: `Remove an ${noun}. Programs that call it get 404.`,
    find,
    work: ({ services, subject: { id } }) => verbs.remove(services.db, id),
    notice: (_none, { name }) => `${name} is removed.`,
  });
  const routes = new Endpoints("answers", find)
    .list(
      `get ${path}`,
      `All ${noun}s. With the RAGs that each is linked to.`,
      { item: answer },
      async ({ services, paging }) => pageOf(await verbs.list(services.db, paging), answerOf),
    )
    .action(creation)
    .json(`get ${path}/{id}`, `An ${noun}. All of its settings.`, { answer }, ({ subject }) =>
      answerOf(subject),
    )
    .action(change)
    .action(removal).app;
  return { find, creation, change, removal, routes };
}

export const agentActions = runnerActions("agent", agentVerbs, {
  newBody: newAgent,
  patchBody: agentPatch,
  answer: schema("PanelAgent", { ...storedAgent.shape, ...identity }),
  answerOf: withRags,
});

export const inferenceActions = runnerActions("inference", inferenceVerbs, {
  newBody: newInference,
  patchBody: inferencePatch,
  answer: schema("PanelInference", { ...storedInference.shape, ...identity }),
  answerOf: withRags,
});
