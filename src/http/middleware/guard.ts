import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { recountRag, maySeeScopes } from "../../access/readers.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import type { PublicAgent, PublicInference, PublicRag } from "../../db/access/principal-lookup.ts";
import type { RecentLookup } from "../../db/access/recent-lookups.ts";
import type { ListedRag } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { callerFrom, credentialIn, type Caller } from "../caller.ts";
import { ragsForReader } from "../rags-for-reader.ts";

type Resources = { rag: PublicRag; inference: PublicInference; agent: PublicAgent };
type With<Variables> = AppEnv & { Variables: AppEnv["Variables"] & { caller: Caller } & Variables };
export type InferenceEnv = With<Pick<Resources, "inference">>;

/** As a resource is now or, before a search or run, which show no counts, as it was seconds ago. */
type When = "now" | "recent";

/**
 * Checks credentials, existence and permission, in this order and in one round trip. It runs
 * before a route's validators, so that a caller without a token cannot learn the body's form.
 */
export async function admit<Kind extends keyof Resources>(
  context: Context,
  kind: Kind,
  when: When,
  identifier = context.req.param("identifier") ?? "",
): Promise<{ caller: Caller; resource: Resources[Kind] }> {
  const { req } = context;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by the app's first middleware
  const services = context.get("services") as AppEnv["Variables"]["services"];
  const credential = await credentialIn(services, req.raw);
  const lookUps: { [Of in keyof Resources]: RecentLookup<Resources[Of]> } = services.recentLookups;
  const { principal, found } = await lookUps[kind].find(services, credential, identifier, when);
  const caller = callerFrom(services, req.raw, principal);
  context.set("actor", caller.actor);
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  const counts = when === "now";
  return {
    caller,
    resource: await resourceForReader(services, { caller, counts }, found.resource),
  };
}

/** The resource with its RAGs as the caller may read them; `counts`: counted for the caller. */
async function resourceForReader<Resource extends PublicRag | { rags: ListedRag[] }>(
  services: Services,
  { caller, counts }: { caller: Caller; counts: boolean },
  resource: Resource,
): Promise<Resource> {
  const { reads } = services;
  const readable = await ragsForReader(services, caller, ragsIn(resource));
  const rags = counts ? await Promise.all(readable.map((rag) => recountRag(reads, rag))) : readable;
  return "rags" in resource
    ? Object.assign({}, resource, { rags })
    : Object.assign({}, resource, rags[0]);
}

const ragsIn = (resource: PublicRag | { rags: ListedRag[] }): ListedRag[] =>
  "rags" in resource ? resource.rags : [resource];

const guard = <Kind extends keyof Resources>(kind: Kind, when: When) =>
  createMiddleware<With<Pick<Resources, Kind>>>(async (context: Context, next) => {
    const { caller, resource } = await admit(context, kind, when);
    context.set("caller", caller);
    context.set(kind, resource);
    await next();
  });

/** Before answers that show a resource. */
export const guardRag = guard("rag", "now");
export const guardInference = guard("inference", "now");
export const guardAgent = guard("agent", "now");
/** Before searches and runs: a caller who was looked up just now is not looked up again. */
export const guardSearch = guard("rag", "recent");
export const guardInferenceRun = guard("inference", "recent");
export const guardAgentRun = guard("agent", "recent");

/**
 * After `guardRag`: refuses who may only run and search, and a call for a reader, who would learn
 * what the scopes name. @throws QuarryError `forbidden`.
 */
export const mayChangeScopes = createMiddleware<With<{ rag: PublicRag }>>(async (context, next) => {
  const { caller, rag } = context.var;
  if (!caller.mayChange || !maySeeScopes(rag, true)) throw forbidden();
  await next();
});
