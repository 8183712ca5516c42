import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { countedFor } from "../../access/readers.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import {
  lookUpAgent,
  lookUpRag,
  lookUpInference,
  type Credential,
  type Lookup,
  type PublicAgent,
  type PublicInference,
  type PublicRag,
} from "../../db/access/principal-lookup.ts";
import type { ListedRag } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { readFor } from "../read-for.ts";
import { callerFrom, credentialIn, type Caller } from "../caller.ts";

type With<Variables> = AppEnv & { Variables: AppEnv["Variables"] & Variables };
type RagEnv = With<{ caller: Caller; rag: PublicRag }>;
export type InferenceEnv = With<{ caller: Caller; inference: PublicInference }>;
type AgentEnv = With<{ caller: Caller; agent: PublicAgent }>;

/** What a credential covers, as it is now or, before a search or a run, as it was seconds ago. */
type LookUp<Resource> = (
  services: Pick<Services, "reads" | "now" | "recentLookups">,
  credential: Credential,
  identifier: string,
) => Promise<Lookup<Resource>>;

const ragNow: LookUp<PublicRag> = ({ reads }, ...of) => lookUpRag(reads, ...of);
export const inferenceNow: LookUp<PublicInference> = ({ reads }, ...of) =>
  lookUpInference(reads, ...of);
export const agentNow: LookUp<PublicAgent> = ({ reads }, ...of) => lookUpAgent(reads, ...of);

export const recentRag: LookUp<PublicRag> = (services, ...of) =>
  services.recentLookups.rag.find(services, ...of);
export const recentInference: LookUp<PublicInference> = (services, ...of) =>
  services.recentLookups.inference.find(services, ...of);
export const recentAgent: LookUp<PublicAgent> = (services, ...of) =>
  services.recentLookups.agent.find(services, ...of);

/** A search tells no counts. */
const RECENT = new Set<unknown>([recentRag, recentInference, recentAgent]);

/**
 * Checks credentials, existence and permission, in this order and in one round trip. It runs
 * before a route's validators, so that a caller without a token cannot learn the body's form.
 */
export async function admit<Resource extends PublicRag | { rags: ListedRag[] }>(
  context: Context,
  lookUp: LookUp<Resource>,
  identifier = context.req.param("identifier") ?? "",
): Promise<{ caller: Caller; resource: Resource }> {
  const { req } = context;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by the app's first middleware
  const services = context.get("services") as AppEnv["Variables"]["services"];
  const credential = await credentialIn(services, req.raw);
  const { principal, found } = await lookUp(services, credential, identifier);
  const caller = callerFrom(services, req.raw, principal);
  context.set("actor", caller.actor);
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  const counts = !RECENT.has(lookUp);
  return { caller, resource: await readInCall(services, { caller, counts }, found.resource) };
}

/** With the RAGs as the caller may read them; `counts`: and counted for it. */
async function readInCall<Resource extends PublicRag | { rags: ListedRag[] }>(
  services: Services,
  { caller, counts }: { caller: Caller; counts: boolean },
  resource: Resource,
): Promise<Resource> {
  const { reads } = services;
  const known = await readFor(services, caller, ragsIn(resource));
  const rags = counts ? await Promise.all(known.map((rag) => countedFor(reads, rag))) : known;
  return "rags" in resource
    ? Object.assign({}, resource, { rags })
    : Object.assign({}, resource, rags[0]);
}

const ragsIn = (resource: PublicRag | { rags: ListedRag[] }): ListedRag[] =>
  "rags" in resource ? resource.rags : [resource];

const guard = <Guarded extends AppEnv, Resource extends PublicRag | { rags: ListedRag[] }>(
  name: "rag" | "inference" | "agent",
  lookUp: LookUp<Resource>,
) =>
  createMiddleware<Guarded>(async (context: Context, next) => {
    const { caller, resource } = await admit(context, lookUp);
    context.set("caller", caller);
    context.set(name, resource);
    await next();
  });

/** Before answers that tell what a resource is. */
export const guardRag = guard<RagEnv, PublicRag>("rag", ragNow);
export const guardInference = guard<InferenceEnv, PublicInference>("inference", inferenceNow);
export const guardAgent = guard<AgentEnv, PublicAgent>("agent", agentNow);

/** Before searches and runs: a caller who was looked up just now is not looked up again. */
export const guardSearch = guard<RagEnv, PublicRag>("rag", recentRag);
export const guardInferenceRun = guard<InferenceEnv, PublicInference>("inference", recentInference);
export const guardAgentRun = guard<AgentEnv, PublicAgent>("agent", recentAgent);

/** After a guard: refuses who may only run and search. @throws QuarryError `forbidden`. */
export const mayChange = createMiddleware<With<{ caller: Caller }>>(async (context, next) => {
  if (!context.get("caller").mayChange) throw forbidden();
  await next();
});
