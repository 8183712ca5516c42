import {
  AuthorizationError,
  authorizationErrorRedirect,
  CimdFetchError,
  type AuthRequest,
  type ConsentDescription,
} from "@cloudflare/workers-oauth-provider";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";

import { appOfRedirect, normalizeResource } from "../../../access/programs/addresses.ts";
import { authorizationServer } from "../../../access/programs/authorization-server.ts";
import { connectProgram, type Program } from "../../../access/programs/connect-program.ts";
import { conflict, invalid } from "../../../core/errors.ts";
import { asId, newId, type TokenId } from "../../../core/ids.ts";
import { choicesByKind } from "../../../db/catalog/panel-lists.ts";
import { baseUrlOf } from "../../../http/client-address.ts";
import { auditPages } from "../../../http/middleware/audit.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { choicesIn, GROUPS, LongChoices } from "../../components/choice-fields.tsx";
import { Data, safeHref, Shortened, Hidden } from "../../components/data.tsx";
import { FormMessage, freshForm, type FormValues, type FormState } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { errorPage } from "../error-page.tsx";
import { barePage, isAdmin, leadingPage, type PageContext, type PageEnv } from "../page.tsx";
import { attempt, formOf } from "../request/form.ts";
import { setUpPage, requireTotp, requireOwnForms, requireSession } from "../request/guards.ts";

/** OAuth's authorization endpoint: whether a program may be connected, and to what. */
export function authorizePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.onError(errorPage);
  app.use(setUpPage, requireOwnForms, auditPages, registeredPrograms, requireSession, requireTotp);
  app.get("/", async (context) => {
    const request = await readConsentRequest(context, new URL(context.req.url).search);
    if (!request.isValid) return await refusedPage(context, request);
    return await consentPage(context, request, freshForm());
  });
  app.post("/", async (context) => {
    const form = await formOf(context);
    const request = await readConsentRequest(context, form.exact("query"));
    if (!request.isValid) return await refusedPage(context, request);
    if (form.text("answer") !== "allow") {
      return await leadingPage(context, "Not connected", request.denied);
    }
    const id = idIn(form);
    context.set("audit", { action: "tokens.connect", target: id });
    // A group may have no list to show its problem at: all stand above the form.
    const attempted = await attempt(form, [], () => connect(context, { id, form, asked: request }));
    if (!attempted.done) return await consentPage(context, request, attempted.state);
    return await leadingPage(context, "Connected", attempted.result);
  });
  return app;
}

/** A program whose registration has ended registers once more when it learns so by the status. */
const registeredPrograms = createMiddleware<PageEnv>(async (context, next) => {
  const id = context.req.query("client_id") ?? "";
  // An address is that of a document: none is fetched for people who are not signed in.
  const isGiven = context.req.method === "POST" || URL.canParse(id);
  if (isGiven || (await serverOf(context).helpers.lookupClient(id)) !== null) return await next();
  return await refusedPage(context, { problem: NOT_REGISTERED, back: null });
});

const NOT_REGISTERED =
  "No program is registered with this client_id. Connect it again from the program";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idIn(form: FormValues): TokenId {
  const id = form.text("id");
  if (!ID.test(id)) throw invalid("id is none that this page gave");
  return asId(id);
}

async function connect(
  context: PageContext,
  { id, form, asked: request }: { id: TokenId; form: FormValues; asked: ValidRequest },
): Promise<string> {
  const person = context.get("session");
  if (form.text("person") !== person.userId) {
    throw conflict("Somebody else is signed in now. Start again in the program to connect it.");
  }
  const choice = {
    rags: choicesIn(form, "rags"),
    inferences: choicesIn(form, "inferences"),
    agents: choicesIn(form, "agents"),
  };
  const connection = { id, person, program: request.program, choice };
  return await connectProgram(context.get("services"), serverOf(context), connection);
}

type ValidRequest = Extract<ConsentRequest, { isValid: true }>;

