import { Hono } from "hono";

import { connectProgram, type Program } from "../../../access/programs/connect-program.ts";
import { conflict, invalid } from "../../../core/errors.ts";
import { asId, newId, type TokenId } from "../../../core/ids.ts";
import { choicesByKind } from "../../../db/catalog/panel-lists.ts";
import { auditedPages } from "../../../http/middleware/audit.ts";
import { Data, Shortened } from "../../components/data.tsx";
import { FormMessage, Hidden } from "../../components/form.tsx";
import { chosenIn, GROUPS, LongChoices } from "../../components/choice-fields.tsx";
import { Facts } from "../../components/page-head.tsx";
import { errorPage } from "../error-page.tsx";
import { barePage, isAdmin, type PageContext, type PageEnv } from "../page.tsx";
import { auditAs, attempt, formOf, freshForm, type Form, type FormState } from "../request/form.ts";
import { asPage, enrolledPage, ownForms, policy, signedInPage } from "../request/guards.ts";
import { askedIn, refusedPage, serverOf, type Asked } from "./asked.tsx";

/** OAuth's authorization endpoint: whether a program may be connected, and to what. */
export function authorizePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.onError(errorPage);
  app.use(asPage, ownForms, auditedPages, signedInPage, enrolledPage);
  app.get("/", async (context) => {
    const asked = await askedIn(context, new URL(context.req.url).search);
    if (!asked.isValid) return await refusedPage(context, asked);
    return await consentPage(context, asked, freshForm());
  });
  app.post("/", async (context) => {
    const form = await formOf(context);
    const asked = await askedIn(context, form.exact("query"));
    if (!asked.isValid) return await refusedPage(context, asked);
    if (form.text("answer") !== "allow") return context.redirect(asked.denied, 303);
    const id = idIn(form);
    auditAs(context, "tokens.connect", id);
    // A group may have no list to show its problem at: all stand above the form.
    const tried = await attempt(form, [], () => connect(context, { id, form, asked }));
    if (!tried.done) return await consentPage(context, asked, tried.state);
    allowLeadingTo(context, asked.program);
    return context.redirect(tried.result, 303);
  });
  return app;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idIn(form: Form): TokenId {
  const id = form.text("id");
  if (!ID.test(id)) throw invalid("id is none that this page gave");
  return asId(id);
}

type Answer = { id: TokenId; form: Form; asked: Valid };

async function connect(context: PageContext, { id, form, asked }: Answer): Promise<string> {
  const person = context.get("session");
  if (form.text("person") !== person.userId) {
    throw conflict("Somebody else is signed in now. Start again in the program to connect it.");
  }
  const chosen = {
    rags: chosenIn(form, "rags"),
    inferences: chosenIn(form, "inferences"),
    agents: chosenIn(form, "agents"),
  };
  const { program } = asked;
  const server = serverOf(context);
  return await connectProgram(context.get("services"), server, { id, person, program, chosen });
}

/** Browsers follow the answer to a form only to where the page's policy allows. */
function allowLeadingTo(context: PageContext, { request }: Program): void {
  const { origin, protocol, hostname } = new URL(request.redirectUri);
  // Policies cannot name an app or an IPv6 address, and end a rule at some characters of hosts.
  const isNameable = origin !== "null" && /^[\w.-]+$/.test(hostname);
  context.header("Content-Security-Policy", policy(isNameable ? origin : protocol));
}

type Valid = Extract<Asked, { isValid: true }>;

async function consentPage(
  context: PageContext,
  asked: Valid,
  state: FormState,
): Promise<Response> {
  const { program, about } = asked;
  allowLeadingTo(context, program);
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
      {await answerForm(context, asked, state)}
    </>,
  );
}

/** Offers what the person could use; nothing is chosen beforehand. */
async function answerForm(context: PageContext, { query }: Valid, state: FormState) {
  const { db, now } = context.get("services");
  const admin = isAdmin(context);
  const choices = await choicesByKind(db, !admin);
  const offered = GROUPS.filter(({ kind }) => choices[kind].length > 0);
  return (
    <form method="post" action="/authorize" class="form">
      <FormMessage state={state} />
      <Hidden values={{ query, person: context.get("session").userId, id: newId(now()) }} />
      <p>
        {offered.length === 0
          ? nothingOffered(admin)
          : "It may search, read and ask what you choose. It cannot change anything."}
      </p>
      {offered.map(({ kind, group, label }) => (
        <LongChoices {...{ state, group, label }} choices={choices[kind]} />
      ))}
      <p class="submit">
        {offered.length === 0 ? null : (
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

const nothingOffered = (admin: boolean) =>
  admin
    ? "There is nothing to connect to yet. Create a RAG first."
    : "No RAG, inference or agent is open to members yet. An administrator can open them in their settings.";
