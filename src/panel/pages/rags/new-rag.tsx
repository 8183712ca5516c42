import { createRag } from "../../../catalog/rags/create-rag.ts";
import { DEFAULT_CHUNK_SIZE, defaultOverlap } from "../../../catalog/rags/rag-settings.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { newRag } from "../../api/rags.ts";
import { Choices, Form, SelectField, TextField } from "../../components/form.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, goTo } from "../request/action.ts";
import { attempt, formOf, freshForm, numberOf, typed } from "../request/form.ts";
import type { Form as Sent, FormState } from "../request/form.ts";
import { ragAddress } from "./rag-list.tsx";
import { SearchFields } from "./search-fields.tsx";

const FIELDS = [
  "name",
  "identifier",
  "fileSource",
  "scopeMode",
  "chunkSize",
  "chunkOverlap",
  "reranker",
  "searchMode",
];

/** `?source=` chooses the source beforehand. */
export async function newRagPage(context: PageContext): Promise<Response> {
  const state = freshForm({
    fileSource: context.req.query("source") ?? "",
    scopeMode: "global",
    searchMode: "hybrid",
    chunkSize: String(DEFAULT_CHUNK_SIZE),
    chunkOverlap: String(defaultOverlap(DEFAULT_CHUNK_SIZE)),
  });
  return await show(context, state);
}

export async function makeRag(context: PageContext): Promise<Response> {
  auditAs(context, "rags.create");
  const form = await formOf(context);
  const tried = await attempt(form, FIELDS, async () => {
    const input = parseKnownOrRefuse(newRag, bodyOf(form));
    return await createRag(context.get("services"), input);
  });
  if (!tried.done) return await show(context, tried.state);
  const { id, identifier, scopeMode } = tried.result;
  auditAs(context, "rags.create", id);
  const address = ragAddress(identifier);
  return scopeMode === "scoped"
    ? goTo(context, `${address}/scope`, { notice: "The RAG is made. Choose what it indexes." })
    : goTo(context, address, { notice: "The RAG is made. Its files are being indexed." });
}

function bodyOf(form: Sent) {
  const number = (field: string) =>
    form.text(field) === "" ? undefined : numberOf(form.text(field));
  return {
    name: form.text("name"),
    identifier: typed(form.text("identifier")),
    fileSource: form.text("fileSource"),
    scopeMode: typed(form.text("scopeMode")),
    chunkSize: number("chunkSize"),
    chunkOverlap: number("chunkOverlap"),
    reranker: typed(form.text("reranker")) ?? null,
    searchMode: typed(form.text("searchMode")),
  };
}

async function show(context: PageContext, state: FormState): Promise<Response> {
  const sources = await listChoices(context.get("services").db, "file_source");
  const trail = [{ name: "RAGs", href: "/panel/rags" }];
  const content = (
    <>
      <PageHead title="New RAG" trail={trail} />
      {sources.length === 0 ? (
        <Empty title="There is no source yet.">
          <p>A RAG indexes the documents of a source: make one first.</p>
          <p>
            <a class="btn primary" href="/panel/new/source">
              New source
            </a>
          </p>
        </Empty>
      ) : (
        <Form action="/panel/new/rag" state={state} submit="Make the RAG" cancel="/panel/rags">
          <TextField state={state} name="name" label="Name" required autofocus />
          <SelectField
            state={state}
            name="fileSource"
            label="Source"
            options={sources.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          />
          <Choices
            state={state}
            name="scopeMode"
            label="What it indexes"
            kind="radio"
            options={[
              { value: "global", label: "Everything in the source" },
              { value: "scoped", label: "Folders and files that I choose next" },
            ]}
          />
          <details class="options" open={state.status !== 200}>
            <summary>Identifier, cutting and search</summary>
            <TextField
              state={state}
              name="identifier"
              label="Identifier"
              hint="In the addresses of the API; it never changes. Without one it is made from the name."
            />
            <SearchFields state={state} services={context.get("services")} />
          </details>
        </Form>
      )}
    </>
  );
  return await page(context, { title: "New RAG", place: "rags", status: state.status }, content);
}
