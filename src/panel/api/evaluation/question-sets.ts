import { Hono } from "hono";
import { z } from "zod";

import { IDENTIFIER_MAX_LENGTH } from "../../../core/ids.ts";
import { isoTime } from "../../../core/time.ts";
import { deleteSet, listSets, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import {
  changeQuestionSet,
  createQuestionSet,
  findQuestionSet,
} from "../../../evaluation/questions/question-sets.ts";
import { jsonBody } from "../../../http/middleware/json-body.ts";
import { identifier, modelName, name } from "../request/fields.ts";
import type { PanelEnv } from "../request/panel-env.ts";
import { bodyOf, given, pageOf, pagingOf } from "../request/read-request.ts";
import { questionRoutes } from "./questions.ts";
import { runRoutes } from "./runs.ts";

const key = z.string().min(1).max(IDENTIFIER_MAX_LENGTH);

export const newQuestionSet = z.object({
  name,
  identifier: identifier.optional(),
  rag: key.optional(),
  inference: key.optional(),
  judgeModel: modelName.nullable().default(null),
});
export const questionSetPatch = z.object({ name, judgeModel: modelName.nullable() }).partial();

const shown = (set: QuestionSet) => ({
  id: set.id,
  name: set.name,
  identifier: set.identifier,
  rag: set.subjectKind === "rag" ? set.subjectIdentifier : null,
  inference: set.subjectKind === "inference" ? set.subjectIdentifier : null,
  judgeModel: set.judgeModel,
  questions: set.questions,
  drafts: set.drafts,
  createdAt: isoTime(set.createdAt),
});

/** Question sets, their questions and their runs. Members read them, administrators change them. */
export function questionSetRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(pageOf(await listSets(context.get("services").db, paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = await bodyOf(context.req, newQuestionSet);
    return context.json(shown(await createQuestionSet(context.get("services"), input)), 201);
  });

  app.get("/:id", async (context) =>
    context.json(shown(await findQuestionSet(context.get("services"), context.req.param("id")))),
  );

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const change = given(await bodyOf(context.req, questionSetPatch));
    return context.json(shown(await changeQuestionSet(services, set, change)));
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    await deleteSet(services.db, set.id);
    return context.body(null, 204);
  });
  app.route("/", questionRoutes());
  app.route("/", runRoutes());
  return app;
}
