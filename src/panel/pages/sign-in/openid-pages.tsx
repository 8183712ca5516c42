import type { SignedInUser } from "../../../access/openid/find-person.ts";
import type { SignIn } from "../../../access/openid/finish-sign-in.ts";
import { findLinkedAdmin, useAdminLink } from "../../../access/openid/use-admin-link.ts";
import { addressAfterSignIn } from "../../../access/sessions/address-after-sign-in.ts";
import { findSession } from "../../../access/sessions/find-session.ts";
import { sessionCookie } from "../../../access/sessions/session-cookie.ts";
import { QuarryError, plainMessage } from "../../../core/errors.ts";
import { baseUrlOf, originOf } from "../../../http/client-address.ts";
import { answerAndLog } from "../../../http/errors.ts";
import { countTry, sessionHashOf } from "../../api/request/guards.ts";
import { Data } from "../../components/data.tsx";
import { freshForm } from "../../components/form.tsx";
import { barePage, isSecure, leadingPage, type PageContext, type Pages } from "../page.tsx";
import { formOf, STRANGERS_LIMIT_BYTES } from "../request/form.ts";
import { reloadFromOwnSite } from "../request/guards.ts";
import { forgetPrompt, keepFlow, promptIn, setPrompt, takeFlow } from "../request/page-cookies.ts";
import { signInPage } from "./sign-in.tsx";

const START = "/panel";

/** Where the provider sends people back to. */
export const redirectUriOf = ({ get, req }: PageContext) =>
  `${baseUrlOf(get("services").config, req.raw)}/panel/sign-in/openid/callback`;

/** Addresses of these pages hold a code: what the pages lead to must not see it. */
export const hideAddress = (context: PageContext) =>
  context.header("Referrer-Policy", "strict-origin");

export function openidPages(pages: Pages): void {
  pages.get("/sign-in/openid", async (context) => {
    const next = addressAfterSignIn(context.req.query("next"));
    const { beginSignIn } = await import("../../../access/openid/begin-sign-in.ts");
    return await countAndTry(context, next, async () => {
      const request = { redirectUri: redirectUriOf(context), prompt: promptIn(context), next };
      const beginning = beginSignIn(context.get("services"), request);
      // A provider may know no select_account and refuse it, a pushed request at once: the next
      // try asks otherwise. One that is down has refused nothing.
      const isDown = await beginning.then(() => false, isUnprocessable);
      if (request.prompt !== undefined && !isDown) setPrompt(context, "login");
      const { address, ...flow } = await beginning;
      await keepFlow(context, flow);
      return context.redirect(address, 303);
    });
  });

  pages.get("/sign-in/openid/end", async (context) => {
    const { endSessionAddress } = await import("../../../access/openid/begin-sign-in.ts");
    return await countAndTry(context, START, async () =>
      context.redirect(await endSessionAddress(context.get("services")), 303),
    );
  });

  pages.get("/sign-in/openid/callback", async (context) => {
    hideAddress(context);
    const first = reloadFromOwnSite(context);
    if (first !== null) return first;
    return await showRefusal(context, START, async () => {
      const entered = await finishFlow(context);
      if (entered === null) return context.redirect(START, 303);
      const { next, ...signedIn } = entered;
      return await startSession(context, signedIn, next);
    });
  });
  addLinkPages(pages);
}

const isUnprocessable = (thrown: unknown) =>
  thrown instanceof QuarryError && thrown.kind === "unprocessable";

/** Null: the answer is no good (sent again, or of an older tab), but the person is signed in. */
async function finishFlow(context: PageContext): Promise<SignIn | null> {
  const { finishSignIn } = await import("../../../access/openid/finish-sign-in.ts");
  const { raw, url } = context.req;
  const returned = new URL(url).searchParams;
  const flow = (await takeFlow(context, returned.get("state") ?? "")) ?? null;
  const services = context.get("services");
  const origin = originOf(services.config, raw);
  const replaces = await sessionHashOf(context);
  const answer = { kept: flow, returned, redirectUri: redirectUriOf(context), origin, replaces };
  try {
    const signedIn = await finishSignIn(services, answer);
    const { user, changes } = signedIn;
    context.set("audit", { action: "session.openid", target: user.email, changes });
    return signedIn;
  } catch (thrown) {
    await refuse(context, thrown);
    return null;
  }
}

