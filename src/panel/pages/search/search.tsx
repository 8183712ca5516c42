import { html } from "hono/html";

import { requireFound } from "../../../core/errors.ts";
import { listModelRows } from "../../../db/catalog/model-store.ts";
import { baseUrlOf } from "../../../http/client-address.ts";
import { eventText, EVENT_STREAM_HEADERS } from "../../../http/event-stream.ts";
import { runBody } from "../../../http/run-stream.ts";
import type { RunListener, RunEvent } from "../../../inference/run-events.ts";
import { formFrom, freshForm, type FormValues } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { readTurns, appendTurn, turnsIn, TURNS } from "../answers/conversation.tsx";
import { addressOf as modelAddress, modelTab, type Model } from "../answers/model-list.tsx";
import { withView, isAdmin, page, type PageContext, type Pages } from "../page.tsx";
import { attempt, readPosted, type Attempt } from "../request/form.ts";
import { Given, Playground, type PlaygroundProps } from "./playground.tsx";
import { SECOND, SETTING_FIELDS, fillSecond, findTarget, keyOf } from "./search-settings.ts";
import { targetChoices, targetKey, trySetting, type Choices } from "./search-settings.ts";
import type { Target, TrialRun } from "./search-settings.ts";

const HERE = "/panel/search";
const FIELDS = [...SETTING_FIELDS, ...SETTING_FIELDS.map((name) => SECOND + name), "q", "more"];
const EVENTS_TYPE = "text/event-stream";
/** A comparison that begins: nothing is searched before its second setting is set. */
const BEGIN = "begin";

/** Searches are addresses; a model's answer is requested by a form, as it may cost something. */
export function searchPages(pages: Pages): void {
  pages.get("/", async (context) => {
    const form = formFrom(fillSecond(new URL(context.req.url).searchParams));
    const request = await readRequest(context, form, null);
    if (request === null) return await emptyPage(context);
    const isBegun = form.text("compare") === BEGIN;
    const isSearch = !isBegun && isSearchOnly(request) && form.text("q") !== "";
    const attempted = isSearch
      ? await tryAll(context, request, { signal: context.req.raw.signal, emit: ignoreEvents })
      : NOTHING;
    return await answerPage(context, request, attempted);
  });
  const ask = async (context: PageContext) => {
    const form = await readForm(context);
    const request = requireFound(await readRequest(context, form, null));
    if (isSearchOnly(request)) return context.redirect(addressOf(form), 303);
    return await answer(context, request);
  };
  pages.receive("/", ask, "members");
}

export const modelPage = async (context: PageContext, model: Model) =>
  await answerPage(context, { ...ASKED, targets: [model], fixed: model }, NOTHING);

/** Nothing is changed: members may ask, too. */
export async function askModel(context: PageContext, model: Model): Promise<Response> {
  const request = await readRequest(context, await readForm(context), model);
  return await answer(context, requireFound(request));
}

type PlaygroundRequest = {
  form: FormValues;
  /** One, or two to compare. */
  targets: [Target, Target?];
  /** The model whose page it is; null: the page for questions of every kind. */
  fixed: Model | null;
  choices: Choices | null;
};

const ASKED = { form: formFrom(new URLSearchParams()), choices: null };
const NOTHING: Attempt<TrialRun[]> = { done: true, result: [] };
const ignoreEvents = () => Promise.resolve();

/** The posted form, with the second setting where a comparison begins. */
const readForm = async (context: PageContext) => formFrom(fillSecond(await readPosted(context)));

const isSearchOnly = ({ targets }: PlaygroundRequest) =>
  targets.every((target) => target?.kind === "rag");

/** Null: there is nothing to ask. */
async function readRequest(
  context: PageContext,
  form: FormValues,
  fixed: Model | null,
): Promise<PlaygroundRequest | null> {
  const services = context.get("services");
  const choices = fixed === null ? await targetChoices(services) : null;
  const [first] =
    choices?.flatMap(({ kind, choices: targets }) =>
      targets.map(({ identifier }) => targetKey(kind, identifier)),
    ) ?? [];
  const key = form.text("with") || first;
  if (fixed === null && key === undefined) return null;
  const target = fixed ?? (await findTarget(services, key ?? ""));
  if (!form.has("compare") || form.all("compare").includes("end")) {
    return { form, fixed, choices, targets: [target] };
  }
  const secondKey = form.text(`${SECOND}with`);
  const second = secondKey === "" ? target : await findTarget(services, secondKey);
  return { form, fixed, choices, targets: [target, second] };
}

function addressOf(form: FormValues): string {
  const isCompared = form.has("compare") && !form.all("compare").includes("end");
  const fields = FIELDS.filter((name) => isCompared || !name.startsWith(SECOND));
  const values = fields.flatMap((name) => {
    const value = form.exact(name);
    return value === "" ? [] : [[name, value]];
  });
  const compared = isCompared ? [["compare", form.text("compare")]] : [];
  return `${HERE}?${new URLSearchParams([...values, ...compared]).toString()}`;
}

