import type { Finished } from "../../../access/openid/finish-sign-in.ts";
import { linkedAdmin, useAdminLink } from "../../../access/openid/use-admin-link.ts";
import type { SignedInUser } from "../../../access/openid/find-person.ts";
import { addressAfterSignIn } from "../../../access/sessions/address-after-sign-in.ts";
import { flowCookie, flowIn, sessionCookie } from "../../../access/sessions/session-cookie.ts";
import { QuarryError, toldToPeople } from "../../../core/errors.ts";
import { baseUrlOf } from "../../../http/base-url.ts";
import { originOf } from "../../../http/client-address.ts";
import { answerAndLog } from "../../../http/errors.ts";
import { countTry, sessionHashOf } from "../../api/request/guards.ts";
import { Data } from "../../components/data.tsx";
import { barePage, isSecure, type PageContext, type Pages } from "../page.tsx";
import { auditAs, formOf, freshForm, STRANGERS_LIMIT_BYTES } from "../request/form.ts";
import { signInPage } from "./sign-in.tsx";

const START = "/panel";

/** Where the provider sends people back to. */
export const redirectUriOf = ({ get, req }: PageContext) =>
  `${baseUrlOf(get("services").config, req.raw)}/panel/sign-in/openid/callback`;

/** Addresses of these pages hold a code: what the pages lead to must not see it. */
const hideAddress = (context: PageContext) => context.header("Referrer-Policy", "strict-origin");

export function openidPages(pages: Pages): void {
  pages.get("/sign-in/openid", async (context) => {
    const next = addressAfterSignIn(context.req.query("next"));
    const { beginSignIn } = await import("../../../access/openid/begin-sign-in.ts");
    return await orSignInPage(context, next, async () => {
      await countTry(context);
      const replaces = await sessionHashOf(context);
      const of = { redirectUri: redirectUriOf(context), next, replaces };
      const { address, kept } = await beginSignIn(context.get("services"), of);
      context.header("Set-Cookie", flowCookie(kept, isSecure(context)));
      return context.redirect(address, 303);
    });
  });

  pages.get("/sign-in/openid/callback", async (context) => {
    hideAddress(context);
    return await orSignInPage(context, START, async () => {
      const { next, ...signedIn } = await finished(context);
      return await enter(context, signedIn, next);
    });
  });
  addLinkPages(pages);
}

async function finished(context: PageContext): Promise<Finished> {
  const kept = flowIn(context.req.header("Cookie") ?? null, isSecure(context));
  context.header("Set-Cookie", flowCookie("", isSecure(context)), { append: true });
  const { finishSignIn, RefusedPerson } = await import("../../../access/openid/finish-sign-in.ts");
  const { raw, url } = context.req;
  const returned = new URL(url).searchParams;
  const origin = originOf(context.get("services").config, raw);
  const of = { kept, returned, redirectUri: redirectUriOf(context), origin };
  try {
    const found = await finishSignIn(context.get("services"), of);
    auditAs(context, "session.openid", found.user.email);
    context.set("auditFields", found.changes);
    return found;
  } catch (thrown) {
    const email = thrown instanceof RefusedPerson ? thrown.email : null;
    // Anybody can send an answer to no beginning: there would be no end to recording them.
    const isOfNobody =
      thrown instanceof QuarryError && ["invalid", "not-found"].includes(thrown.kind);
    if (!isOfNobody) auditAs(context, "session.openid", email ?? "unknown");
    throw thrown;
  }
}

/** An administrator's link is used by a button: what opens links to preview them uses none up. */
function addLinkPages(pages: Pages): void {
  pages.get("/sign-in/link", async (context) => {
    hideAddress(context);
    return await orSignInPage(context, START, async () => {
      await countTry(context);
      const code = context.req.query("code") ?? "";
      const admin = await linkedAdmin(context.get("services"), code);
      return await linkPage(context, code, admin);
    });
  });

  pages.post("/sign-in/link", async (context) => {
    hideAddress(context);
    return await orSignInPage(context, START, async () => {
      await countTry(context);
      auditAs(context, "session.admin-link", "unknown");
      const code = (await formOf(context, STRANGERS_LIMIT_BYTES)).text("code");
      const services = context.get("services");
      const origin = originOf(services.config, context.req.raw);
      const used = await useAdminLink(services, { code, origin });
      return await enter(context, used, START);
    });
  });
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

/**
 * The page after a sign-in. It leads on by itself: a redirect would still come from the provider's
 * site, and the session's cookie, which is SameSite=Strict, would not go along.
 */
async function enter(
  context: PageContext,
  { user, secret }: { user: SignedInUser; secret: string },
  next: string,
): Promise<Response> {
  context.set("actor", { kind: "user", id: user.id, name: user.email });
  context.header("Set-Cookie", sessionCookie(secret, isSecure(context)), { append: true });
  context.header("Refresh", `0;url=${next}`);
  return await barePage(
    context,
    { title: "Signed in" },
    <>
      <h1>Signed in</h1>
      <p>
        <a class="btn primary" href={next}>
          Continue
        </a>
      </p>
    </>,
  );
}

/** A refusal, in words for people, on the page where they can try again. */
async function orSignInPage(context: PageContext, next: string, work: () => Promise<Response>) {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof QuarryError)) throw thrown;
    const { status } = answerAndLog(thrown, context);
    const message = toldToPeople(thrown);
    return await signInPage(context, { ...freshForm(), status, message }, next);
  }
}
