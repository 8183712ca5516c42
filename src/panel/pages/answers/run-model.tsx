import { AgentInvokeRequest, InferenceRunRequest } from "../../../inference/run-requests.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { baseUrlOf } from "../../../http/base-url.ts";
import type { RagRecord } from "../../../db/records.ts";
import { runAgent } from "../../../inference/run-agent.ts";
import { runInference } from "../../../inference/run-inference.ts";
import { inferencePatch } from "../../../catalog/inferences/inference-settings.ts";
import { AsCode } from "../../components/as-code.tsx";
import { Checkbox, FormMessage, TextArea, TextField } from "../../components/form.tsx";
import { Data } from "../../components/data.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { isAdmin, type PageContext } from "../page.tsx";
import { attempt, formOf, freshForm, numberOf, typed } from "../request/form.ts";
import type { Form as Sent, FormState } from "../request/form.ts";
import { shownState, UPDATED_AT } from "../request/stale.ts";
import { collectRun, type RunOutcome } from "./collect-run.ts";
import {
  EarlierTurns,
  FollowUp,
  HiddenTurns,
  TURNS,
  turnsAfter,
  turnsIn,
} from "./conversation.tsx";
import { modelTab, type Model } from "./model-tab.tsx";
import { addressOf, WORDS } from "./model-list.tsx";
import { BrokenResult, RunResult } from "./run-result.tsx";

const FIELDS = [
  "prompt",
  "systemPrompt",
  "semanticSearch",
  "topK",
  "similarityThreshold",
  "useReranking",
  "jsonSchema",
];

type Ran = { outcome: RunOutcome; queries: string[] };

const runAddress = ({ kind, record }: Model) => `${addressOf(kind, record.identifier)}/run`;

/** A prompt to one inference or agent, its last answer, and the same call as code. */
export async function runPage(
  context: PageContext,
  model: Model,
  state: FormState = freshForm({ systemPrompt: model.record.systemPrompt }),
  ran: Ran | null = null,
): Promise<Response> {
  const { kind, record } = model;
  const mayChange = isAdmin(context);
  const seen = mayChange ? await shownState(context, WORDS[kind].place, record.id) : null;
  const base = baseUrlOf(context.get("services").config, context.req.raw);
  const path =
    kind === "agent" ? `agents/${record.identifier}/invoke` : `inferences/${record.identifier}`;
  return await modelTab(
    context,
    { model, here: "", status: state.status },
    <div class="cols">
      <div>
        <RunForm model={model} state={state} seen={seen} />
        {ran === null ? null : (
          <>
            <Outcome {...ran} rags={record.rags} isAdmin={mayChange} />
            <Next model={model} state={state} outcome={ran.outcome} />
          </>
        )}
      </div>
      <aside aria-label="About it">
        <section>
          <h2>The same call</h2>
          <AsCode url={`${base}/api/${path}`} body={sampleBody(model, state)} answer="response" />
        </section>
        <About model={model} mayChange={mayChange} />
      </aside>
    </div>,
  );
}

const Outcome = ({ outcome, ...rest }: Ran & { rags: RagRecord[]; isAdmin: boolean }) =>
  outcome.kind === "whole" ? (
    <RunResult result={outcome.result} {...rest} />
  ) : (
    <BrokenResult broken={outcome.broken} {...rest} />
  );

/** Asks on: with the same settings, after this answer. */
const Next = ({
  model,
  state,
  outcome,
}: Pick<RunFormProps, "model" | "state"> & Pick<Ran, "outcome">) => {
  const turns = turnsAfter(turnsOf(state), state.text("prompt"), outcome);
  if (turns === null) return null;
  const kept = FIELDS.filter((field) => field !== "prompt" && field !== "semanticSearch")
    .map((field): [string, string] => [field, state.text(field)])
    .filter(([, value]) => value !== "");
  return <FollowUp action={runAddress(model)} turns={turns} kept={kept} />;
};

/** None where the field holds something else: the form says so when it is sent. */
function turnsOf(state: FormState) {
  return state.problem(TURNS) === null ? turnsIn(state.text(TURNS)) : [];
}

const searchesFirst = (model: Model) =>
  model.kind === "inference" && model.record.nativeRag && model.record.rags.length > 0;

type RunFormProps = {
  model: Model;
  state: FormState;
  /** Which state of the model is shown, for those who may change it; null for others. */
  seen: string | null;
};

const RunForm = ({ model, state, seen }: RunFormProps) => (
  <form method="post" action={runAddress(model)}>
    <FormMessage state={state} />
    <HiddenTurns turns={turnsOf(state)} />
    <EarlierTurns
      turns={turnsOf(state)}
      startOver={addressOf(model.kind, model.record.identifier)}
    />
    {seen === null ? null : <PromptEditor model={model} state={state} seen={seen} />}
    <TextArea state={state} name="prompt" label="Prompt" rows={3} required />
    {searchesFirst(model) ? (
      <details class="options" open={state.status !== 200}>
        <summary>Search and form of the answer</summary>
        <TextArea
          state={state}
          name="semanticSearch"
          label="Search for"
          rows={2}
          hint="One a line. Leave empty to search for what the prompt asks."
        />
        <div class="two">
          <TextField state={state} name="topK" label="Passages" type="number" placeholder="5" />
          <TextField
            state={state}
            name="similarityThreshold"
            label="Similarity of at least"
            type="number"
            step="any"
            placeholder="0"
          />
        </div>
        <Checkbox state={state} name="useReranking" label="Rerank" />
        <TextArea
          state={state}
          name="jsonSchema"
          label="JSON Schema of the answer"
          rows={4}
          mono
          hint="Leave empty for text."
        />
      </details>
    ) : null}
    <p>
      <button class="btn primary">Run</button>
    </p>
  </form>
);