const tryAll = (context: PageContext, request: PlaygroundRequest, listening: RunListener) =>
  attempt(request.form, FIELDS, async () => {
    const { form, targets } = request;
    const messages = turnsIn(form.exact(TURNS));
    const trials = targets.flatMap((target, at) =>
      target === undefined ? [] : [{ form, prefix: at === 0 ? "" : SECOND, target, messages }],
    );
    const all = () => Promise.all(trials.map((trial) => trySetting(context, trial, listening)));
    if (trials.length === 1 || !isSearchOnly(request)) return await all();
    // Times are compared: neither search counts what its index loads first, or waits for the other.
    await all();
    const results: TrialRun[] = [];
    for (const trial of trials) results.push(await trySetting(context, trial, listening));
    return results;
  });

async function answer(context: PageContext, request: PlaygroundRequest): Promise<Response> {
  // Beginning a comparison asks nothing yet, and ending it asks nothing more.
  const isAsked = request.form.all("compare").every((value) => value === "on");
  if (!isAsked) return await answerPage(context, request, NOTHING);
  const { headers, signal } = context.req.raw;
  if (headers.get("Accept")?.includes(EVENTS_TYPE) === true) return await stream(context, request);
  return await answerPage(
    context,
    request,
    await tryAll(context, request, { signal, emit: ignoreEvents }),
  );
}

/** The passages and the text as they come, at the end the page's content as without script. */
async function stream(context: PageContext, request: PlaygroundRequest): Promise<Response> {
  const { log } = context.get("services");
  const isOne = request.targets.length === 1;
  const run = async ({ signal, emit }: RunListener) =>
    await tryAll(context, request, { signal, emit: isOne ? emit : ignoreEvents });
  const texts = async function* (events: AsyncIterable<RunEvent<Attempt<TrialRun[]>>>) {
    for await (const event of events) {
      if (event.type === "delta") yield eventText({ text: event.text, step: event.step }, "delta");
      if (event.type === "retrieval") {
        const shown = <Given passages={event.items} target={request.targets[0]} />;
        yield eventText({ html: (await html`${withView(context, shown)}`).toString() }, "passages");
      }
      if (event.type !== "result") continue;
      const content = <Playground {...await propsOf(context, request, event.result)} />;
      yield eventText({ html: (await html`${withView(context, content)}`).toString() }, "page");
    }
  };
  const failureText = ({ error }: { error: string }) => eventText({ error }, "error");
  const body = await runBody({ run, signal: context.req.raw.signal, log }, texts, failureText);
  return context.body(body, 200, EVENT_STREAM_HEADERS);
}

async function answerPage(
  context: PageContext,
  request: PlaygroundRequest,
  attempted: Attempt<TrialRun[]>,
) {
  const props = await propsOf(context, request, attempted);
  const { status } = props.state;
  const content = <Playground {...props} />;
  if (request.fixed !== null) {
    return await modelTab(context, { model: request.fixed, here: "", status }, content);
  }
  const sub =
    "Search passages, or ask a model that answers from them: what a program gets, and why.";
  return await page(context, { title: "Search", status, sub }, content);
}

async function propsOf(
  context: PageContext,
  { form, targets, fixed, choices }: PlaygroundRequest,
  attempted: Attempt<TrialRun[]>,
): Promise<PlaygroundProps> {
  const { db, config } = context.get("services");
  const [target, second = null] = targets;
  const models = await listModelRows(db);
  const values = Object.fromEntries(
    [...FIELDS, "promptOf", `${SECOND}promptOf`].map((name) => [name, form.exact(name)]),
  );
  const tries = attempted.done ? attempted.result : [];
  const before = readTurns(form);
  const address =
    fixed === null
      ? `${HERE}?${new URLSearchParams({ with: keyOf(target) }).toString()}`
      : modelAddress(fixed.kind, fixed.record.identifier);
  return {
    action: fixed === null ? HERE : `${address}/run`,
    here: address,
    state: attempted.done
      ? { ...freshForm(values), text: (field) => values[field] ?? "" }
      : attempted.state,
    choices,
    target,
    second,
    rerankers: models.flatMap(({ model, kind }) => (kind === "reranker" ? [model] : [])),
    before,
    turns: tries[0] === undefined ? before : appendTurn(before, tries[0]),
    found: tries,
    baseUrl: baseUrlOf(config, context.req.raw),
  };
}

const emptyPage = (context: PageContext): Promise<Response> =>
  page(
    context,
    { title: "Search" },
    <Empty
      title="There is nothing to search yet."
      action={isAdmin(context) ? { href: "/panel/new/rag", label: "New RAG" } : null}
    >
      {isAdmin(context)
        ? "Create a RAG first. It indexes the documents of a file source."
        : "An administrator must create a RAG first."}
    </Empty>,
  );
