import { Hono } from "hono";

import { isNotFound } from "../../core/errors.ts";
import { SECOND_MS } from "../../core/time.ts";
import { listCoveredRunners, runnersAfter } from "../../db/access/public-lists.ts";
import type { CoveredRunner } from "../../db/access/public-lists.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { callerFrom, credentialIn } from "../../http/caller.ts";
import { admit } from "../../http/middleware/guard.ts";
import { requireAccess } from "../require-token.ts";
import { NoSuchModel, refuse } from "./errors.ts";
import { MAX_MODEL_LENGTH } from "./turn.ts";

/** `inference/sample` or `agent/sample`; with a colon for programs that take a slash for a provider. */
type ModelName = { kind: CoveredRunner["kind"]; identifier: string };

const MODEL = /^(?:(inference|agent)[/:])?([^/:]+)$/;

/** A bare name is an inference's. An empty identifier: nothing can have this name. */
export function readModelName(model: string): ModelName {
  const [, kind, identifier = ""] = MODEL.exec(model) ?? [];
  return { kind: kind === "agent" ? "agent" : "inference", identifier };
}

/** Many clients of this API read the first page only; few tokens cover as many. */
const PAGE_MODELS = 1_000;

type RunnerRow = { kind: string; identifier: string; createdAt: number };

/** https://platform.openai.com/docs/api-reference/models/object */
const modelAnswer = ({ kind, identifier, createdAt }: RunnerRow) => ({
  id: `${kind}/${identifier}`,
  object: "model" as const,
  created: Math.floor(createdAt / SECOND_MS),
  owned_by: "quarry",
});

export function modelRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get("/models", requireAccess, async (context) => {
    const services = context.get("services");
    const credential = await credentialIn(services, context.req.raw);
    const after = context.req.query("after");
    const last = after === undefined ? null : readModelName(after);
    if (last?.identifier === "") throw refuse("after", "must be the id of a model");
    const slice = runnersAfter(last, PAGE_MODELS);
    const page = await listCoveredRunners(services.reads, credential, slice);
    context.set("actor", callerFrom(services, context.req.raw, page.principal).actor);
    const data = page.runners.map(modelAnswer);
    const ends = { last_id: data.at(-1)?.id ?? null, has_more: page.hasMore };
    return context.json({ object: "list", data, ...ends });
  });

  app.get("/models/:model{.+}", requireAccess, async (context) => {
    const model = context.req.param("model");
    const { kind, identifier } = readModelName(model);
    try {
      const { resource } = await admit(context, kind, "now", identifier);
      return context.json(modelAnswer({ kind, ...resource }));
    } catch (thrown) {
      throw toNoSuchModel(thrown, model);
    }
  });

  return app;
}

/** A missing model is reported in the words that clients of this API know. */
export function toNoSuchModel(thrown: unknown, model: string): unknown {
  return isNotFound(thrown) ? new NoSuchModel(model.slice(0, MAX_MODEL_LENGTH)) : thrown;
}
