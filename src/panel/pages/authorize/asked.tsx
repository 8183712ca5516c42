import {
  AuthorizationError,
  authorizationErrorRedirect,
  CimdFetchError,
  type AuthRequest,
  type ConsentDescription,
} from "@cloudflare/workers-oauth-provider";

import { appBehind } from "../../../access/programs/addresses.ts";
import { authorizationServer } from "../../../access/programs/authorization-server.ts";
import type { Program } from "../../../access/programs/connect-program.ts";
import { baseUrlOf } from "../../../http/base-url.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { safeHref } from "../../components/data.tsx";
import { barePage, type PageContext } from "../page.tsx";

export type Asked =
  | {
      isValid: true;
      program: Program;
      about: { publisher: string | null; warning: string };
      /** The request as it came, to be checked again with the answer. */
      query: string;
      /** Where "Deny" leads. */
      denied: string;
    }
  /** `back`: tells the program of the refusal; null: nobody can tell whose program it is. */
  | { isValid: false; problem: string; back: string | null };

const addressOf = ({ get, req }: PageContext) => baseUrlOf(get("services").config, req.raw);

export const serverOf = (context: PageContext) =>
  authorizationServer(context.get("services"), addressOf(context));

/** @throws QuarryError `unprocessable` where OAuth is not offered. */
export async function askedIn(context: PageContext, query: string): Promise<Asked> {
  const { helpers } = serverOf(context);
  try {
    const url = `${addressOf(context)}/authorize${query}`;
    const request = await helpers.parseAuthRequest(new Request(url));
    const denied = authorizationErrorRedirect(request, "access_denied");
    if (request.codeChallenge === undefined) {
      const back = authorizationErrorRedirect(request, "invalid_request", NO_CHALLENGE);
      return { isValid: false, problem: NO_CHALLENGE, back };
    }
    if (await isElsewhere(context, request.clientId)) {
      return { isValid: false, problem: NO_DOCUMENT, back: null };
    }
    const app = appBehind(request.redirectUri);
    if (app?.isAccepted === false) return { isValid: false, problem: UNKNOWN_APP, back: null };
    const described = await helpers.describeConsent(request);
    const [program, about] = [programOf(request, described), aboutOf(described)];
    return { isValid: true, program, about, query, denied };
  } catch (thrown) {
    if (thrown instanceof AuthorizationError) {
      return { isValid: false, problem: thrown.description, back: thrown.redirectTo ?? null };
    }
    const isOfDocument = thrown instanceof CimdFetchError || thrown instanceof SourceFailure;
    if (!isOfDocument) throw thrown;
    return { isValid: false, problem: NO_DOCUMENT, back: null };
  }
}

const NO_CHALLENGE = "The program sent no code challenge: PKCE with S256 is required";
const UNKNOWN_APP =
  "It would send you to an app that anybody could have made: its address has no domain";
const NO_DOCUMENT = "The document that describes the program could not be read";
const NAME_KEPT = 200;

/**
 * The library follows redirects to a program's document: a site that sends people anywhere would
 * lend its name to any program.
 * @throws SourceFailure
 */
async function isElsewhere({ get }: PageContext, clientId: string): Promise<boolean> {
  if (!URL.canParse(clientId)) return false;
  const { ok } = await get("services").askIssuer(clientId, {});
  return !ok;
}

function programOf(request: AuthRequest, described: ConsentDescription): Program {
  const { clientName, clientDomain } = described;
  const host = appBehind(request.redirectUri)?.name ?? described.redirectHost;
  const name = clientName.trim().slice(0, NAME_KEPT) || host;
  const isShared = clientDomain !== undefined && isLocal(described);
  return { request, name, host, isShared };
}

/** Whether the code stays on the person's device. */
const isLocal = ({ redirectUri, redirectIsLoopback }: ConsentDescription) =>
  redirectIsLoopback || appBehind(redirectUri) !== null;

function aboutOf(described: ConsentDescription) {
  const { clientDomain } = described;
  const warnings = [
    ...(clientDomain === undefined
      ? ["The program chose its own name. Nobody has verified it."]
      : []),
    ...(isLocal(described)
      ? ["It runs on your computer. Allow it only if you have just begun to connect it there."]
      : []),
  ];
  return { publisher: clientDomain ?? null, warning: warnings.join(" ") };
}

/** Nothing leads to an address of a program by itself: it may have been made up for that. */
export async function refusedPage(
  context: PageContext,
  { problem, back }: Extract<Asked, { isValid: false }>,
): Promise<Response> {
  const address = safeHref(back);
  return await barePage(
    context,
    { title: "Not connected", status: 400 },
    <>
      <h1>The program cannot be connected.</h1>
      <p>{problem.replace(/\.$/, "")}.</p>
      <p>{address === null ? null : <a href={address}>Back to {new URL(address).host}</a>}</p>
    </>,
  );
}
