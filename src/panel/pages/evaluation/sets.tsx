import { findRag } from "../../../catalog/rags/find-rag.ts";
import { listChoices, type Choice } from "../../../db/catalog/panel-lists.ts";
import { listSets, setsOfRag, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import { MAX_SETS } from "../../../evaluation/limits.ts";
import { newQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { setChange, setCreation, setRemoval } from "../../api/evaluation/questions.ts";
import { DangerZone, DataLink, LinkButton, Data, ShortenedLink } from "../../components/data.tsx";
import { count, countText } from "../../components/figures.ts";
import { Form, SelectField, field, type FormState, formFrom } from "../../components/form.tsx";
import { Empty, Facts } from "../../components/page-head.tsx";
import { SettingFields, SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { Table } from "../../components/table.tsx";
import { isAdmin, page, type PageContext, type Pages } from "../page.tsx";
import { ASKED, NEW_SET, PLACE, setAddress, subjectOf, setOf, setTab } from "./set-parts.tsx";
import { trailTo } from "./set-parts.tsx";

const NEW_FORM = formOfSettings(newQuestionSet);

/** The page that makes a set; `?subject=` chooses what it asks. */
export function newSetPages(pages: Pages): void {
  pages.get("/", (context) => {
    const subject = context.req.query("subject") ?? "";
    return newSetPage(context, NEW_FORM.state({}, { subject }));
  });
  pages.form("/", setCreation, (context) => ({
    fields: [...NEW_FORM.names, "subject"],
    body: (form) => {
      const [kind, identifier] = form.text("subject").split(" ");
      const subject = kind === "rag" ? { rag: identifier } : { inference: identifier };
      return { ...NEW_FORM.body(form), ...subject };
    },
    failedPage: (state) => newSetPage(context, state),
    to: ({ identifier }) => setAddress(identifier),
  }));
}

async function setListPage(context: PageContext): Promise<Response> {
  const { data } = await listSets(context.get("services").db, { offset: 0, limit: MAX_SETS });
  return await page(
    context,
    {
      title: PLACE.name,
      sub: "Question sets measure retrieval and answers after every change.",
      actions: isAdmin(context) ? ACTIONS : null,
    },
    <Table
      label="Question sets"
      rows={data}
      empty={
        <Empty title="There are no question sets yet." action={isAdmin(context) ? NEW : null}>
          Thirty real questions show whether a reranker, a chunk size or a model makes the answers
          better.
        </Empty>
      }
      columns={[
        {
          head: "Name",
          main: true,
          cell: (set) => <ShortenedLink href={setAddress(set.identifier)} text={set.name} />,
        },
        { head: "Asks", cell: (set) => <ShortenedLink {...subjectOf(set)} /> },
        { head: "Questions", numeric: true, cell: ({ questions }) => count(questions) },
      ]}
    />,
  );
}

const NEW = { href: NEW_SET, label: "New question set" };

const ACTIONS = (
  <>
    <LinkButton href={ASKED} label="What people ask" />
    <LinkButton {...NEW} kind="primary" />
  </>
);

async function newSetPage(context: PageContext, state: FormState): Promise<Response> {
  const { db } = context.get("services");
  const [rags, inferences] = await Promise.all([
    listChoices(db, "rag"),
    listChoices(db, "inference"),
  ]);
  const options = [
    ...rags.map(optionOf("rag", "RAG")),
    ...inferences.map(optionOf("inference", "Inference")),
  ];
  return await page(
    context,
    { title: "New question set", trail: [PLACE], status: state.status },
    options.length === 0 ? (
      <Empty title="There is no RAG and no inference yet.">
        A question set belongs to a RAG or an inference. Create one first.
      </Empty>
    ) : (
      <Form action={NEW_SET} state={state} submit="Create set" cancel={PLACE.href}>
        <SettingFields fields={NEW_FORM.fields.slice(0, 1)} state={state} isStored={false} />
        <SelectField
          {...field(state, "subject", "Asks")}
          options={options}
          hint="For a RAG, a run measures retrieval; for an inference, it measures the answers as well."
        />
        <SettingFields fields={NEW_FORM.fields.slice(1)} state={state} isStored />
      </Form>
    ),
  );
}

const optionOf =
  (kind: string, word: string) =>
  ({ identifier, name }: Choice) => ({ value: `${kind} ${identifier}`, label: `${word} ${name}` });

const FORM = formOfSettings(newQuestionSet, ["identifier"]);
/** A RAG gives no answers. */
const RAG_FORM = formOfSettings(newQuestionSet, ["identifier", "judgeModel"]);

export function setPages(pages: Pages): void {
  pages.get("/", (context) => setListPage(context));
  const ofSet = pages.forRecord(setOf);
  ofSet.get("/:set/settings", (context, set) => settingsTab(context, set, FORM.state(set)));

  ofSet.form("/:set/settings", setChange, (context, set) => ({
    declared: FORM,
    changes: set,
    failedPage: (state) => settingsTab(context, set, state),
    to: `${setAddress(set.identifier)}/settings`,
  }));

  ofSet.removal("/:set/remove", setRemoval, (_context, set) => ({
    title: "Remove the set",
    trail: trailTo(set),
    name: set.name,
    isMuch: true,
    submit: "Remove the set",
    says: (
      <p>
        {countText(set.questions, "question")} and all runs are deleted. The RAG or inference stays.
      </p>
    ),
    to: PLACE.href,
  }));
}

async function settingsTab(context: PageContext, set: QuestionSet, state: FormState) {
  const address = setAddress(set.identifier);
  return await setTab(
    context,
    { set, here: "/settings", status: state.status },
    isAdmin(context) ? (
      <>
        <SettingForm
          action={`${address}/settings`}
          state={state}
          submit="Save"
          shown={set.updatedAt}
          fields={(set.subjectKind === "rag" ? RAG_FORM : FORM).fields}
        />
        <DangerZone href={`${address}/remove`} label="Remove the set …" />
      </>
    ) : (
      <Facts
        facts={{
          Identifier: <Data mono>{set.identifier}</Data>,
          Judge: <Data>{set.judgeModel ?? "none"}</Data>,
        }}
      />
    ),
  );
}

/** "Keep this question": which set takes it. The set's own form does the rest. */
export async function chooseSetPage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const form = formFrom(new URL(context.req.url).searchParams);
  const rag = await findRag(services, { key: form.text("rag") });
  const sets = await setsOfRag(services.db, rag.id);
  const values = { question: form.exact("question"), expected: form.exact("expected") };
  const query = new URLSearchParams(values).toString();
  const [only, another] = sets.map(({ identifier }) => `${setAddress(identifier)}?${query}`);
  if (only !== undefined && another === undefined) return context.redirect(only, 303);
  const subject = encodeURIComponent(`rag ${rag.identifier}`);
  return await page(
    context,
    { title: "Keep this question", trail: [PLACE] },
    sets.length === 0 ? (
      <Empty
        title="No question set asks this RAG yet."
        action={{ ...NEW, href: `${NEW_SET}?subject=${subject}` }}
      />
    ) : (
      <ul>
        {sets.map(({ identifier, name }) => (
          <li>
            <DataLink href={`${setAddress(identifier)}?${query}`} text={name} />
          </li>
        ))}
      </ul>
    ),
  );
}
