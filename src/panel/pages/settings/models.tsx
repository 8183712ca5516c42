import { putModel, offeredModels } from "../../../catalog/models/replace-models.ts";
import type { Config } from "../../../config.ts";
import { orNotFound } from "../../../core/errors.ts";
import { listModelRows, removeModel, type ModelRow } from "../../../db/catalog/model-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { Data } from "../../components/data.tsx";
import { Empty, Facts } from "../../components/page-head.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { removeColumn, Table, type Columns } from "../../components/table.tsx";
import { type PageContext, type Pages, isAdmin } from "../page-env.ts";
import { submit } from "../request/action.ts";
import type { FormState } from "../request/form.ts";
import { removable } from "../request/removal.tsx";
import { bodyIn, declaredForm } from "../request/setting-form.ts";
import { addProviderKeys, freshKey, ProviderKeys } from "./provider-keys.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/models";
const FORM = declaredForm(offeredModels.element);

/** The models that are suggested, with the prices that costs are reckoned with. */
export function modelPages(app: Pages): void {
  app.get("/", async (context) => {
    return await modelsTab(context, freshPrice());
  });

  addProviderKeys(app, (context, keys) => modelsTab(context, freshPrice(), keys));

  app.post("/", (context) =>
    submit(context, {
      audit: ["models.put"],
      fields: FORM.names,
      work: async (form) => {
        const currency = form.text("currency").toUpperCase();
        const body = { ...bodyIn(form, FORM.fields), currency };
        const model = parseOrRefuse(offeredModels.element, body);
        await putModel(context.get("services"), { model });
      },
      again: (state) => modelsTab(context, state),
      leads: () => ({ to: HERE, notice: "The model is in the list." }),
    }),
  );

  removable(app, "/remove", async (context, asked) => {
    const { db } = context.get("services");
    const rows = await listModelRows(db);
    const isAsked = ({ model, kind }: ModelRow) =>
      model === asked.exact("model") && kind === asked.exact("kind");
    const row = orNotFound(rows.find(isAsked));
    const { model, kind } = row;
    return {
      title: "Remove a model from the list",
      trail: [{ name: "Models and prices", href: HERE }],
      name: model,
      values: { model, kind },
      says: (
        <p>
          <Data mono>{model}</Data> ({kind}) is no longer suggested, and its prices are forgotten:{" "}
          {priceOf(row.inputPrice, row)} for input, {priceOf(row.outputPrice, row)} for output. What
          uses it keeps working; the cost of further calls is not counted.
        </p>
      ),
      audit: ["models.put", model],
      remove: () => removeModel(db, { model, kind }),
      notice: "The model is no longer in the list.",
    };
  });
}

const freshPrice = () => FORM.state({}, { kind: "chat", currency: "USD" });

async function modelsTab(
  context: PageContext,
  state: FormState,
  keys: FormState = freshKey(),
): Promise<Response> {
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
      {isAdmin(context) ? (
        <>
          <h2>Add a model, or change its prices</h2>
          <SettingForm action={HERE} state={state} submit="Save" fields={FORM.fields} />
        </>
      ) : null}
      {await ProviderKeys({ context, state: keys })}
    </>
  );
  const shown = keys.status === 200 ? state : keys;
  return await settingsPage(context, "/models", content, shown);
}

function vectorsOf({ VECTOR_INDEX: index, EXACT_SEARCH_CHUNKS: chunks }: Config): string {
  if (index === "embedded") return "in the built-in index";
  if (index === "vectorize") return "in Vectorize";
  return `in the built-in index, of RAGs above ${chunks.toLocaleString("en")} passages in Vectorize`;
}

const priceOf = (price: number, { currency }: ModelRow) => `${price} ${currency}`;

const columnsFor = (mayChange: boolean): Columns<ModelRow> => [
  { head: "Model", cell: ({ model }) => <Data mono>{model}</Data> },
  { head: "Kind", wide: true, cell: ({ kind }) => kind },
  { head: "Input", numeric: true, cell: (row) => priceOf(row.inputPrice, row) },
  { head: "Output", numeric: true, cell: (row) => priceOf(row.outputPrice, row) },
  mayChange ? removeColumn(removalOf) : null,
];

const removalOf = ({ model, kind }: ModelRow) =>
  `${HERE}/remove?${new URLSearchParams({ model, kind }).toString()}`;
