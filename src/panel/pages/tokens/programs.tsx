import type { z } from "zod";

import { endRegistrations, unusedRegistrations } from "../../../access/programs/registrations.ts";
import type { Registration } from "../../../access/programs/registrations.ts";
import { forbidden, notFound } from "../../../core/errors.ts";
import { NAMED } from "../../../core/principals.ts";
import { DAY_MS } from "../../../core/time.ts";
import { isGrantOf } from "../../../db/access/grant-store.ts";
import { listTokenLines, type TokenLine } from "../../../db/access/token-store.ts";
import { baseUrlOf } from "../../../http/client-address.ts";
import { action, type ActionCall } from "../../action.ts";
import { findToken, tokenRemoval } from "../../api/tokens.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { Data, Faint, LinkButton, Shortened, TimeOr, Time } from "../../components/data.tsx";
import { useView, Status } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import { removeColumn, Table, type Column } from "../../components/table.tsx";
import { isAdmin, lookUp, type PageContext, type Pages } from "../page.tsx";
import { listPage, listQuery, ROWS } from "../request/list.tsx";

const HERE = "/panel/tokens/programs";
const TRAIL = [
  { name: "Tokens", href: "/panel/tokens" },
  { name: "Connected programs", href: HERE },
];

/** Programs that people connected over OAuth: all for administrators, their own for members. */
export function programPages(pages: Pages): void {
  pages.get("/", (context) => show(context));
  pages.removal("/unused", registrationsRemoval, async (context) => {
    const unused = await unusedRegistrations(context.get("services"));
    return {
      subject: unused,
      title: "Unused registrations",
      trail: TRAIL,
      name: "unused registrations",
      submit: "Remove them",
      says: (
        <>
          <p>
            Programs register themselves before a person allows them. These were not allowed, and
            end within a day.
          </p>
          <Table
            label="Unused registrations"
            rows={unused.slice(0, ROWS)}
            empty={null}
            columns={REGISTRATIONS}
          />
        </>
      ),
    };
  });
  pages
    .forRecord(lookUp(findToken))
    .removal("/:id/remove", ownProgramRemoval, async (context, program) => {
      const { name, person, lastUsedAt, id } = program;
      if (program.clientHost === null) throw notFound();
      const isOwn = await isGrantOf(context.get("services").db, id, context.get("session").userId);
      if (!isOwn && !isAdmin(context)) throw forbidden();
      return {
        title: "Disconnect the program",
        trail: TRAIL,
        name,
        submit: "Disconnect it",
        says: (
          <p>
            <Data>{name}</Data> of <Data>{person ?? ""}</Data> stops working within three seconds
            everywhere. It can be connected again. Last used:{" "}
            <TimeOr at={lastUsedAt} none="never" />.
          </p>
        ),
      };
    });
}

/** People disconnect their own programs; the page says whose they are. */
const ownProgramRemoval = { ...tokenRemoval, by: "members" } as const;

const registrationsRemoval = action({
  name: "tokens.remove",
  about: "Remove registrations of programs that nobody allowed.",
  work: ({ services, subject }: ActionCall<Registration[], z.ZodUndefined>) =>
    endRegistrations(services, subject),
  target: () => "unused",
  notice: (_none, unused) => `${countText(unused.length, "registration")} removed.`,
});

async function show(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const query = listQuery(context);
  const unused = isAdmin(context) ? await unusedRegistrations(services) : [];
  const person = isAdmin(context) ? null : context.get("session").userId;
  return await listPage(context, {
    title: "Connected programs",
    sub: "Assistants that people connected over MCP. Each acts for its person.",
    tabs: { ...TOKEN_TABS, here: "/programs" },
    one: "program",
    actions:
      unused.length === 0 ? null : (
        <LinkButton
          href={`${HERE}/unused`}
          label={countText(unused.length, "unused registration")}
        />
      ),
    listed: await listTokenLines(services.db, query, { programs: true, person }),
    search: "Name contains",
    columns: COLUMNS,
    none: {
      title: "No program is connected yet.",
      says: (
        <>
          Add this address to an assistant as an MCP server:{" "}
          <CodeLine text={`${baseUrlOf(services.config, context.req.raw)}/mcp`} label="address" />
        </>
      ),
    },
  });
}

const REGISTRATIONS: Column<Registration>[] = [
  { head: "Program", main: true, cell: ({ name }) => <Shortened text={name} /> },
  { head: "Network", cell: ({ network }) => <Data>{network}</Data> },
  { head: "Registered", cell: ({ registeredAt }) => <Time at={registeredAt} /> },
];

export const TOKEN_TABS = {
  label: "Tokens",
  address: "/panel/tokens",
  names: { "": "Tokens", "/programs": "Connected programs" },
};

const SOON_MS = 7 * DAY_MS;

/** When a token or a key ends; marked where that is soon. */
export const Expiry = ({ at }: { at: number | null }) => {
  const { now } = useView();
  if (at === null) return <span class="soft">never</span>;
  if (at <= now) return <Status tone="bad">expired</Status>;
  return at - now < SOON_MS ? (
    <Status tone="warn">
      <Time at={at} />
    </Status>
  ) : (
    <Time at={at} />
  );
};

/** When it was last used, when it ends and since when it is there. */
export const timeColumns = (ends: string, since: string): Column<TokenLine>[] => [
  {
    head: "Last used",
    sort: "used",
    cell: ({ lastUsedAt }) => <TimeOr at={lastUsedAt} none="never" />,
  },
  { head: ends, wide: true, sort: "expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { head: since, wide: true, sort: "created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const COLUMNS: Column<TokenLine>[] = [
  {
    head: "Program",
    main: true,
    sort: "name",
    cell: ({ name, clientHost }) => (
      <>
        <Shortened text={name} />
        <Faint text={clientHost ?? ""} />
      </>
    ),
  },
  { head: "Acts for", cell: ({ person }) => <Shortened text={person ?? ""} /> },
  { head: "May use", cell: (program) => <Rights token={program} /> },
  ...timeColumns("Ends", "Connected"),
  { ...removeColumn<TokenLine>(({ id }) => `${HERE}/${id}/remove`), forAdmins: false },
];

/** The resources that a token covers. */
export const Rights = ({ token }: { token: TokenLine }) => {
  const groups = [
    { word: "RAG", all: token.allRags, names: token.rags },
    { word: "inference", all: token.allInferences, names: token.inferences },
    { word: "agent", all: token.allAgents, names: token.agents },
  ].filter(({ all, names }) => all || names.length > 0);
  if (groups.length === 0) return <Status tone="off">nothing</Status>;
  return (
    <span class="tags">
      {groups.map(({ word, all, names }) =>
        all ? (
          <span class="tag">all {word}s</span>
        ) : (
          names.map((name) => (
            <span class="tag">
              {word} <Data>{name}</Data>
            </span>
          ))
        ),
      )}
      {token.namesMore ? <span class="soft">and more</span> : null}
      {token.manageScopes ? <span class="tag">changes scopes</span> : null}
      {token.reader === null || token.person !== null ? null : (
        <span class="tag">
          {token.reader === NAMED ? "names readers" : <Data>{`reads as ${token.reader}`}</Data>}
        </span>
      )}
    </span>
  );
};
