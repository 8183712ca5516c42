import { Hono } from "hono";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { listModelRows } from "../../../db/catalog/model-store.ts";
import type { RagRecord } from "../../../db/records.ts";
import { baseUrlOf } from "../../../http/base-url.ts";
import { searchRag, type PanelSearch, type SearchAnswer } from "../../search/search-rag.ts";
import { AsCode } from "../../components/as-code.tsx";
import { Data, LinkButton } from "../../components/data.tsx";
import { Warning } from "../../components/notice.tsx";
import { Empty } from "../../components/page-head.tsx";
import { page, isAdmin, type PageContext, type PageEnv } from "../page.tsx";
import { KeepQuestion } from "../evaluation/keep-question.tsx";
import { attempt, formFrom, freshForm, type Form } from "../request/form.ts";
import { Hits, keyOf } from "./hits.tsx";
import { Legs, type SearchTimings } from "./legs.tsx";
import { SearchForm, type FormProps } from "./search-form.tsx";
import { publicBodyOf, SECOND, searchIn, SETTING_FIELDS, withSecond } from "./search-settings.ts";

/** One setting and what it found. */
type Searched = { rag: RagRecord; search: PanelSearch; answer: SearchAnswer };

/** The playground: a question to a RAG, every option in the address. */
export function searchPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => {
    const form = formFrom(withSecond(new URL(context.req.url).searchParams));
    const { db } = context.get("services");
    const [rags, models] = await Promise.all([listChoices(db, "rag"), listModelRows(db)]);
    const [first] = rags;
    if (first === undefined) return await nothingYet(context);
    const rerankers = models.flatMap(({ model, kind }) => (kind === "reranker" ? [model] : []));
    const tried = await searchBoth(context, form, first.identifier);
    const values = valuesOf(form, first.identifier);
    const state = tried.done ? { ...freshForm(values), text: textOf(values) } : tried.state;
    const found = tried.done ? tried.result : [];
    return await searchPage(context, { form, state, rags, rerankers, found });
  });
  return app;
}

const textOf = (values: Record<string, string>) => (field: string) => values[field] ?? "";

const FIELDS = [...SETTING_FIELDS, ...SETTING_FIELDS.map((name) => SECOND + name), "q", "more"];

/** What the fields show: the address, and the first RAG where none is named. */
function valuesOf(form: Form, firstRag: string): Record<string, string> {
  const values = Object.fromEntries(FIELDS.map((name) => [name, form.exact(name)]));
  const rag = form.text("rag") || firstRag;
  return { ...values, rag, [`${SECOND}rag`]: form.text(`${SECOND}rag`) || rag };
}

/** Nothing is searched before something is asked. */
async function searchBoth(context: PageContext, form: Form, firstRag: string) {
  return await attempt<Searched[]>(form, FIELDS, async () => {
    if (form.text("q") === "") return [];
    const settings = form.has("compare") ? ["", SECOND] : [""];
    return await Promise.all(
      settings.map(async (prefix) => {
        const services = context.get("services");
        const key = form.text(`${prefix}rag`) || form.text("rag") || firstRag;
        const rag = await findRag(services, { key });
        const search = searchIn(form, prefix);
        const { signal } = context.req.raw;
        const caller = context.get("caller");
        return { rag, search, answer: await searchRag(services, { rag, caller, signal }, search) };
      }),
    );
  });
}

const nothingYet = (context: PageContext): Promise<Response> =>
  page(
    context,
    { title: "Search", place: "search" },
    <Empty title="There is nothing to search yet.">
      <p>
        {isAdmin(context)
          ? "Make a RAG first: it indexes the documents of a source."
          : "An administrator has to make a RAG first."}
      </p>
      {isAdmin(context) ? (
        <p>
          <LinkButton href="/panel/new/rag" label="New RAG" kind="primary" />
        </p>
      ) : null}
    </Empty>,
  );

