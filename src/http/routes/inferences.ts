import { createRoute, OpenAPIHono } from "@hono/zod-openapi";

import { billSubject } from "../../catalog/limits/metered-models.ts";
import { keepQueries } from "../../catalog/usage/keep-queries.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { isoTime } from "../../core/time.ts";
import { listPublicInferences } from "../../db/access/public-lists.ts";
import { retrieveContext } from "../../inference/retrieve-context.ts";
import { runInference } from "../../inference/run-inference.ts";
import { InferenceRetrieveRequest, InferenceRunRequest } from "../../inference/run-requests.ts";
import { chunkAnswer, degradedAnswer, runAnswer } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { callerFrom, credentialIn } from "../caller.ts";
import { baseUrlOf } from "../client-address.ts";
import { guardInferenceRun } from "../middleware/guard.ts";
import { ignoreUnusedSearch, validateInferenceBody } from "../middleware/inference-body.ts";
import { answerRun } from "../run-stream.ts";
import { errorResponses, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import {
  InferenceList,
  InferenceRetrieveResponse,
  InferenceRunResponse,
} from "../schemas/inference.ts";
import { bearer, inferenceParams, json, jsonRequest, TAGS, checkJson } from "./route-parts.ts";

const ofInferences = { tags: [TAGS.inferences], security: bearer };

const listInferences = createRoute({
  ...ofInferences,
  method: "get",
  path: "/api/inferences",
  operationId: "listInferences",
  summary: "List permitted inferences",
  description: "The inferences that the token may run, in order of identifier.",
  responses: {
    200: json(InferenceList, "The permitted inferences.", EXAMPLES.inferenceList),
    ...errorResponses(),
  },
});

const SEARCH_RULES =
  "semanticSearch is required when the inference has linked RAGs, and ignored when it has none. semanticSearch, similarityThreshold, selectedFiles, selectedFolders and providerFilter are accepted only if the inference has its native RAG enabled; sending them otherwise gives 400.";

const runRoute = createRoute({
  ...ofInferences,
  method: "post",
  path: "/api/inferences/{identifier}",
  operationId: "runInference",
  summary: "Run an inference",
  description: `Send a prompt, get a response. Quarry stores nothing between calls. ${SEARCH_RULES}`,
  middleware: [guardInferenceRun, ...checkJson(InferenceRunRequest), ignoreUnusedSearch] as const,
  request: {
    params: inferenceParams,
    body: jsonRequest(InferenceRunRequest, EXAMPLES.inferenceRun),
  },
  responses: {
    200: json(InferenceRunResponse, "The response.", EXAMPLES.inferenceRan, [
      "X-Ignored-Fields",
      "X-Inference-Timings",
    ]),
    ...errorResponses(403, 404, 413, 415, 502),
    ...invalidRequest("prompt is required; topK must be at most 100; semanticSearch is required"),
  },
});

const retrieveRoute = createRoute({
  ...ofInferences,
  method: "post",
  path: "/api/inferences/{identifier}/retrieve",
  operationId: "retrieveForInference",
  summary: "Retrieve context only",
  description: `Return the passages that a run would use, without calling the model. ${SEARCH_RULES}`,
  middleware: [
    guardInferenceRun,
    ...checkJson(InferenceRetrieveRequest),
    ignoreUnusedSearch,
  ] as const,
  request: {
    params: inferenceParams,
    body: jsonRequest(InferenceRetrieveRequest, EXAMPLES.inferenceRetrieve),
  },
  responses: {
    200: json(InferenceRetrieveResponse, "The context.", EXAMPLES.inferenceRetrieved, [
      "X-Ignored-Fields",
    ]),
    ...errorResponses(403, 404, 413, 415),
    ...invalidRequest("semanticSearch is required; candidateMultiplier must be at least 2"),
  },
});

export const inferenceRoutes = new OpenAPIHono<AppEnv>();

inferenceRoutes.openapi(listInferences, async (context) => {
  const services = context.get("services");
  const { raw } = context.req;
  const credential = await credentialIn(services, raw);
  const { principal, items } = await listPublicInferences(services.reads, credential);
  context.set("actor", callerFrom(services, raw, principal).actor);
  const base = `${baseUrlOf(services.config, raw)}/api/inferences`;
  const answers = items.map(({ name, identifier, createdAt, nativeRag, fileSources }) => ({
    name,
    identifier,
    url: `${base}/${identifier}`,
    createdAt: isoTime(createdAt),
    // Without native RAG nothing is searched before the model call, so no source needs
    // semanticSearch.
    fileSources: nativeRag ? fileSources : [],
  }));
  return context.json(answers, 200);
});

inferenceRoutes.openapi(
  runRoute,
  async (context) => {
    const { caller, inference, services } = context.var;
    const input = context.req.valid("json");
    const { includeSources } = input;
    const cites = includeSources === true;
    return await answerRun(context, {
      run: (listening) => runInference(services, { inference, input, cites, caller, ...listening }),
      answerOf: (result) => ({
        response: result.response,
        inference: inference.identifier,
        params: input,
        ...runAnswer(result, input, caller),
      }),
      includeSources,
      caller,
      log: services.log,
    });
  },
  validateInferenceBody,
);

inferenceRoutes.openapi(
  retrieveRoute,
  async (context) => {
    const { caller, inference, services } = context.var;
    const input = context.req.valid("json");
    const { signal } = context.req.raw;
    const own = billSubject(services, { kind: "inference", id: inference.id });
    const passages = await retrieveContext(own, { inference, input, signal });
    const ragIds = inference.rags.map(({ id }) => id);
    const by = { ragIds, inferenceId: inference.id, tokenId: caller.tokenId };
    sendRetrievalUsage(services, by, passages);
    const queries = input.semanticSearch ?? [];
    keepQueries(services, { rags: inference.rags, queries, tokenId: caller.tokenId }, passages);
    const chunks = passages.chunks.map((chunk) => chunkAnswer(chunk, input.includeSources));
    const { systemPrompt, degradations } = passages;
    return context.json({ systemPrompt, chunks, ...degradedAnswer(caller, degradations) }, 200);
  },
  validateInferenceBody,
);
