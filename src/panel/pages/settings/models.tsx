import { Hono } from "hono";

import { putModel } from "../../../catalog/models/put-model.ts";
import { offeredModels } from "../../../catalog/models/replace-models.ts";
import type { Config } from "../../../config.ts";
import { notFound } from "../../../core/errors.ts";
import { listModelRows, removeModel, type ModelRow } from "../../../db/catalog/model-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { Empty, Facts, PageHead } from "../../components/page-head.tsx";
import { Table, type Column } from "../../components/table.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formFrom, formOf, freshForm, numberOf } from "../request/form.ts";
import type { Form as Sent, FormState } from "../request/form.ts";
import { adminsOnly, isAdmin } from "../request/guards.ts";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/models";
const FIELDS = ["model", "kind", "inputPrice", "outputPrice", "currency"];

const KINDS = [
  { value: "chat", label: "chat" },
  { value: "embedding", label: "embedding" },
  { value: "reranker", label: "reranker" },
];

/** The models that are suggested, with the prices that costs are reckoned with. */
export function modelPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const fresh = () => freshForm({ kind: "chat", currency: "USD" });

  app.get("/", async (context) => await modelsTab(context, fresh()));

  app.post("/", async (context) => {
    const form = await formOf(context);
    const services = context.get("services");
    auditAs(context, "models.put");
    const saved = await attempt(form, FIELDS, async () => {
      await putModel(services, { model: checkedModel(form) });
    });
    if (!saved.done) return await modelsTab(context, saved.state);
    return redirectWithNotice(context, HERE, { notice: "The model is in the list." });
  });

  app.get("/remove", adminsOnly, async (context) => {
    const asked = formFrom(new URL(context.req.url).searchParams);
    const [model, kind] = [asked.exact("model"), asked.exact("kind")];
    const rows = await listModelRows(context.get("services").db);
    const row = rows.find((one) => one.model === model && one.kind === kind);
    if (row === undefined) throw notFound();
    return await removalPage(context, row);
  });
  app.post("/remove", async (context) => {
    const form = await formOf(context);
    const services = context.get("services");
    auditAs(context, "models.put");
    await removeModel(services.db, { model: form.exact("model"), kind: form.exact("kind") });
    return redirectWithNotice(context, HERE, { notice: "The model is no longer in the list." });
  });
  return app;
}

async function removalPage(context: PageContext, row: ModelRow): Promise<Response> {
  const { model, kind } = row;
  const title = "Remove a model from the list";
  const content = (
    <>
      <PageHead title={title} trail={[{ name: "Models and prices", href: HERE }]} />
      <ConfirmRemoval
        action={`${HERE}/remove`}
        state={freshForm()}
        name={model}
        isMuch={false}
        cancel={HERE}
        submit="Remove it"
        values={{ model, kind }}
      >
        <p>
          <Data mono>{model}</Data> ({kind}) is no longer suggested, and its prices are forgotten:{" "}
          {priceOf(row.inputPrice, row)} for input, {priceOf(row.outputPrice, row)} for output. What
          uses it goes on; further calls cost nothing here.
        </p>
      </ConfirmRemoval>
    </>
  );
  return await page(context, { title, place: "settings" }, content);
}

/** One model, checked as the API checks a list; problems are shown at this form's fields. */
function checkedModel(form: Sent): ModelRow {
  return parseOrRefuse(offeredModels.element, {
    model: form.text("model"),
    kind: form.text("kind"),
    inputPrice: numberOf(form.text("inputPrice")),
    outputPrice: numberOf(form.text("outputPrice")),
    currency: form.text("currency").toUpperCase(),
  });
}

async function modelsTab(context: PageContext, state: FormState): Promise<Response> {
  const { config, db } = context.get("services");
  const rows = await listModelRows(db);
  const content = (
    <>
      <Facts
        facts={[
          ["Embedding model of this deployment", <code>{config.EMBEDDING_MODEL}</code>],
          ["Dimensions", String(config.EMBEDDING_DIMENSIONS)],
          ["Vectors", vectorsOf(config)],
        ]}
      />
      <h2>Offered models</h2>
      <Table
        label="Models"
        rows={rows}
        columns={columnsFor(isAdmin(context))}
        empty={
          <Empty title="No model is in the list.">
            <p>
              You can use models that are not listed. Without a price, their cost is not counted.
            </p>
          </Empty>
        }
      />
      {isAdmin(context) ? <NewModel state={state} /> : null}
    </>
  );
  return await settingsPage(context, "/models", content, state);
}

function vectorsOf({ VECTOR_INDEX: index, EXACT_SEARCH_CHUNKS: chunks }: Config): string {
  if (index === "embedded") return "in the built-in index";
  if (index === "vectorize") return "in Vectorize";
  return `in the built-in index, of RAGs above ${chunks.toLocaleString("en")} passages in Vectorize`;
}

const priceOf = (price: number, { currency }: ModelRow) => `${price} ${currency}`;

const columnsFor = (mayChange: boolean): Column<ModelRow>[] => [
  { head: "Model", cell: ({ model }) => <Data mono>{model}</Data> },
  { head: "Kind", wide: true, cell: ({ kind }) => kind },
  { head: "Input", numeric: true, cell: (row) => priceOf(row.inputPrice, row) },
  { head: "Output", numeric: true, cell: (row) => priceOf(row.outputPrice, row) },
  ...(mayChange
    ? [
        {
          head: "",
          cell: ({ model, kind }: ModelRow) => (
            <a
              class="btn small"
              href={`${HERE}/remove?${new URLSearchParams({ model, kind }).toString()}`}
            >
              Remove
            </a>
          ),
        },
      ]
    : []),
];

const NewModel = ({ state }: { state: FormState }) => (
  <>
    <h2>Add a model, or change its prices</h2>
    <Form action={HERE} state={state} submit="Save">
      <TextField
        state={state}
        name="model"
        label="Model"
        placeholder="openai/gpt-5-mini"
        required
        hint="Provider, slash, name."
      />
      <SelectField state={state} name="kind" label="Kind" options={KINDS} />
      <div class="two">
        <TextField
          state={state}
          name="inputPrice"
          label="Price of input"
          required
          hint="Per million tokens."
        />
        <TextField state={state} name="outputPrice" label="Price of output" required />
      </div>
      <TextField state={state} name="currency" label="Currency" maxlength={3} required />
    </Form>
  </>
);
