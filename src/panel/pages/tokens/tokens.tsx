import { newToken } from "../../../access/tokens/token-settings.ts";
import { NAMED } from "../../../core/principals.ts";
import { listTokenLines, type TokenLine } from "../../../db/access/token-store.ts";
import { choicesByKind, type Choice } from "../../../db/catalog/panel-lists.ts";
import { findToken, tokenCreation, tokenRemoval } from "../../api/tokens.ts";
import { choicesIn, GROUPS, LongChoices } from "../../components/choice-fields.tsx";
import { Data, LinkButton, Shortened, ShortenedLink, TimeOr } from "../../components/data.tsx";
import { useView } from "../../components/data.tsx";
import { Choices, field, TextField } from "../../components/form.tsx";
import { freshForm, type FormValues, type FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { removeColumn, type Columns } from "../../components/table.tsx";
import { requireAdmin, lookUp, page, type PageContext, type Pages } from "../page.tsx";
import { endOfLastDay } from "../request/form.ts";
import { listPage, filterIn, listQuery } from "../request/list.tsx";
import { requestList } from "../settings/requests.tsx";
import { Rights, timeColumns, TOKEN_TABS } from "./programs.tsx";

const HERE = "/panel/tokens";
const TOKENS = { name: "Tokens", href: HERE };

/** Tokens of the public API: what each may use, its expiry and last use. */
export function tokenPages(pages: Pages): void {
  pages.use("/new", requireAdmin);
  pages.get("/", (context) => show(context));
  pages.get("/new", (context) => newTokenPage(context, freshToken(context)));
  pages.form("/new", tokenCreation, (context) => ({
    fields: FORM.names,
    body: tokenIn,
    failedPage: (state) => newTokenPage(context, state),
    to: HERE,
    flashOf: ({ token, secret }) => ({
      secret: { label: `The token ${token.name}.`, value: secret },
      ...(coversNothing(token) && { problem: COVERS_NOTHING }),
    }),
  }));
  const ofOne = pages.forRecord(lookUp(findToken));
  pages.use("/:id", requireAdmin);
  ofOne.get("/:id", (context, token) => tokenPage(context, token));
  ofOne.removal("/:id/remove", tokenRemoval, (_context, subject) => ({
    title: "Remove the token",
    trail: [TOKENS],
    name: subject.name,
    says: (
      <p>
        <Data>{subject.name}</Data> stops working within three seconds everywhere and cannot be
        restored. Last used: <TimeOr at={subject.lastUsedAt} none="never" />.
      </p>
    ),
  }));
}

const coversNothing = (token: Pick<TokenLine, "agents" | "inferences" | "rags">) =>
  [token.agents, token.inferences, token.rags].every(({ length }) => length === 0);
const COVERS_NOTHING =
  "This token covers nothing. Create one that names a RAG, an inference or an agent.";

/** For administrators: what a token may use, and its own requests. */
async function tokenPage(context: PageContext, token: TokenLine): Promise<Response> {
  const { id, name, person } = token;
  const remove = `${HERE}${person === null ? "" : "/programs"}/${id}/remove`;
  const actions = <LinkButton href={remove} label={person === null ? "Remove" : "Disconnect"} />;
  return await page(
    context,
    { title: name, data: true, trail: [TOKENS], actions, sub: <Rights token={token} /> },
    <>
      <h2>Last requests</h2>
      {await requestList(context, { token: id })}
    </>,
  );
}

async function show(context: PageContext): Promise<Response> {
  const query = listQuery(context);
  return await listPage(context, {
    title: "Tokens",
    sub: "Programs call the API with a token. Each token lists what it may use.",
    tabs: { ...TOKEN_TABS, here: "" },
    actions: <LinkButton href="/api/docs" label="API reference" />,
    add: { href: `${HERE}/new`, label: "New token" },
    one: "token",
    listed: await listTokenLines(context.get("services").db, query, { programs: false }),
    search: "Name contains",
    columns: COLUMNS,
    none: {
      title: "There are no tokens yet.",
      says: "Programs need a token to search and to run inferences and agents.",
    },
  });
}

const Name = ({ token: { id, name } }: { token: TokenLine }) =>
  useView().mayChange ? (
    <ShortenedLink href={`${HERE}/${id}`} text={name} />
  ) : (
    <Shortened text={name} />
  );

const COLUMNS: Columns<TokenLine> = [
  { head: "Name", main: true, sort: "name", cell: (token) => <Name token={token} /> },
  { head: "May use", cell: (token) => <Rights token={token} /> },
  ...timeColumns("Expires", "Created"),
  removeColumn(({ id }) => `${HERE}/${id}/remove`),
];

type Group = (typeof GROUPS)[number];

const FORM = formOfSettings(newToken(0));

/** The radio buttons of a group: its field is named after it. */
const reachOf = ({ group }: { group: string }) => `${group}.reach`;
/** Who reads: nobody, whom each call names, or one person. */
const READER = { group: "reader" };

/** `?name=` is filled in; `?rag=`, `?inference=` and `?agent=` tick one beforehand. */
function freshToken(context: PageContext): FormState {
  const values = GROUPS.flatMap((group) => {
    const keys = filterIn(context, group.kind);
    return keys === null
      ? [[reachOf(group), "none"]]
      : [
          [reachOf(group), "some"],
          [group.group, keys],
        ];
  });
  const name = filterIn(context, "name") ?? "";
  const usual = { name, manageScopes: "on", [reachOf(READER)]: "none" };
  return freshForm({ ...usual, ...Object.fromEntries(values) });
}

/** The group as the API takes it: identifiers, or `*` for all. */
function groupIn(form: FormValues, group: Group): string[] {
  const reach = form.text(reachOf(group));
  if (reach === "all") return ["*"];
  return reach === "some" ? choicesIn(form, group.group) : [];
}

function readerIn(form: FormValues): string | null {
  const reach = form.text(reachOf(READER));
  return reach === "some" ? form.text("reader") : reach === NAMED ? NAMED : null;
}

/** The body that the API takes. */
function tokenIn(form: FormValues) {
  return {
    ...FORM.body(form),
    ...Object.fromEntries(GROUPS.map((group) => [group.group, groupIn(form, group)])),
    reader: readerIn(form),
    expiresAt: endOfLastDay(form),
  };
}

async function newTokenPage(context: PageContext, state: FormState): Promise<Response> {
  const choices = await choicesByKind(context.get("services").db);
  return await page(
    context,
    { title: "New token", trail: [TOKENS], status: state.status },
    <SettingForm
      action={`${HERE}/new`}
      state={state}
      submit="Create token"
      cancel={HERE}
      fields={FORM.fields}
      controls={{
        ...Object.fromEntries(
          GROUPS.map((group) => [
            group.group,
            <Reach of={group} state={state} choices={choices[group.kind]} />,
          ]),
        ),
        reader: <Reader state={state} />,
      }}
    />,
  );
}

const READERS = [
  { value: "none", label: "None: no call reads sources with permissions" },
  { value: NAMED, label: "Each call names its reader: for a back end that signs people in" },
  { value: "some", label: "One person:" },
];

const Reader = ({ state }: { state: FormState }) => (
  <div class="reach">
    <Choices {...field(state, reachOf(READER), "Reader")} kind="radio" options={READERS} />
    <div class="long-choices">
      <TextField {...field(state, "reader", "Email address")} type="email" />
    </div>
  </div>
);

/** None, all, or those that are ticked; ticking needs no script. */
const Reach = ({ of, state, choices }: { of: Group; state: FormState; choices: Choice[] }) => (
  <div class="reach">
    <Choices
      {...field(state, reachOf(of), of.label)}
      kind="radio"
      options={[
        { value: "none", label: "None" },
        { value: "all", label: "All, including future ones" },
        ...(choices.length === 0 ? [] : [{ value: "some", label: "Only these:" }]),
      ]}
    />
    {choices.length === 0 ? null : (
      <LongChoices state={state} group={of.group} label={of.which} choices={choices} />
    )}
  </div>
);
