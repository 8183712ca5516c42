import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { forbidden, notFound } from "../../core/errors.ts";
import {
  lookUpAgent,
  lookUpInference,
  lookUpRag,
  type Credential,
  type Lookup,
  type PublicAgent,
  type PublicInference,
  type PublicRag,
} from "../../db/access/principal-lookup.ts";
import type { Reads } from "../../db/client.ts";
import type { AppEnv } from "../app-env.ts";
import { callerFrom, credentialIn, type Caller } from "../caller.ts";

type With<Variables> = AppEnv & { Variables: AppEnv["Variables"] & Variables };
type RagEnv = With<{ caller: Caller; rag: PublicRag }>;
export type InferenceEnv = With<{ caller: Caller; inference: PublicInference }>;
type AgentEnv = With<{ caller: Caller; agent: PublicAgent }>;

/**
 * Checks credentials, existence and permission, in this order and in one round trip. It runs
 * before a route's validators, so that a caller without a token cannot learn the body's form.
 */
export async function admit<Resource>(
  context: Context,
  lookUp: (reads: Reads, credential: Credential, identifier: string) => Promise<Lookup<Resource>>,
  identifier = context.req.param("identifier") ?? "",
): Promise<{ caller: Caller; resource: Resource }> {
  const { req } = context;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by the app's first middleware
  const services = context.get("services") as AppEnv["Variables"]["services"];
  const credential = await credentialIn(services, req.raw);
  const { principal, found } = await lookUp(services.reads, credential, identifier);
  const caller = callerFrom(services, req.raw, principal);
  context.set("actor", caller.actor);
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  return { caller, resource: found.resource };
}

export const guardRag = createMiddleware<RagEnv>(async (context, next) => {
  const { caller, resource } = await admit(context, lookUpRag);
  context.set("caller", caller);
  context.set("rag", resource);
  await next();
});

export const guardInference = createMiddleware<InferenceEnv>(async (context, next) => {
  const { caller, resource } = await admit(context, lookUpInference);
  context.set("caller", caller);
  context.set("inference", resource);
  await next();
});

export const guardAgent = createMiddleware<AgentEnv>(async (context, next) => {
  const { caller, resource } = await admit(context, lookUpAgent);
  context.set("caller", caller);
  context.set("agent", resource);
  await next();
});

/**
 * Runs after a guard: refuses callers who may only run and search. @throws QuarryError
 * `forbidden`.
 */
export const mayChange = createMiddleware<With<{ caller: Caller }>>(async (context, next) => {
  if (!context.get("caller").mayChange) throw forbidden();
  await next();
});