/** @throws what was thrown, but for somebody who is signed in already */
async function refuse(context: PageContext, thrown: unknown): Promise<void> {
  if (!(thrown instanceof QuarryError)) throw thrown;
  const { RefusedPerson } = await import("../../../access/openid/finish-sign-in.ts");
  const isRefused = thrown instanceof RefusedPerson;
  const cookies = context.req.header("Cookie") ?? null;
  const session = await findSession(context.get("services"), cookies, isSecure(context));
  if (session !== null && !isRefused) return;
  if (isRefused) setPrompt(context, "select_account");
  // Anybody can send an answer to no beginning: there would be no end to recording them.
  const isOfNobody = ["invalid", "not-found"].includes(thrown.kind);
  const email = (isRefused ? thrown.email : null) ?? "unknown";
  const { cause: reason } = thrown;
  const target = typeof reason === "string" ? `${email}: ${reason}` : email;
  if (!isOfNobody) context.set("audit", { action: "session.openid", target });
  throw thrown;
}

/** An administrator's link is used by a button: what opens links to preview them uses none up. */
function addLinkPages(pages: Pages): void {
  pages.get("/sign-in/link", async (context) => {
    hideAddress(context);
    return await countAndTry(context, START, async () => {
      const code = context.req.query("code") ?? "";
      const admin = await findLinkedAdmin(context.get("services"), code);
      return await linkPage(context, code, admin);
    });
  });

  const useLink = async (context: PageContext) => {
    hideAddress(context);
    return await countAndTry(context, START, async () => {
      context.set("audit", { action: "session.admin-link", target: "unknown" });
      const code = (await formOf(context, STRANGERS_LIMIT_BYTES)).text("code");
      const services = context.get("services");
      const origin = originOf(services.config, context.req.raw);
      return await startSession(context, await useAdminLink(services, { code, origin }), START);
    });
  };
  pages.receive("/sign-in/link", useLink, "anybody");
}

const linkPage = (context: PageContext, code: string, { email }: SignedInUser) =>
  barePage(
    context,
    { title: "Sign in with a link" },
    <>
      <h1>Sign in with a link</h1>
      <p>
        This link signs you in as <Data>{email}</Data>, once, for an hour.
      </p>
      <form method="post" action="/panel/sign-in/link">
        <input type="hidden" name="code" value={code} />
        <p class="submit">
          <button class="btn primary">Sign in</button>
        </p>
      </form>
    </>,
  );

/** Sets the session's cookie and leads on. */
export async function startSession(
  context: PageContext,
  { user, secret }: { user: SignedInUser; secret: string },
  next: string,
): Promise<Response> {
  context.set("actor", { kind: "user", id: user.id, name: user.email });
  context.header("Set-Cookie", sessionCookie(secret, isSecure(context)), { append: true });
  forgetPrompt(context);
  return await leadingPage(context, "Signed in", next);
}

/** One of the tries that a client has; what is refused, also for their number, is said to people. */
export const countAndTry = (context: PageContext, next: string, work: () => Promise<Response>) =>
  showRefusal(context, next, async () => {
    await countTry(context);
    return await work();
  });

/** A refusal, in words for people, on the page where they can try again. */
async function showRefusal(context: PageContext, next: string, work: () => Promise<Response>) {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof QuarryError)) throw thrown;
    const { status } = answerAndLog(thrown, context);
    const message = plainMessage(thrown);
    return await signInPage(context, { ...freshForm(), status, message }, next);
  }
}
