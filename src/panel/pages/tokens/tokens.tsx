import { Hono } from "hono";

import { createToken } from "../../../access/tokens/create-token.ts";
import { newToken } from "../../../access/tokens/token-settings.ts";
import { removeToken } from "../../../db/access/token-store.ts";
import { notFound } from "../../../core/errors.ts";
import { DAY_MS } from "../../../core/time.ts";
import { findTokenLine, listTokenLines, type TokenLine } from "../../../db/access/token-store.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { Data } from "../../components/data.tsx";
import { LinkButton } from "../../components/link.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";
import { Time, TimeOr } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { adminsOnly, isAdmin } from "../request/guards.ts";
import { List } from "../request/list.tsx";
import { filterIn, pageAt } from "../request/list-query.ts";
import { removable } from "../request/removal.tsx";
import { freshToken, NAMES, newTokenPage, tokenIn } from "./new-token.tsx";

const HERE = "/panel/tokens";

/** Tokens of the public API: what each may use, its expiry and last use. */
export function tokenPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use("/new", adminsOnly);
  app.get("/", async (context) => await listPage(context));
  app.get("/new", async (context) => await newTokenPage(context, freshToken(context)));
  app.post("/new", (context) =>
    submit(context, {
      audit: ["tokens.create"],
      fields: NAMES,
      work: async (form) => {
        const services = context.get("services");
        const input = parseKnownOrRefuse(newToken(services.now()), tokenIn(form));
        return await createToken(services, input);
      },
      again: (state) => newTokenPage(context, state),
      leads: ({ token, secret }) => {
        const shown = { label: `The token ${token.name}.`, value: secret };
        return { to: HERE, target: token.id, secret: shown };
      },
    }),
  );
  removable(app, "/:id/remove", async (context) => {
    const { db, now } = context.get("services");
    const token = await findTokenLine(db, context.req.param("id") ?? "");
    if (token === null) throw notFound();
    const { id, name, lastUsedAt } = token;
    return {
      title: "Remove the token",
      place: "tokens",
      trail: [{ name: "Tokens", href: HERE }],
      name,
      says: (
        <p>
          <Data>{name}</Data> stops working within three seconds everywhere and cannot be brought
          back. Last used: <TimeOr at={lastUsedAt} now={now()} none="never" />.
        </p>
      ),
      audit: ["tokens.remove", id],
      remove: () => removeToken(db, id),
      to: HERE,
      notice: `${name} is removed and has stopped working.`,
    };
  });
  return app;
}

async function listPage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const prefix = filterIn(context, "begins") ?? "";
  const mayChange = isAdmin(context);
  const add = <LinkButton href={`${HERE}/new`} label="New token" kind="primary" />;
  return await page(
    context,
    {
      title: "Tokens",
      place: "tokens",
      trail: [],
      sub: "Programs call the API with a token, which names what they may use.",
      actions: mayChange ? add : null,
    },
    <List
      context={context}
      label="Tokens"
      listed={await listTokenLines(services.db, pageAt(context), prefix)}
      begins={{ label: "Name begins with", prefix }}
      columns={columnsOf(services.now(), mayChange)}
      empty={
        <Empty title="There are no tokens yet.">
          <p>A program needs one to search, to run inferences and agents.</p>
        </Empty>
      }
    />,
  );
}

function columnsOf(now: number, mayChange: boolean): Column<TokenLine>[] {
  const removal: Column<TokenLine> = {
    head: "",
    cell: ({ id }) => (
      <LinkButton href={`${HERE}/${encodeURIComponent(id)}/remove`} label="Remove" kind="small" />
    ),
  };
  return [
    { head: "Name", cell: ({ name }) => <Data>{name}</Data> },
    { head: "May use", cell: (token) => <Rights token={token} /> },
    {
      head: "Last used",
      wide: true,
      cell: ({ lastUsedAt }) => <TimeOr at={lastUsedAt} now={now} none="never" />,
    },
    {
      head: "Expires",
      wide: true,
      cell: ({ expiresAt }) => <Expiry at={expiresAt} now={now} />,
    },
    { head: "Made", wide: true, cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
    ...(mayChange ? [removal] : []),
  ];
}

const SOON_MS = 7 * DAY_MS;

const Expiry = ({ at, now }: { at: number | null; now: number }) => {
  if (at === null) return <span class="soft">never</span>;
  if (at <= now) return <Status tone="bad">expired</Status>;
  return at - now < SOON_MS ? (
    <Status tone="warn">
      <Time at={at} now={now} />
    </Status>
  ) : (
    <Time at={at} now={now} />
  );
};

const Rights = ({ token }: { token: TokenLine }) => {
  const groups = [
    { word: "RAGs", all: token.allRags, names: token.rags },
    { word: "inferences", all: token.allInferences, names: token.inferences },
    { word: "agents", all: token.allAgents, names: token.agents },
  ].filter(({ all, names }) => all || names.length > 0);
  if (groups.length === 0) return <Status tone="off">nothing</Status>;
  return (
    <span class="tags">
      {groups.map(({ word, all, names }) =>
        all ? (
          <span class="tag">all {word}</span>
        ) : (
          names.map((name) => (
            <span class="tag">
              <Data>{name}</Data>
            </span>
          ))
        ),
      )}
      {token.namesMore ? <span class="soft">and more</span> : null}
      {token.manageScopes ? <span class="tag">changes scopes</span> : null}
    </span>
  );
};