async function consentPage(context: PageContext, request: ValidRequest, state: FormState) {
  const { program, about } = request;
  return await barePage(
    context,
    { title: "Connect a program", status: state.status },
    <>
      <h1>
        Connect <Shortened text={program.name} />?
      </h1>
      <Facts
        facts={{
          Program: <Data>{program.name}</Data>,
          "Published by": about.publisher === null ? "unknown" : <Data>{about.publisher}</Data>,
          "Sends you to": <Data>{program.host}</Data>,
          "Acts for": <Data>{context.get("session").email}</Data>,
        }}
      />
      {about.warning === "" ? null : <p class="notice bad">{about.warning}</p>}
      {await answerForm(context, request, state)}
    </>,
  );
}

/** Offers what the person could use; nothing is chosen beforehand. */
async function answerForm(context: PageContext, { query }: ValidRequest, state: FormState) {
  const { db, now } = context.get("services");
  const admin = isAdmin(context);
  const choices = await choicesByKind(db, !admin);
  const groups = GROUPS.filter(({ kind }) => choices[kind].length > 0);
  return (
    <form method="post" action="/authorize" class="form">
      <FormMessage state={state} />
      <Hidden values={{ query, person: context.get("session").userId, id: newId(now()) }} />
      <p>
        {groups.length === 0
          ? emptyOfferText(admin)
          : "It may search, read and ask what you choose. It cannot change anything."}
      </p>
      {groups.map(({ kind, group, label }) => (
        <LongChoices {...{ state, group, label }} choices={choices[kind]} />
      ))}
      <p class="submit">
        {groups.length === 0 ? null : (
          <button class="btn primary" name="answer" value="allow">
            Allow
          </button>
        )}
        <button class="btn" name="answer" value="deny">
          Deny
        </button>
      </p>
    </form>
  );
}

const emptyOfferText = (admin: boolean) =>
  admin
    ? "There is nothing to connect to yet. Create a RAG first."
    : "No RAG, inference or agent is open to members yet. An administrator can open them in their settings.";

type ConsentRequest =
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

const serverOf = (context: PageContext) =>
  authorizationServer(context.get("services"), addressOf(context));

/** @throws QuarryError `unprocessable` where OAuth is not offered. */
async function readConsentRequest(context: PageContext, query: string): Promise<ConsentRequest> {
  const { helpers } = serverOf(context);
  try {
    const fields = normalizeResource(new URLSearchParams(query), addressOf(context));
    const url = `${addressOf(context)}/authorize?${fields.toString()}`;
    const request = await helpers.parseAuthRequest(new Request(url));
    const denied = authorizationErrorRedirect(request, "access_denied");
    if (request.codeChallenge === undefined) {
      const back = authorizationErrorRedirect(request, "invalid_request", NO_CHALLENGE);
      return { isValid: false, problem: NO_CHALLENGE, back };
    }
    if (await isRedirecting(context, request.clientId)) {
      return { isValid: false, problem: NO_DOCUMENT, back: null };
    }
    const app = appOfRedirect(request.redirectUri);
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
async function isRedirecting({ get }: PageContext, clientId: string): Promise<boolean> {
  if (!URL.canParse(clientId)) return false;
  const { ok } = await get("services").askIssuer(clientId, {});
  return !ok;
}

function programOf(request: AuthRequest, described: ConsentDescription): Program {
  const { clientName, clientDomain } = described;
  const host = appOfRedirect(request.redirectUri)?.name ?? described.redirectHost;
  const name = clientName.trim().slice(0, NAME_KEPT) || host;
  const isShared = clientDomain !== undefined && isLocal(described);
  return { request, name, host, isShared };
}

/** Whether the code stays on the person's device. */
const isLocal = ({ redirectUri, redirectIsLoopback }: ConsentDescription) =>
  redirectIsLoopback || appOfRedirect(redirectUri) !== null;

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
async function refusedPage(
  context: PageContext,
  { problem, back }: { problem: string; back: string | null },
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
