import {
  newModelServer,
  newProviderKey,
  providerKeyStates,
  providerName,
  variableOf,
  type ProviderKeyState,
} from "../../../catalog/models/provider-keys.ts";
import { offeredModels } from "../../../catalog/models/replace-models.ts";
import type { Config } from "../../../config.ts";
import { requireFound } from "../../../core/errors.ts";
import type { ServedModel, ServerState } from "../../../core/models/model-servers.ts";
import { listModelRows, type ModelRow } from "../../../db/catalog/model-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import {
  modelChange,
  modelRemoval,
  providerRemoval,
  providerChange,
  serverTest,
} from "../../api/models.ts";
import { Time, Data, Faint, Shortened, Status, ForAdmins } from "../../components/data.tsx";
import { ActionButton } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import type { FormValues, FormState } from "../../components/form.tsx";
import { Empty, Facts } from "../../components/page-head.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { Table, type Columns, removeColumn } from "../../components/table.tsx";
import { isAdmin, type PageContext, type Pages } from "../page.tsx";
import { formOf } from "../request/form.ts";
import { withQuery } from "../request/list.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/models";
const MODEL_FORM = formOfSettings(offeredModels.element);
const KEY_FORM = formOfSettings(newProviderKey);
const SERVER_FORM = formOfSettings(newModelServer);
const PROVIDERS = KEY_FORM.fields[0]?.meta.choices ?? {};

type Forms = { model?: FormState; key?: FormState; server?: FormState };

export function modelPages(pages: Pages): void {
  pages.get("/", (context) => modelsTab(context));

  pages.form("/", modelChange, async (context) => {
    const form = await formOf(context);
    return {
      subject: await modelIn(context, form),
      form,
      fields: MODEL_FORM.names,
      body: () => ({ ...MODEL_FORM.body(form), currency: form.text("currency").toUpperCase() }),
      failedPage: (model) => modelsTab(context, { model }),
      to: HERE,
    };
  });

  pages.removal("/remove", modelRemoval, async (context, _none, form) => {
    const subject = requireFound(await modelIn(context, form));
    const { model, kind } = subject;
    return {
      subject,
      title: "Remove a model from the list",
      trail: [{ name: "Models and prices", href: HERE }],
      name: model,
      values: { model, kind },
      says: (
        <p>
          <Data mono>{model}</Data> ({kind}) is no longer suggested, and its prices are deleted:{" "}
          {priceOf(subject.inputPrice, subject)} for input, {priceOf(subject.outputPrice, subject)}{" "}
          for output. What uses it keeps working; the cost of further calls is not counted.
        </p>
      ),
    };
  });
  addKeys(pages);
}

/** The stored model that a form names. */
async function modelIn(context: PageContext, form: FormValues): Promise<ModelRow | undefined> {
  const rows = await listModelRows(context.get("services").db);
  const [model, kind] = [form.text("model"), form.text("kind")];
  return rows.find((row) => row.model === model && row.kind === kind);
}

function addKeys(pages: Pages): void {
  const isServer = (form: FormValues) => form.has("baseUrl");
  pages.form("/keys", providerChange, (context) => ({
    fields: [...KEY_FORM.names, ...SERVER_FORM.names],
    body: (form) => (isServer(form) ? SERVER_FORM : KEY_FORM).body(form),
    failedPage: (state, form) => modelsTab(context, { [isServer(form) ? "server" : "key"]: state }),
    to: HERE,
  }));

  pages.form("/test", serverTest, async (context) => {
    const form = await formOf(context);
    return {
      subject: { id: parseOrRefuse(newModelServer.shape.name, form.text("name")) },
      form,
      to: HERE,
      flashOf: (trials) => {
        const text = trials.map(({ model, result }) => `${model}: ${result}.`).join(" ");
        const kind = trials.every(({ passed }) => passed) ? "notice" : "problem";
        return { [kind]: text || "It lists no model to test." };
      },
    };
  });

  pages.form("/keys/remove", providerRemoval, async (context) => {
    const form = await formOf(context);
    const id = parseOrRefuse(providerName, form.text("provider"));
    return { subject: { id }, form, to: HERE };
  });
}

