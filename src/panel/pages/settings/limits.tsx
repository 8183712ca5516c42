import { newLimit, readLimits, type SpentLimit } from "../../../catalog/limits/limit-verbs.ts";
import { findLimit, limitCreation, limitRemoval } from "../../api/limits.ts";
import { Data, Faint, Time, ForAdmins } from "../../components/data.tsx";
import { count, countText, money, percent } from "../../components/figures.ts";
import type { FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { removeColumn, Table } from "../../components/table.tsx";
import { lookUp, type PageContext, type Pages } from "../page.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/limits";
const FORM = formOfSettings(newLimit);

export function limitPages(pages: Pages): void {
  pages.get("/", (context) => limitsTab(context, FORM.state()));
  pages.form("/", limitCreation, (context) => ({
    declared: FORM,
    failedPage: (state) => limitsTab(context, state),
    to: HERE,
  }));
  pages.forRecord(lookUp(findLimit)).removal("/:id/remove", limitRemoval, (_context, limit) => ({
    title: "Remove the limit",
    trail: [{ name: "Spending limits", href: HERE }],
    name: nameOf(limit),
    says: <p>Calls are then no longer bound by {amountInUnit(limit.amount, limit)}.</p>,
  }));
}

async function limitsTab(context: PageContext, state: FormState): Promise<Response> {
  const content = (
    <>
      <p class="soft">
        Calls that could exceed a limit are refused before a model is asked. Searches continue
        without the part that costs.
      </p>
      <Limits limits={await readLimits(context.get("services"))} />
      <ForAdmins>
        <h2>Set a limit, or change its amount</h2>
        <SettingForm action={HERE} state={state} submit="Set limit" fields={FORM.fields} />
      </ForAdmins>
    </>
  );
  return await settingsPage(context, "/limits", content, state);
}

/** Nothing where there is no limit, or the ledger does not answer. */
export const limitsNextToUsage = async (context: PageContext) => (
  <Limits limits={await readLimits(context.get("services")).catch(() => [])} />
);

const nameOf = ({ subject: { kind, id, name = id } }: SpentLimit) =>
  kind === "service" ? "the whole service" : `${kind} ${name}`;

function amountInUnit(amount: number, { unit }: SpentLimit): string {
  if (unit === "usd") return money(amount, "USD");
  return unit === "calls" ? countText(amount, "call") : `${count(amount)} tokens`;
}
const remainingOf = (limit: SpentLimit) =>
  amountInUnit(Math.max(0, limit.amount - limit.used - limit.reserved), limit);

/** How much is left of each, and when it ends. */
const Limits = ({ limits }: { limits: SpentLimit[] }) => (
  <Table
    label="Spending limits"
    rows={limits}
    empty={null}
    columns={[
      { head: "Spending limit of", main: true, cell: (limit) => <Data>{nameOf(limit)}</Data> },
      { head: "Limit", cell: (limit) => `${amountInUnit(limit.amount, limit)} a ${limit.period}` },
      {
        head: "Used",
        cell: (limit) => (
          <>
            {amountInUnit(limit.used, limit)} ({percent(limit.used, limit.amount)})
            {limit.refusedCost > limit.amount - limit.used && (
              <Faint
                text={`A call of up to ${amountInUnit(limit.refusedCost, limit)} did not fit`}
              />
            )}
            {limit.unpriced.length > 0 && (
              <Faint text={`No USD price: ${limit.unpriced.join(", ")}`} />
            )}
          </>
        ),
      },
      { head: "Left", cell: remainingOf },
      { head: "Ends", cell: ({ resetsAt }) => <Time at={resetsAt} /> },
      removeColumn(({ id }: SpentLimit) => `${HERE}/${id}/remove`),
    ]}
  />
);
