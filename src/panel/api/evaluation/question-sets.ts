import { z } from "@hono/zod-openapi";

import { deleteSet, listSets, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import {
  changeQuestionSet,
  createQuestionSet,
  findQuestionSet,
  newQuestionSet,
  questionSetPatch,
} from "../../../evaluation/questions/question-sets.ts";
import { Endpoints, pageOf, time } from "../request/endpoint.ts";
import { given } from "../../../core/input/given.ts";

const shownOf = (set: QuestionSet) => ({
  ...set,
  rag: set.subjectKind === "rag" ? set.subjectIdentifier : null,
  inference: set.subjectKind === "inference" ? set.subjectIdentifier : null,
});
const Shown = z
  .object({
    id: z.string(),
    name: z.string(),
    identifier: z.string(),
    rag: z.string().nullable(),
    inference: z.string().nullable(),
    judgeModel: z.string().nullable(),
    questions: z.int(),
    createdAt: time,
  })
  .openapi("QuestionSet");

const SET = "/question-sets/{id}";

export const questionSetRoutes = () =>
  new Endpoints("evaluation", findQuestionSet)
    .list(
      "get /question-sets",
      "Question sets. Each set belongs to one RAG or one inference.",
      { item: Shown },
      async ({ services, paging }) => pageOf(await listSets(services.db, paging), shownOf),
    )
    .json(
      "post /question-sets",
      "Add a question set. `rag` or `inference` answers the questions.",
      { body: newQuestionSet, answer: Shown, status: 201, errors: [404, 409, 422] },
      async ({ services, body }) => shownOf(await createQuestionSet(services, body)),
    )
    .json(
      `get ${SET}`,
      "A question set. With the number of its questions.",
      { answer: Shown },
      async ({ found: set }) => shownOf(set),
    )
    .json(
      `patch ${SET}`,
      "Change a question set. Its name, or the model that judges answers.",
      { body: questionSetPatch, answer: Shown, errors: [422] },
      async ({ services, found: set, body }) => {
        return shownOf(await changeQuestionSet(services, set, given(body)));
      },
    )
    .empty(
      `delete ${SET}`,
      "Remove a question set. Its questions and runs go with it.",
      {},
      async ({ services, found: set }) => await deleteSet(services.db, set.id),
    ).app;
