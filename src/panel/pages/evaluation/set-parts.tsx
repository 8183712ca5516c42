import { listRuns } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { RUNS_AT_ONCE, RUNS_KEPT } from "../../../evaluation/limits.ts";
import type { Services } from "../../../services.ts";
import { PageHead, Tabs } from "../../components/page-head.tsx";
import { DataLink } from "../../components/link.tsx";

export const PLACE = { name: "Evaluation", href: "/panel/evaluation" };

export const NEW_SET = "/panel/new/question-set";
export const ASKED = "/panel/asked";

export const setAddress = (identifier: string) => `${PLACE.href}/${encodeURIComponent(identifier)}`;

export const trailTo = (set: QuestionSet) => [
  PLACE,
  { name: set.name, href: setAddress(set.identifier) },
];

/** The RAG or inference that a set asks, as a link. */
export const SubjectLink = ({ set }: { set: QuestionSet }) => (
  <DataLink
    href={`/panel/${set.subjectKind}s/${encodeURIComponent(set.subjectIdentifier)}`}
    text={set.subjectName}
  />
);

/** `here`: what follows the set's address. */
export const SetHead = ({ set, here }: { set: QuestionSet; here: "" | "/runs" | "/settings" }) => {
  const address = setAddress(set.identifier);
  return (
    <>
      <PageHead
        title={set.name}
        data
        trail={[PLACE]}
        sub={
          <>
            Asks <SubjectLink set={set} />.
          </>
        }
      />
      <Tabs
        label="Question set"
        here={`${address}${here}`}
        tabs={[
          { name: "Questions", href: address },
          { name: "Runs", href: `${address}/runs` },
          { name: "Settings", href: `${address}/settings` },
        ]}
      />
    </>
  );
};

/** All runs that are kept of a set, the latest first. */
export async function keptRuns({ db }: Pick<Services, "db">, set: QuestionSet) {
  const most = RUNS_KEPT + RUNS_AT_ONCE;
  return (await listRuns(db, set.id, { offset: 0, limit: most })).data;
}
