import type { Child } from "hono/jsx";

import { DAY_MS } from "../../../core/time.ts";
import { readEventPage, namesOf, nameOf, thingOf } from "../../../db/access/audit-store.ts";
import type { AuditEvent, AuditFilter, ThingName } from "../../../db/access/audit-store.ts";
import { listKeys } from "../../../db/access/key-store.ts";
import { listUsers } from "../../../db/access/user-store.ts";
import type { Database } from "../../../db/sql.ts";
import { Data, ShortenedLink, Time, Faint, showHidden, Status } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import type { Option } from "../../components/form.tsx";
import { Filters, FilterSelect, FilterText, type Column } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { withQuery, List, filterIn, ownAddressOf, pageAt } from "../request/list.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/log";
const FAILED_FROM = 400;

export async function logPage(context: PageContext): Promise<Response> {
  const { db } = context.get("services");
  const thing = await thingIn(context);
  const filter = {
    thing: thing?.filter ?? null,
    actor: filterIn(context, "actor"),
    action: filterIn(context, "action"),
    from: dayIn(filterIn(context, "from"), 0),
    to: dayIn(filterIn(context, "to"), DAY_MS),
  };
  const events = await readEventPage(db, filter, pageAt(context));
  const names = await namesOf(db, events.data.map(thingOf));
  const actors = await actorsIn(db, filter.actor);
  const content = (
    <>
      <p class="soft">
        Every change and sign-in of the last 90 days, failed ones included.{" "}
        <a href="/panel/api/audit?format=jsonl" download="audit.jsonl">
          Download all as JSON Lines
        </a>
      </p>
      <LogFilters context={context} filter={filter} thing={thing} actors={actors} />
      <List
        context={context}
        label="Audit log"
        one="event"
        listed={events}
        columns={columnsOf({ names, here: ownAddressOf(context) })}
        empty={isFiltered(filter) ? "No matches." : "Nothing has happened yet."}
      />
    </>
  );
  return await settingsPage(context, "/log", content);
}

const isFiltered = (filter: AuditFilter) => Object.values(filter).some((value) => value !== null);

type FiltersProps = {
  context: PageContext;
  filter: AuditFilter;
  thing: Awaited<ReturnType<typeof thingIn>>;
  actors: Option[];
};

const LogFilters = ({ context, filter, thing, actors }: FiltersProps) => (
  <Filters action={HERE} active={isFiltered(filter)}>
    <FilterText name="action" label="Action, such as rags.create" value={filter.action ?? ""} />
    <FilterSelect name="actor" label="Person or key" value={filter.actor ?? ""} options={actors} />
    <Day name="from" label="From" value={filterIn(context, "from")} />
    <Day name="to" label="To" value={filterIn(context, "to")} />
    {thing === null ? null : (
      <>
        <input type="hidden" name="kind" value={thing.filter.kind} />
        <input type="hidden" name="target" value={thing.target} />
        <span class="tag">
          Only <Data>{thing.name}</Data>
        </span>
      </>
    )}
  </Filters>
);

const Day = ({ name, label, value }: { name: string; label: string; value: string | null }) => (
  <label>
    {label} <input type="date" name={name} value={value ?? ""} />
  </label>
);

/** The instant at which a day of UTC begins, or ends; null for no day. */
function dayIn(text: string | null, more: number): number | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const begins = Date.parse(text);
  return Number.isNaN(begins) ? null : begins + more;
}

const ACTORS_SHOWN = 200;

/** Users and keys; one that is chosen stays so after it was removed. */
async function actorsIn(db: Database, actor: string | null): Promise<Option[]> {
  const slice = { offset: 0, limit: ACTORS_SHOWN };
  const [users, keys] = await Promise.all([listUsers(db, slice), listKeys(db, slice)]);
  const options = [
    { value: "", label: "Anybody" },
    ...users.data.map(({ id, email }) => ({ value: id, label: showHidden(email) })),
    ...keys.data.map(({ id, name }) => ({ value: id, label: `key ${showHidden(name)}` })),
  ];
  return actor === null || options.some(({ value }) => value === actor)
    ? options
    : [...options, { value: actor, label: "Somebody who was removed" }];
}

async function thingIn(context: PageContext) {
  const [kind, target] = [filterIn(context, "kind"), filterIn(context, "target")];
  if (kind === null || target === null) return null;
  const thing = { kind, key: target };
  const label = nameOf(await namesOf(context.get("services").db, [thing]), thing);
  const keys = [target, ...(label === undefined ? [] : [label.id, label.identifier ?? target])];
  return { target, name: label?.name ?? target, filter: { kind, keys } };
}

type View = { names: readonly ThingName[]; here: string };

/** Its name, the id on hover; what was removed has its id alone. */
const Thing = ({ event, shown: { names, here: address } }: { event: AuditEvent; shown: View }) => {
  if (event.target === null) return null;
  const thing = thingOf(event);
  const rest = event.target.slice(thing.key.length);
  return (
    <div title={showHidden(event.target)}>
      <a href={withQuery(address, { kind: thing.kind, target: event.target })}>
        <Data>{nameOf(names, thing)?.name ?? thing.key}</Data>
      </a>
      {rest === "" ? null : <Data>{rest}</Data>}
    </div>
  );
};

const columnsOf = (view: View): Column<AuditEvent>[] => [
  { head: "When", cell: ({ at }) => <Time at={at} /> },
  { head: "Who", cell: (event) => actorOf(event, view.here) },
  { head: "What", main: true, cell: (event) => <What event={event} shown={view} /> },
  {
    head: "From",
    wide: true,
    cell: ({ address }) => <Data>{address === "" ? "–" : address}</Data>,
  },
];

const What = ({ event, shown }: { event: AuditEvent; shown: View }) => {
  const { action, count, status, fields, changes } = event;
  const isRefused = status >= FAILED_FROM;
  return (
    <>
      <a href={withQuery(shown.here, { action })}>
        <Data mono>{action}</Data>
      </a>{" "}
      {count === 1 ? null : <span class="soft">{countText(count, "time")} in an hour </span>}
      {isRefused ? <Status tone="bad">refused, {status}</Status> : null}
      {isRefused && count > 1 ? <span class="soft">, last:</span> : null}
      <Thing event={event} shown={shown} />
      {fields.length === 0 ? null : (
        <Faint
          text={changes.length === 0 ? `Fields: ${fields.join(", ")}` : changesInWords(changes)}
        />
      )}
    </>
  );
};

/** "chunkSize: 400 → 500, systemPrompt: changed"; of a new record, "name: Handbook". */
const changesInWords = (changes: AuditEvent["changes"]) =>
  changes
    .map(({ field, from, to }) => {
      if (from === undefined && to === undefined) return `${field}: changed`;
      const before = from === undefined ? "" : `${valueInWords(from)} → `;
      return `${field}: ${before}${valueInWords(to)}`;
    })
    .join(", ");

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(" ");
  return value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
}

function actorOf({ actorKind, actorId, actorName }: AuditEvent, address: string): Child {
  if (actorId === null) return <span class="soft">not signed in</span>;
  const kind = actorKind === "user" ? "" : `${actorKind} `;
  return (
    <ShortenedLink
      href={withQuery(address, { actor: actorId })}
      text={`${kind}${actorName ?? actorId}`}
    />
  );
}
