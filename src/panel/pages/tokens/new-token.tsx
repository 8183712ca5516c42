import { listChoices, type Choice } from "../../../db/catalog/panel-lists.ts";
import { Checkbox, Choices, Form as FormView, TextField } from "../../components/form.tsx";
import { moreIn, MoreChoices } from "../../components/more-choices.tsx";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { freshForm, type Form, type FormState } from "../request/form.ts";
import { filterIn } from "../request/list-query.ts";

type Group = "rags" | "inferences" | "agents";

export const FIELDS = ["name", "rags", "inferences", "agents", "manageScopes", "expiresAt"];

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
export function groupIn(form: Form, group: Group): string[] {
  const reach = form.text(reachOf(group));
  if (reach === "all") return ["*"];
  return reach === "some" ? [...form.all(group), ...moreIn(form, group)] : [];
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
        <TextField
          state={state}
          name="name"
          label="Name"
          required
          autofocus
          hint="The program that uses it."
        />
        <Reach state={state} group="rags" label="RAGs" choices={rags} />
        <Reach state={state} group="inferences" label="Inferences" choices={inferences} />
        <Reach state={state} group="agents" label="Agents" choices={agents} />
        <Checkbox
          state={state}
          name="manageScopes"
          label="May change what scoped RAGs index"
          hint="Adds and removes scopes over the API."
        />
        <TextField
          state={state}
          name="expiresAt"
          label="Last day"
          type="date"
          hint="UTC; without one it does not expire."
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
