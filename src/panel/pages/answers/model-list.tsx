import type { Child } from "hono/jsx";

import { DAY_MS } from "../../../core/time.ts";
import { listModelLines, type ModelLine } from "../../../db/catalog/panel-lists.ts";
import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { recentCalls } from "../../../db/usage/usage-store.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { Data, Faint, Shortened, ShortenedLink, LinkButton } from "../../components/data.tsx";
import { Status } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { page, isAdmin, type PageContext, type PageProps } from "../page.tsx";
import { listPage, listQuery } from "../request/list.tsx";

/** Inferences and agents are listed, made and run alike. */
export type Kind = "inference" | "agent";

/** A list counts the calls of its lines over so long: each hour of each line is a row to look up. */
const COUNTED_MS = DAY_MS;

type KindWords = { place: "inferences" | "agents"; title: string; sub: string; empty: string };

export const WORDS: Record<Kind, KindWords> = {
  inference: {
    place: "inferences",
    title: "Inferences",
    sub: "One model call that answers from the passages of its RAGs.",
    empty: "An inference answers a question from the passages that its RAGs find.",
  },
  agent: {
    place: "agents",
    title: "Agents",
    sub: "A model that searches its RAGs itself, in several steps.",
    empty: "An agent decides by itself what to search for before it answers.",
  },
};

export const addressOf = (kind: Kind, identifier: string) =>
  `/panel/${WORDS[kind].place}/${identifier}`;

export async function modelListPage(context: PageContext, kind: Kind): Promise<Response> {
  const { db, now } = context.get("services");
  const lines = await listModelLines(db, kind, listQuery(context));
  const time = now();
  const keys = lines.data.map(({ id }) => id);
  const since = time - COUNTED_MS;
  const calls = await recentCalls(db, { dimension: kind, keys, since, now: time });
  const { place, title, sub, empty } = WORDS[kind];
  return await listPage(context, {
    title,
    sub,
    add: { href: `/panel/new/${kind}`, label: `New ${kind}` },
    one: kind,
    listed: lines,
    search: "Name or identifier contains",
    none: { title: `There are no ${place} yet.`, says: empty },
    columns: [
      {
        head: "Name",
        main: true,
        sort: "name",
        cell: ({ identifier, name }) => (
          <>
            <ShortenedLink href={addressOf(kind, identifier)} text={name} />
            <Faint text={identifier} mono />
          </>
        ),
      },
      { head: "Model", sort: "model", cell: ({ model }) => <Shortened text={model} mono /> },
      { head: "RAGs", wide: true, cell: (line) => <Linked line={line} /> },
      { head: "Calls, 24 hours", numeric: true, cell: ({ id }) => <Calls of={calls.get(id)} /> },
    ],
  });
}

const Linked = ({ line: { rags, moreRags } }: { line: ModelLine }) =>
  rags.length === 0 ? (
    <span class="soft">none</span>
  ) : (
    <span class="tags">
      {rags.map((identifier) => (
        <a class="tag" href={`/panel/rags/${identifier}`}>
          <Data>{identifier}</Data>
        </a>
      ))}
      {moreRags ? <span class="soft">and more</span> : null}
    </span>
  );

const Calls = ({ of }: { of: { calls: number; errors: number } | undefined }) => {
  if (of === undefined) return <span class="soft">0</span>;
  return (
    <>
      {count(of.calls)}
      {of.errors === 0 ? null : (
        <div>
          <Status tone="bad">{count(of.errors)} failed</Status>
        </div>
      )}
    </>
  );
};

export type Model =
  | { kind: "inference"; record: InferenceRecord }
  | { kind: "agent"; record: AgentRecord };

const TABS = { "": "Ask", "/settings": "Settings" };

type TabProps = Partial<PageProps> & { model: Model; here: keyof typeof TABS };

export async function modelTab(
  context: PageContext,
  { model: { kind, record }, here, ...rest }: TabProps,
  content: Child,
) {
  const { title, place } = WORDS[kind];
  const { name, identifier, model } = record;
  const address = addressOf(kind, identifier);
  const tabs = { label: `Pages of this ${kind}`, address, names: TABS, here };
  const create = `/panel/tokens/new?${kind}=${identifier}`;
  const description = "description" in record ? record.description : "";
  const head = {
    title: name,
    data: true,
    trail: [{ name: title, href: `/panel/${place}` }],
    sub: (
      <>
        {description === "" ? null : (
          <>
            <Data>{description}</Data>
            <br />
          </>
        )}
        Model <Data mono>{model}</Data> · Identifier{" "}
        <CodeLine text={identifier} label="identifier" />
      </>
    ),
    actions: isAdmin(context) ? (
      <LinkButton href={create} label={`Create token for this ${kind}`} />
    ) : null,
  };
  return await page(context, { ...head, ...rest, tabs }, content);
}
