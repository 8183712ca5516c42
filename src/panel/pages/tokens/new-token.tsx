import { newToken } from "../../../access/tokens/token-settings.ts";
import { listChoices, type Choice } from "../../../db/catalog/panel-lists.ts";
import { Choices, Form as FormView } from "../../components/form.tsx";
import { moreIn, MoreChoices } from "../../components/more-choices.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { freshForm, type Form, type FormState } from "../request/form.ts";
import { filterIn } from "../request/list-query.ts";
import { bodyIn, formName, shownFields } from "../request/setting-form.ts";

type Group = "rags" | "inferences" | "agents";

const FIELDS = shownFields(newToken(0));
export const NAMES = FIELDS.map(formName);

/** The radio buttons of a group: its field is named after it. */
const reachOf = (group: Group) => `${group}.reach`;

/** `?rag=`, `?inference=` and `?agent=` tick one beforehand. */
export function freshToken(context: PageContext): FormState {
  const groups: [Group, string | null][] = [
    ["rags", filterIn(context, "rag")],
    ["inferences", filterIn(context, "inference")],
    ["agents", filterIn(context, "agent")],
  ];
  const values = groups.flatMap(([group, wanted]): [string, string | string[]][] =>
    wanted === null
      ? [[reachOf(group), "none"]]
      : [
          [reachOf(group), "some"],
          [group, [wanted]],
        ],
  );
  return freshForm(Object.fromEntries(values));
}

/** The group as the API takes it: identifiers, or `*` for all. */
function groupIn(form: Form, group: Group): string[] {
  const reach = form.text(reachOf(group));
  if (reach === "all") return ["*"];
  return reach === "some" ? [...form.all(group), ...moreIn(form, group)] : [];
}

/** The body that the API takes; a day is meant to its end, UTC. */
export function tokenIn(form: Form) {
  const day = form.text("expiresAt");
  return {
    ...bodyIn(form, FIELDS),
    rags: groupIn(form, "rags"),
    inferences: groupIn(form, "inferences"),
    agents: groupIn(form, "agents"),
    expiresAt: day === "" ? null : `${day}T23:59:59Z`,
  };
}

export async function newTokenPage(context: PageContext, state: FormState): Promise<Response> {
  const { db } = context.get("services");
  const [rags, inferences, agents] = await Promise.all([
    listChoices(db, "rag"),
    listChoices(db, "inference"),
    listChoices(db, "agent"),
  ]);
  const content = (
    <>
      <PageHead title="New token" trail={[{ name: "Tokens", href: "/panel/tokens" }]} />
      <FormView
        action="/panel/tokens/new"
        state={state}
        submit="Make the token"
        cancel="/panel/tokens"
      >
        <SettingFields
          fields={FIELDS}
          state={state}
          isStored={false}
          controls={{
            rags: <Reach state={state} group="rags" label="RAGs" choices={rags} />,
            inferences: (
              <Reach state={state} group="inferences" label="Inferences" choices={inferences} />
            ),
            agents: <Reach state={state} group="agents" label="Agents" choices={agents} />,
          }}
        />
      </FormView>
    </>
  );
  const status = state.status;
  return await page(context, { title: "New token", place: "tokens", status }, content);
}

const WORDS = { rags: "RAGs", inferences: "inferences", agents: "agents" };

type ReachProps = { state: FormState; group: Group; label: string; choices: Choice[] };

/** None, all, or those that are ticked; ticking needs no script. */
const Reach = ({ state, group, label, choices }: ReachProps) => (
  <div class="reach">
    <Choices
      state={state}
      name={reachOf(group)}
      label={label}
      kind="radio"
      options={[
        { value: "none", label: "None" },
        { value: "all", label: "All, those made later too" },
        ...(choices.length === 0 ? [] : [{ value: "some", label: "Only these:" }]),
      ]}
    />
    {choices.length === 0 ? null : (
      <div class="long-choices">
        <Choices
          state={state}
          name={group}
          label={`Which ${WORDS[group]}`}
          options={choices.map(({ identifier, name }) => ({ value: identifier, label: name }))}
        />
        <MoreChoices state={state} group={group} choices={choices} />
      </div>
    )}
  </div>
);
