import type { Child } from "hono/jsx";

import { listRuns } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { RUNS_AT_ONCE, RUNS_KEPT } from "../../../evaluation/limits.ts";
import type { MeasureName } from "../../../evaluation/measures/summarise.ts";
import type { Services } from "../../../services.ts";
import { questionSetOf } from "../../api/evaluation/questions.ts";
import { DataLink } from "../../components/data.tsx";
import { lookUp, page, type PageContext, type PageProps } from "../page.tsx";
import { withQuery } from "../request/list.tsx";

export const PLACE = { name: "Evaluation", href: "/panel/evaluation" };

export const NEW_SET = "/panel/new/question-set";
export const ASKED = "/panel/asked";

export const setAddress = (identifier: string) => `${PLACE.href}/${identifier}`;

export const runsAddress = ({ identifier }: QuestionSet) => `${setAddress(identifier)}/runs`;

export const trailTo = (set: QuestionSet) => [
  PLACE,
  { name: set.name, href: setAddress(set.identifier) },
];

export const trailToRuns = (set: QuestionSet) => [
  ...trailTo(set),
  { name: "Runs", href: runsAddress(set) },
];

/** A link to what the set asks. */
export const subjectOf = (set: QuestionSet) => ({
  href: `/panel/${set.subjectKind}s/${set.subjectIdentifier}`,
  text: set.subjectName,
});

/** The set that the address names. @throws QuarryError `not-found`. */
export const setOf = lookUp(questionSetOf);

const TABS = { "": "Questions", "/runs": "Runs", "/settings": "Settings" };

export async function setTab(
  context: PageContext,
  { set, here, ...rest }: Partial<PageProps> & { set: QuestionSet; here: keyof typeof TABS },
  content: Child,
) {
  const address = setAddress(set.identifier);
  const sub = (
    <>
      Asks <DataLink {...subjectOf(set)} />.
    </>
  );
  const head = { title: set.name, data: true, trail: [PLACE], sub };
  const tabs = { label: "Question set", address, names: TABS, here };
  return await page(context, { ...head, ...rest, tabs }, content);
}

export async function listKeptRuns({ db }: Pick<Services, "db">, set: QuestionSet) {
  return (await listRuns(db, set.id, { offset: 0, limit: RUNS_KEPT + RUNS_AT_ONCE })).data;
}

/** Questions of a set, or results of a run, on one page. */
export const QUESTIONS_A_PAGE = 50;

/** Measures as people read them; the field's own term is shown on hover. */
export const measureWords: Record<MeasureName, { name: string; term: string }> = {
  "recall@1": { name: "Right file first", term: "recall@1: share of expected passages at place 1" },
  "recall@3": { name: "Right file in first 3", term: "recall@3: share of expected passages" },
  "recall@5": { name: "Right file in first 5", term: "recall@5: share of expected passages" },
  "recall@10": { name: "Right file in first 10", term: "recall@10: share of expected passages" },
  "ndcg@10": { name: "Order of first 10", term: "nDCG@10: 1 if all expected come first" },
  mrr: {
    name: "First hit near the top",
    term: "MRR, mean reciprocal rank: 1 for place 1, ½ for 2",
  },
  answers: { name: "Right answers", term: "share of checked answers that are right" },
};

export const SHOWN_MEASURES = ["recall@5", "ndcg@10", "mrr"] as const;

type Offer = {
  rag: string;
  question: string;
  /** Where its best passage was found; null: nowhere. */
  file: string | null;
};

/** The address of the form that stores a question, with what the search found. */
export const newQuestionAddress = ({ rag, question, file }: Offer) =>
  withQuery("/panel/new/question", { rag, question, expected: file ?? "" });
