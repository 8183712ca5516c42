import type { Child } from "hono/jsx";

import { listRuns } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { RUNS_AT_ONCE, RUNS_KEPT } from "../../../evaluation/limits.ts";
import type { Services } from "../../../services.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { DataLink } from "../../components/data.tsx";
import { page, type PageContext, type PageProps } from "../page.tsx";
import { Pager } from "../../components/pager.tsx";

export const PLACE = { name: "Evaluation", href: "/panel/evaluation" };

export const NEW_SET = "/panel/new/question-set";
export const ASKED = "/panel/asked";

export const setAddress = (identifier: string) => `${PLACE.href}/${encodeURIComponent(identifier)}`;

export const runsAddress = ({ identifier }: QuestionSet) => `${setAddress(identifier)}/runs`;

export const trailTo = (set: QuestionSet) => [
  PLACE,
  { name: set.name, href: setAddress(set.identifier) },
];

export const trailToRuns = (set: QuestionSet) => [
  ...trailTo(set),
  { name: "Runs", href: runsAddress(set) },
];

/** The RAG or inference that a set asks, as a link. */
export const SubjectLink = ({ set }: { set: QuestionSet }) => (
  <DataLink
    href={`/panel/${set.subjectKind}s/${encodeURIComponent(set.subjectIdentifier)}`}
    text={set.subjectName}
  />
);

/** The set that the address names. @throws QuarryError `not-found`. */
export const setOf = (context: PageContext): Promise<QuestionSet> =>
  findQuestionSet(context.get("services"), context.req.param("set") ?? "");

/** The pages of one set by what follows its address. */
const TABS = { "": "Questions", "/runs": "Runs", "/settings": "Settings" };

type TabProps = Partial<PageProps> & { set: QuestionSet; here: keyof typeof TABS };

/** One page of a set below the head that all of them have. */
export async function setTab(context: PageContext, { set, here, ...of }: TabProps, content: Child) {
  const address = setAddress(set.identifier);
  const sub = (
    <>
      Asks <SubjectLink set={set} />.
    </>
  );
  const head = { title: set.name, data: true, trail: [PLACE], sub };
  const tabs = { label: "Question set", address, names: TABS, here };
  return await page(context, { ...head, ...of, tabs }, content);
}

/** All runs that are kept of a set, the latest first. */
export async function keptRuns({ db }: Pick<Services, "db">, set: QuestionSet) {
  const most = RUNS_KEPT + RUNS_AT_ONCE;
  return (await listRuns(db, set.id, { offset: 0, limit: most })).data;
}

const QUESTIONS_A_PAGE = 50;
/** A set and a run have at most 1,000 questions. */
const PAGES_MAX = 20;

/** `?page=` from 1; anything else is the first. */
export function pageIn({ req }: PageContext) {
  const asked = Number(req.query("page"));
  const number = Number.isInteger(asked) && asked >= 1 && asked <= PAGES_MAX ? asked : 1;
  return { number, slice: { offset: (number - 1) * QUESTIONS_A_PAGE, limit: QUESTIONS_A_PAGE } };
}

type PagesProps = { here: string; number: number; total: number };

export const NumberedPages = ({ here, number, total }: PagesProps) => {
  const last = Math.ceil(total / QUESTIONS_A_PAGE);
  return (
    <Pager
      previous={number > 1 ? `${here}?page=${number - 1}` : null}
      next={number < last ? `${here}?page=${number + 1}` : null}
    />
  );
};