/** The system prompt is tried with a run as it stands here, and saved only by its own button. */
const PromptEditor = ({ model, state, seen }: RunFormProps & { seen: string }) => {
  const isChanged = state.text("systemPrompt") !== model.record.systemPrompt;
  return (
    <details class="options" open={isChanged || state.problem("systemPrompt") !== null}>
      <summary>System prompt</summary>
      <input type="hidden" name={UPDATED_AT} value={seen} />
      <input type="hidden" name="only" value="systemPrompt" />
      <TextArea
        state={state}
        name="systemPrompt"
        label="System prompt"
        rows={8}
        hint="A run here uses the unsaved prompt. Programs get it after you save it."
      />
      <p>
        <button
          class="btn"
          formaction={`${addressOf(model.kind, model.record.identifier)}/settings`}
          formnovalidate
        >
          Save this prompt
        </button>
      </p>
    </details>
  );
};

const About = ({ model: { record }, mayChange }: { model: Model; mayChange: boolean }) => (
  <section>
    <h2>What it has</h2>
    <p class="tags">
      {record.rags.length === 0
        ? "No RAGs: it answers from the prompt alone."
        : record.rags.map((rag) => (
            <a class="tag" href={`/panel/rags/${encodeURIComponent(rag.identifier)}`}>
              <Data>{rag.name}</Data>
            </a>
          ))}
    </p>
    {mayChange ? null : (
      <details class="why">
        <summary>System prompt</summary>
        <CodeBlock label="System prompt" text={record.systemPrompt} />
        <p class="soft">An administrator may change it.</p>
      </details>
    )}
  </section>
);

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** What the form asks for, as the API takes it; only what is not the default. */
function bodyIn(model: Model, text: (field: string) => string) {
  const prompt = text("prompt").replaceAll("\r\n", "\n");
  if (!searchesFirst(model)) return { prompt };
  const number = (field: string) =>
    text(field).trim() === "" ? undefined : numberOf(text(field).trim());
  const queries = linesOf(text("semanticSearch"));
  return {
    prompt,
    semanticSearch: queries.length > 0 ? queries : [prompt],
    topK: number("topK"),
    similarityThreshold: number("similarityThreshold"),
    useReranking: text("useReranking") === "on" ? true : undefined,
    jsonSchema: typed(text("jsonSchema").trim()),
  };
}

const SAMPLE_PROMPT = "What do the documents say about …?";

const sampleBody = (model: Model, state: FormState) =>
  bodyIn(model, (field) => {
    const sent = state.text(field);
    return field === "prompt" && sent === "" ? SAMPLE_PROMPT : sent;
  });

/** Runs it: nothing is changed, so that members may do it too. */
export async function runModel(context: PageContext, model: Model): Promise<Response> {
  const form = await formOf(context);
  const tried = await attempt(form, FIELDS, async () => {
    return await run(context, withPrompt(model, isAdmin(context) ? form : null), form);
  });
  if (!tried.done) return await runPage(context, model, tried.state);
  const sent = [...FIELDS, TURNS].filter((field) => form.has(field));
  const values = Object.fromEntries(sent.map((field) => [field, form.exact(field)]));
  const typedIn = freshForm({ systemPrompt: model.record.systemPrompt, ...values });
  return await runPage(context, model, typedIn, tried.result);
}

/** The model with the prompt that the form tries; null: as it is stored. */
function withPrompt(model: Model, form: Sent | null): Model {
  if (form === null || !form.has("systemPrompt")) return model;
  const typedPrompt = { systemPrompt: form.exact("systemPrompt") };
  const { systemPrompt } = parseOrRefuse(inferencePatch.pick({ systemPrompt: true }), typedPrompt);
  if (systemPrompt === undefined) return model;
  return model.kind === "agent"
    ? { kind: model.kind, record: { ...model.record, systemPrompt } }
    : { kind: model.kind, record: { ...model.record, systemPrompt } };
}

async function run(context: PageContext, model: Model, form: Sent): Promise<Ran> {
  const services = context.get("services");
  const { signal } = context.req.raw;
  const caller = { tokenId: null };
  const body = bodyIn(model, form.exact);
  const messages = turnsIn(form.exact(TURNS));
  if (model.kind === "agent") {
    const { prompt } = parseOrRefuse(AgentInvokeRequest, body);
    const asked = { agent: model.record, prompt, messages, caller, signal };
    const outcome = await collectRun((emit) => runAgent(services, { ...asked, emit }));
    return { outcome, queries: [prompt] };
  }
  const input = parseOrRefuse(InferenceRunRequest, body);
  const searchesTurns = linesOf(form.exact("semanticSearch")).length === 0;
  const asked = { inference: model.record, input, messages, searchesTurns, caller, signal };
  const outcome = await collectRun((emit) => runInference(services, { ...asked, emit }));
  const questions = outcome.kind === "whole" ? outcome.result.questions : [];
  const queries = input.semanticSearch ?? [input.prompt];
  return { outcome, queries: questions.length > 0 ? questions : queries };
}