type SearchProps = FormProps & { found: Searched[] };

async function searchPage(context: PageContext, props: SearchProps): Promise<Response> {
  const { state, found } = props;
  const [first, second] = found;
  const baseUrl = baseUrlOf(context.get("services").config, context.req.raw);
  return await page(
    context,
    {
      title: "Search",
      place: "search",
      status: state.status,
      sub: "Shows the passages that a program gets with these settings, and why.",
    },
    <>
      <SearchForm {...props} />
      {first === undefined ? null : second === undefined ? (
        <OneAnswer found={first} mayKeep={isAdmin(context)} baseUrl={baseUrl} />
      ) : (
        <TwoAnswers first={first} second={second} />
      )}
    </>,
  );
}

type OneAnswerProps = { found: Searched; baseUrl: string; mayKeep: boolean };

const OneAnswer = ({ found, baseUrl, mayKeep }: OneAnswerProps) => {
  const { rag, search, answer } = found;
  return (
    <div class="cols">
      <div>
        <Lost answer={answer} />
        <h2 class="hidden">Passages</h2>
        <HitsOf found={found} label="Passages" compared={null} />
      </div>
      <aside aria-label="About this search">
        <TimingsOf answer={answer} />
        {mayKeep ? (
          <KeepQuestion
            rag={rag.identifier}
            question={search.semanticSearch[0] ?? ""}
            file={answer.chunks[0]?.source.filePath ?? null}
          />
        ) : null}
        <section>
          <h2>The same call</h2>
          {search.reranker === undefined ? null : (
            <p class="soft">
              The reranker is tried here only: a program gets the one that the RAG has.
            </p>
          )}
          <AsCode
            url={`${baseUrl}/api/rags/${rag.identifier}/retrieve`}
            body={publicBodyOf(search)}
            answer="chunks"
          />
        </section>
      </aside>
    </div>
  );
};

/** Only administrators learn where the time went. */
const TimingsOf = ({ answer }: { answer: SearchAnswer }) => {
  const timings: SearchTimings | undefined = answer.timings;
  return timings === undefined ? null : <Legs timings={timings} />;
};

const Lost = ({ answer: { degraded } }: { answer: SearchAnswer }) =>
  degraded === undefined ? null : (
    <Warning
      text={`A part of the search was lost, and the answer was built from the rest${
        degraded.message === undefined ? "." : `: ${degraded.message}`
      }`}
    />
  );

type HitsOfProps = { found: Searched; label: string; compared: string[] | null };

const HitsOf = ({ found: { rag, search, answer }, label, compared }: HitsOfProps) => (
  <Hits
    label={label}
    chunks={answer.chunks}
    queries={search.semanticSearch}
    rags={[rag]}
    compared={compared}
  />
);

/** Two settings side by side; the second says what moved. */
const TwoAnswers = ({ first, second }: { first: Searched; second: Searched }) => {
  const keysOf = ({ rag, answer }: Searched) =>
    answer.chunks.map((chunk) => keyOf(rag.fileSource.identifier, chunk));
  const before = keysOf(first);
  const after = new Set(keysOf(second));
  const gone = before.filter((key) => !after.has(key)).length;
  return (
    <div class="cols even">
      <div>
        <h2>
          This setting: <Data>{first.rag.name}</Data>
        </h2>
        <Lost answer={first.answer} />
        <HitsOf found={first} label="Passages with this setting" compared={null} />
        <TimingsOf answer={first.answer} />
      </div>
      <div>
        <h2>
          Compared: <Data>{second.rag.name}</Data>
        </h2>
        {gone === 0 ? null : (
          <p class="soft">
            {gone} of the passages at the left {gone === 1 ? "is" : "are"} not among these.
          </p>
        )}
        <Lost answer={second.answer} />
        <HitsOf found={second} label="Passages with the compared setting" compared={before} />
        <TimingsOf answer={second.answer} />
      </div>
    </div>
  );
};
