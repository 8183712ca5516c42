import type { Child } from "hono/jsx";

import type { CallRecord } from "../../../core/calls/call-record.ts";
import { requireFound } from "../../../core/errors.ts";
import { callFilter, findCalls } from "../../api/requests.ts";
import { Data, DataLink, Problem, Time, Status } from "../../components/data.tsx";
import { count, duration, money } from "../../components/figures.ts";
import { Empty, Facts } from "../../components/page-head.tsx";
import { Filters, FilterSelect, FilterText, Table, type Columns } from "../../components/table.tsx";
import { page, type PageContext } from "../page.tsx";
import { filterIn, ownAddressOf, Part, ROWS, sliceIn } from "../request/list.tsx";
import { SETTINGS, settingsPage } from "./settings-page.tsx";

const HERE = `${SETTINGS}/requests`;
const ANY = { value: "", label: "Any status" };
const STATUSES = [ANY, ...["2xx", "4xx", "5xx"].map((value) => ({ value, label: value }))];
const DEGRADED = [
  { value: "", label: "Degraded or not" },
  { value: "true", label: "Degraded" },
];
const FAILED_FROM = 400;

/** The request log, for administrators: it names tokens, readers and files. */
export async function requestsPage(context: PageContext): Promise<Response> {
  const query = Object.entries(context.req.query()).filter(([, value]) => value !== "");
  const filter = callFilter.safeParse(Object.fromEntries(query)).data ?? {};
  const { path = "", status = "", degraded = "", token = "" } = filter;
  const content = (
    <>
      <p class="soft">
        The last 1,000 calls of programs, of at most 7 days. Queries and texts are not recorded.
      </p>
      <Filters action={HERE} active={path + status + degraded + token !== ""}>
        <FilterText name="path" label="Path contains" value={path} />
        <FilterSelect name="status" label="Status" value={status} options={STATUSES} />
        {token === "" ? null : <FilterText name="token" label="Id of a token" value={token} />}
        <FilterSelect name="degraded" label="Degraded" value={degraded} options={DEGRADED} />
      </Filters>
      {await requestList(context, filter)}
    </>
  );
  return await settingsPage(context, "/requests", content);
}

export async function requestList(context: PageContext, filter: Parameters<typeof findCalls>[1]) {
  const calls = await findCalls(context.get("services"), filter);
  const slice = sliceIn(context, ROWS);
  return (
    <div id="requests" data-live>
      <Table
        label="Requests"
        rows={calls.slice(slice.offset, slice.offset + slice.limit)}
        columns={columnsOf(filter.token)}
        empty={<Empty title="No requests." />}
      />
      <Part {...slice} here={ownAddressOf(context)} total={calls.length} unit="request" />
    </div>
  );
}

const columnsOf = (ring: string | undefined): Columns<CallRecord> => [
  { head: "When", cell: ({ time }) => <Time at={time} /> },
  {
    head: "Request",
    main: true,
    cell: ({ id, method, path, error, degraded }) => (
      <>
        <DataLink
          href={`${HERE}/${id}${ring === undefined ? "" : `?token=${encodeURIComponent(ring)}`}`}
          text={`${method} ${path}`}
        />
        <Problem text={error ?? degraded[0] ?? null} />
      </>
    ),
  },
  { head: "Status", cell: (call) => <Outcome call={call} /> },
  { head: "Time", numeric: true, cell: ({ durationMs }) => duration(durationMs) },
  { head: "Token", wide: true, cell: ({ token }) => <Token token={token} /> },
];

const Outcome = ({ call: { status, error, degraded } }: { call: CallRecord }) => {
  const isDegraded = degraded.length > 0;
  const isBad = status >= FAILED_FROM || error !== null;
  return (
    <Status tone={isBad ? "bad" : isDegraded ? "warn" : "ok"}>
      {`${status}${isDegraded ? " degraded" : ""}`}
    </Status>
  );
};

const Token = ({ token }: Pick<CallRecord, "token">) =>
  token === null ? (
    <span class="soft">none</span>
  ) : (
    <DataLink href={`/panel/tokens/${token.id}`} text={token.name ?? token.id} />
  );

/** One request: what it took, what it lost, and the time of each part. */
export async function requestPage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const calls = await findCalls(services, { token: filterIn(context, "token") ?? undefined });
  const call = requireFound(calls.find(({ id }) => id === context.req.param("id")));
  const { cost, inputTokens, legs, outputTokens } = call;
  const times = Object.entries(legs).map(([leg, ms]) => [legName(leg), duration(ms)]);
  const facts: Record<string, Child> = {
    When: <Time at={call.time} />,
    Status: <Outcome call={call} />,
    Error: call.error,
    Degraded: call.degraded.join("; "),
    "Time to answer": duration(call.durationMs),
    ...Object.fromEntries(times),
    Models: call.models.join(", "),
    "Model tokens": `${count(inputTokens)} in, ${count(outputTokens)} out`,
    Cost: cost && money(cost.amount, cost.currency),
    Token: <Token token={call.token} />,
    Reader: call.reader,
    "Request id": call.requestId,
  };
  const pairs = Object.entries(facts).flatMap(([name, fact]) => {
    const value = typeof fact === "string" ? <Data>{fact}</Data> : fact;
    return fact === null || fact === "" ? [] : [[name, value] as const];
  });
  const trail = [
    { name: "Settings", href: SETTINGS },
    { name: "Requests", href: HERE },
  ];
  const head = { title: `${call.method} ${call.path}`, data: true, trail };
  return await page(context, head, <Facts pairs={pairs} />);
}

/** "Vector index" for `vectorIndexMs`. */
function legName(leg: string): string {
  const words = leg.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
