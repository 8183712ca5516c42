import {
  newProviderKey,
  providerKeyStates,
  removeProviderKey,
  setProviderKey,
  variableOf,
  type ProviderKeyState,
} from "../../../catalog/models/provider-keys.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { Time } from "../../components/data.tsx";
import { ActionButton } from "../../components/form.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { Table, type Columns } from "../../components/table.tsx";
import { isAdmin, type PageContext, type Pages } from "../page-env.ts";
import { auditAs, redirectWithNotice, submit } from "../request/action.ts";
import { formOf, type FormState } from "../request/form.ts";
import { bodyIn, declaredForm } from "../request/setting-form.ts";

const HERE = "/panel/settings/models";
const FORM = declaredForm(newProviderKey);
const NAMES = FORM.fields[0]?.meta.choices ?? {};

export const freshKey = () => FORM.state({}, { provider: "gateway" });

/** `again`: the page with the form that failed. */
export function addProviderKeys(
  app: Pages,
  again: (context: PageContext, state: FormState) => Promise<Response>,
): void {
  app.post("/keys", (context) =>
    submit(context, {
      audit: ["provider-keys.put"],
      fields: FORM.names,
      work: async (form) => {
        const given = parseOrRefuse(newProviderKey, bodyIn(form, FORM.fields));
        auditAs(context, "provider-keys.put", given.provider);
        await setProviderKey(context.get("services"), given);
      },
      again: (state) => again(context, state),
      leads: () => ({ to: HERE, notice: "The provider takes the key. It is stored." }),
    }),
  );

  app.post("/keys/remove", async (context) => {
    const form = await formOf(context);
    const provider = parseOrRefuse(newProviderKey.shape.provider, form.text("provider"));
    auditAs(context, "provider-keys.remove", provider);
    await removeProviderKey(context.get("services"), provider);
    return redirectWithNotice(context, HERE, { notice: "The key is removed." });
  });
}

/** Which providers have a key, and a form for one. */
export async function ProviderKeys({ context, state }: { context: PageContext; state: FormState }) {
  const services = context.get("services");
  const mayChange = isAdmin(context);
  return (
    <>
      <h2>Provider keys</h2>
      <Table
        label="Provider keys"
        rows={await providerKeyStates(services)}
        columns={columnsFor(mayChange, services.now())}
        empty={null}
      />
      {mayChange ? (
        <>
          <h3>Set a key</h3>
          <SettingForm
            action={`${HERE}/keys`}
            state={state}
            submit="Test and save"
            fields={FORM.fields}
          />
        </>
      ) : null}
    </>
  );
}

const Remove = ({ state: { provider, setBy } }: { state: ProviderKeyState }) =>
  setBy === "panel" ? (
    <ActionButton action={`${HERE}/keys/remove`} label="Remove" values={{ provider }} kind="link" />
  ) : null;

const columnsFor = (mayChange: boolean, now: number): Columns<ProviderKeyState> => [
  { head: "Provider", cell: ({ provider }) => NAMES[provider] ?? provider },
  {
    head: "Key",
    cell: ({ provider, setBy, setAt }) => {
      if (setBy === "environment") return <>set by the environment ({variableOf(provider)})</>;
      return setAt === null ? (
        <span class="soft">not set</span>
      ) : (
        <>
          set <Time at={setAt} now={now} />
        </>
      );
    },
  },
  mayChange ? { head: "", cell: (state) => <Remove state={state} /> } : null,
];
