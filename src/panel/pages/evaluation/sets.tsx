import { Hono } from "hono";

import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { listSets } from "../../../db/evaluation/set-store.ts";
import { SETS_MAX } from "../../../evaluation/limits.ts";
import { createQuestionSet, newQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { count } from "../../components/figures.ts";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { DataLink, LinkButton } from "../../components/link.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, typed, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { ASKED, NEW_SET, PLACE, setAddress, SubjectLink } from "./set-parts.tsx";

const FIELDS = ["name", "subject", "rag", "inference", "judgeModel", "identifier"];

/** The list of question sets. */
export function setListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", (context) => setListPage(context));
  return app;
}

/** The page that makes a set; `?subject=` chooses what it asks. */
export function newSetPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => {
    const subject = context.req.query("subject") ?? "";
    return await newSetPage(context, freshForm({ subject }));
  });
  app.post("/", (context) =>
    submit(context, {
      audit: ["question-sets.create"],
      fields: FIELDS,
      work: async (form) => {
        const [kind, identifier] = form.text("subject").split(" ");
        const input = parseKnownOrRefuse(newQuestionSet, {
          name: form.text("name"),
          identifier: typed(form.text("identifier")),
          ...(kind === "rag" ? { rag: identifier } : { inference: identifier }),
          judgeModel: typed(form.text("judgeModel")) ?? null,
        });
        return await createQuestionSet(context.get("services"), input);
      },
      again: (state) => newSetPage(context, state),
      leads: ({ id, identifier }) => ({
        to: setAddress(identifier),
        target: id,
        notice: "The set is made. Add questions to it.",
      }),
    }),
  );
  return app;
}

async function setListPage(context: PageContext): Promise<Response> {
  const { data } = await listSets(context.get("services").db, { offset: 0, limit: SETS_MAX });
  const content = (
    <>
      <PageHead
        title="Evaluation"
        sub="Question sets measure retrieval and answers after every change."
      >
        {isAdmin(context) ? (
          <>
            <LinkButton href={ASKED} label="What people ask" />
            <LinkButton href={NEW_SET} label="New question set" kind="primary" />
          </>
        ) : null}
      </PageHead>
      <Table
        label="Question sets"
        rows={data}
        empty={
          <Empty title="There are no question sets yet.">
            <p>
              Thirty real questions show whether a reranker, a chunk size or a model makes the
              answers better.
            </p>
          </Empty>
        }
        columns={[
          {
            head: "Name",
            cell: (set) => <DataLink href={setAddress(set.identifier)} text={set.name} />,
          },
          { head: "Asks", cell: (set) => <SubjectLink set={set} /> },
          { head: "Questions", numeric: true, cell: ({ questions }) => count(questions) },
        ]}
      />
    </>
  );
  return await page(context, { title: "Evaluation", place: "evaluation" }, content);
}

async function newSetPage(context: PageContext, state: FormState): Promise<Response> {
  const { db } = context.get("services");
  const [rags, inferences] = await Promise.all([
    listChoices(db, "rag"),
    listChoices(db, "inference"),
  ]);
  const options = [
    ...rags.map(({ identifier, name }) => ({ value: `rag ${identifier}`, label: `RAG ${name}` })),
    ...inferences.map(({ identifier, name }) => {
      return { value: `inference ${identifier}`, label: `Inference ${name}` };
    }),
  ];
  const content = (
    <>
      <PageHead title="New question set" trail={[PLACE]} />
      {options.length === 0 ? (
        <Empty title="There is nothing to ask yet.">
          <p>A question set belongs to a RAG or to an inference: make one first.</p>
        </Empty>
      ) : (
        <Form action={NEW_SET} state={state} submit="Make the set" cancel={PLACE.href}>
          <TextField state={state} name="name" label="Name" required autofocus />
          <SelectField
            state={state}
            name="subject"
            label="Asks"
            options={options}
            hint="For a RAG, a run measures retrieval; for an inference, it measures the answers as well."
          />
          <JudgeField state={state} />
          <TextField
            state={state}
            name="identifier"
            label="Identifier"
            hint="For programs. It never changes. Leave empty to make it from the name."
          />
        </Form>
      )}
    </>
  );
  const of = { title: "New question set", place: "evaluation" as const, status: state.status };
  return await page(context, of, content);
}

export const JudgeField = ({ state }: { state: FormState }) => (
  <TextField
    state={state}
    name="judgeModel"
    label="Judge"
    placeholder="openai/gpt-5-mini"
    hint="The language model that judges answers by a rubric. embedded/extractive cannot judge."
  />
);
