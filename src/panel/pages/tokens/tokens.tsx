import { Hono } from "hono";

import { createToken } from "../../../access/tokens/create-token.ts";
import { newToken } from "../../../access/tokens/token-settings.ts";
import { removeToken } from "../../../db/access/token-store.ts";
import { notFound } from "../../../core/errors.ts";
import { DAY_MS } from "../../../core/time.ts";
import { findTokenLine, listTokenLines, type TokenLine } from "../../../db/access/token-store.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { PrefixFilter } from "../../components/filters.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { Status } from "../../components/status.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { Time, TimeOr } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm } from "../request/form.ts";
import { adminsOnly, isAdmin } from "../request/guards.ts";
import { filterIn, hereOf, pageAt } from "../request/list-query.ts";
import { freshToken, NAMES, newTokenPage, tokenIn } from "./new-token.tsx";

const HERE = "/panel/tokens";

/** Tokens of the public API: what each may use, its expiry and last use. */
export function tokenPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  for (const path of ["/new", "/:id/remove"]) app.use(path, adminsOnly);
  app.get("/", async (context) => await listPage(context));
  app.get("/new", async (context) => await newTokenPage(context, freshToken(context)));
  app.post("/new", async (context) => await makeToken(context));
  app.get("/:id/remove", async (context) => await removalPage(context, await tokenOf(context)));
  app.post("/:id/remove", async (context) => {
    const { id, name } = await tokenOf(context);
    auditAs(context, "tokens.remove", id);
    await removeToken(context.get("services").db, id);
    return redirectWithNotice(context, HERE, {
      notice: `${name} is removed and has stopped working.`,
    });
  });
  return app;
}

async function tokenOf(context: PageContext): Promise<TokenLine> {
  const found = await findTokenLine(context.get("services").db, context.req.param("id") ?? "");
  if (found === null) throw notFound();
  return found;
}

async function listPage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const prefix = filterIn(context, "begins") ?? "";
  const { data, before, after } = await listTokenLines(services.db, pageAt(context), prefix);
  const mayChange = isAdmin(context);
  const content = (
    <>
      <PageHead
        title="Tokens"
        sub="Programs call the API with a token, which names what they may use."
      >
        {mayChange ? (
          <a class="btn primary" href={`${HERE}/new`}>
            New token
          </a>
        ) : null}
      </PageHead>
      <PrefixFilter action={HERE} label="Name begins with" prefix={prefix} />
      <Table
        label="Tokens"
        rows={data}
        empty={
          prefix === "" ? (
            <Empty title="There are no tokens yet.">
              <p>A program needs one to search, to run inferences and agents.</p>
            </Empty>
          ) : (
            <Empty title="No token is like that." />
          )
        }
        columns={columnsOf(services.now(), mayChange)}
      />
      <Pager here={hereOf(context)} before={before} after={after} />
    </>
  );
  return await page(context, { title: "Tokens", place: "tokens" }, content);
}

function columnsOf(now: number, mayChange: boolean): Column<TokenLine>[] {
  const removal: Column<TokenLine> = {
    head: "",
    cell: ({ id }) => (
      <a class="btn small" href={`${HERE}/${encodeURIComponent(id)}/remove`}>
        Remove
      </a>
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

async function makeToken(context: PageContext): Promise<Response> {
  auditAs(context, "tokens.create");
  const form = await formOf(context);
  const services = context.get("services");
  const tried = await attempt(form, NAMES, async () => {
    const input = parseKnownOrRefuse(newToken(services.now()), tokenIn(form));
    return await createToken(services, input);
  });
  if (!tried.done) return await newTokenPage(context, tried.state);
  const { token, secret } = tried.result;
  auditAs(context, "tokens.create", token.id);
  return redirectWithNotice(context, HERE, {
    secret: { label: `The token ${token.name}.`, value: secret },
  });
}

async function removalPage(context: PageContext, token: TokenLine): Promise<Response> {
  const now = context.get("services").now();
  const title = "Remove the token";
  const content = (
    <>
      <PageHead title={title} trail={[{ name: "Tokens", href: HERE }]} />
      <ConfirmRemoval
        action={`${HERE}/${encodeURIComponent(token.id)}/remove`}
        state={freshForm()}
        name={token.name}
        isMuch={false}
        cancel={HERE}
        submit="Remove it"
      >
        <p>
          <Data>{token.name}</Data> stops working within three seconds everywhere and cannot be
          brought back. Last used: <TimeOr at={token.lastUsedAt} now={now} none="never" />.
        </p>
      </ConfirmRemoval>
    </>
  );
  return await page(context, { title, place: "tokens" }, content);
}