async function modelsTab(context: PageContext, forms: Forms = {}): Promise<Response> {
  const services = context.get("services");
  const { config, db } = services;
  const model = forms.model ?? MODEL_FORM.state({}, { kind: "chat", currency: "USD" });
  const server = forms.server ?? SERVER_FORM.state({ name: "local" });
  const content = (
    <>
      <Facts
        facts={{
          "Embedding model of this deployment": <code>{config.EMBEDDING_MODEL}</code>,
          Dimensions: String(config.EMBEDDING_DIMENSIONS),
          Vectors: vectorsOf(config),
        }}
      />
      {isAdmin(context) ? <Servers states={await services.models.servers()} form={server} /> : null}
      <h2>Offered models</h2>
      <Table
        label="Models"
        rows={await listModelRows(db)}
        columns={MODELS}
        empty={
          <Empty title="The list is empty.">
            You can use models that are not listed. Without a price, their cost is not counted.
          </Empty>
        }
      />
      <ForAdmins>
        <h2>Add a model, or change its prices</h2>
        <SettingForm action={HERE} state={model} submit="Save" fields={MODEL_FORM.fields} />
      </ForAdmins>
      <h2>Provider keys</h2>
      <Table
        label="Provider keys"
        rows={await providerKeyStates(services)}
        columns={KEYS}
        empty={null}
      />
      <ForAdmins>
        <h3>Set a key</h3>
        <SettingForm
          action={`${HERE}/keys`}
          state={forms.key ?? KEY_FORM.state({}, { provider: "gateway" })}
          submit="Test and save"
          fields={KEY_FORM.fields}
        />
      </ForAdmins>
    </>
  );
  return await settingsPage(context, "/models", content, forms.server ?? forms.key ?? model);
}

const Servers = ({ states, form }: { states: ServerState[]; form: FormState }) => (
  <>
    <h2>Local servers</h2>
    <Table
      label="Local servers"
      rows={states}
      columns={SERVER_COLUMNS}
      empty={<p>None is set. Ollama, LM Studio, llama.cpp, vLLM, LiteLLM and TEI serve models.</p>}
    />
    <h3>Add a server, or change it</h3>
    <SettingForm
      action={`${HERE}/keys`}
      state={form}
      submit="Test and save"
      fields={SERVER_FORM.fields}
    />
  </>
);

function vectorsOf({ VECTOR_INDEX: index, EXACT_SEARCH_CHUNKS: chunks }: Config): string {
  if (index === "embedded") return "in the built-in index";
  if (index === "vectorize") return "in Vectorize";
  return `in the built-in index; in Vectorize for RAGs above ${chunks.toLocaleString("en")} passages`;
}

const priceOf = (price: number, { currency }: ModelRow) => `${price} ${currency}`;

const MODELS: Columns<ModelRow> = [
  { head: "Model", main: true, cell: ({ model }) => <Shortened text={model} mono /> },
  { head: "Kind", wide: true, cell: ({ kind }) => kind },
  { head: "Input", numeric: true, cell: (row) => priceOf(row.inputPrice, row) },
  { head: "Output", numeric: true, cell: (row) => priceOf(row.outputPrice, row) },
  removeColumn(({ model, kind }) => withQuery(`${HERE}/remove`, { model, kind })),
];

const SERVER_COLUMNS: Columns<ServerState> = [
  {
    head: "Server",
    main: true,
    cell: ({ name, baseUrl }) => (
      <>
        <Data mono>{`${name}/…`}</Data>
        <Faint text={baseUrl} mono />
      </>
    ),
  },
  {
    head: "State",
    cell: ({ problem, models }) => (
      <span class="reason">
        <Status tone={problem === null ? "ok" : "bad"}>{problem ?? "answers"}</Status>
        <Faint text={models.map(modelInWords).join(", ")} />
      </span>
    ),
  },
  {
    head: "",
    cell: ({ name, setBy }) => (
      <>
        <ActionButton action={`${HERE}/test`} label="Test" values={{ name }} />{" "}
        {removeKeyButton({ provider: name, setBy })}
      </>
    ),
  },
];

function modelInWords({ model, kind, contextTokens: tokens }: ServedModel): string {
  const unknown = kind === "chat" ? ", context unknown" : "";
  return `${model} (${kind ?? "not used"}${tokens === null ? unknown : `, ${count(tokens)} tokens`})`;
}

const KEYS: Columns<ProviderKeyState> = [
  { head: "Provider", main: true, cell: ({ provider }) => PROVIDERS[provider] ?? provider },
  {
    head: "Key",
    cell: ({ provider, setBy, setAt }) => {
      if (setBy === "environment") return <>set by the environment ({variableOf(provider)})</>;
      return setAt === null ? (
        <span class="soft">not set</span>
      ) : (
        <>
          set <Time at={setAt} />
        </>
      );
    },
  },
  { head: "", forAdmins: true, cell: (state) => removeKeyButton(state) },
];

const removeKeyButton = ({ provider, setBy }: { provider: string; setBy: string | null }) =>
  setBy === "panel" ? (
    <ActionButton action={`${HERE}/keys/remove`} label="Remove" values={{ provider }} kind="link" />
  ) : null;
