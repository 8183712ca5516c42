import { signInChoices } from "../../../access/openid/provider-settings.ts";
import { addressAfterSignIn } from "../../../access/sessions/address-after-sign-in.ts";
import { findSession, needsRecheck } from "../../../access/sessions/find-session.ts";
import { expiredSessionCookie, sessionCookie } from "../../../access/sessions/session-cookie.ts";
import { signOut } from "../../../access/sessions/sign-out.ts";
import { credentials } from "../../../access/totp/totp-input.ts";
import { QuarryError } from "../../../core/errors.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { countTry } from "../../api/request/guards.ts";
import { signInWithAudit } from "../../api/session.ts";
import { showHidden } from "../../components/data.tsx";
import { TextField, field } from "../../components/form.tsx";
import { formFrom, freshForm, type FormValues, type FormState } from "../../components/form.tsx";
import { barePage, isSecure, type PageContext, type Pages } from "../page.tsx";
import { attempt, formOf, omitBlank, STRANGERS_LIMIT_BYTES } from "../request/form.ts";
import { openFlows, promptIn, setPrompt, setTheme } from "../request/page-cookies.ts";

const FIELDS = ["email", "password", "code"];
const FORBIDDEN = 403;
const NOTHING_TYPED = formFrom(new URLSearchParams());

export function sessionPages(pages: Pages): void {
  pages.get("/sign-in", async (context) => {
    const services = context.get("services");
    const secure = isSecure(context);
    const next = addressAfterSignIn(context.req.query("next"));
    const session = await findSession(services, context.req.header("Cookie") ?? null, secure);
    if (session !== null) return context.redirect(next, 303);
    if (await needsProviderCheck(context)) return context.redirect(openidAddress(next), 303);
    return await signInPage(context, freshForm(), next);
  });

  pages.receive("/sign-in", signInByForm, "anybody");

  const leave = async (context: PageContext) => {
    const services = context.get("services");
    const secure = isSecure(context);
    const cookies = context.req.header("Cookie") ?? null;
    const session = await findSession(services, cookies, secure);
    // Without a session nothing happens, and there is nothing to record.
    if (session !== null) {
      context.set("audit", { action: "session.sign-out" });
      context.set("actor", { kind: "user", id: session.userId, name: session.email });
      await signOut(services, cookies, secure);
      if (session.isVouched) setPrompt(context, "select_account");
    }
    context.header("Set-Cookie", expiredSessionCookie(secure), { append: true });
    return context.redirect("/panel/sign-in", 303);
  };
  pages.receive("/sign-out", leave, "anybody");

  const chooseTheme = async (context: PageContext) => {
    setTheme(context, (await formOf(context, STRANGERS_LIMIT_BYTES)).text("theme"));
    return context.redirect(addressAfterSignIn(pathOf(context.req.header("Referer"))), 303);
  };
  pages.receive("/theme", chooseTheme, "anybody");
}

async function signInByForm(context: PageContext): Promise<Response> {
  // Counted before anything is read, so that a flood of sign-ins is refused unread.
  const counting = await attempt(NOTHING_TYPED, FIELDS, () => countTry(context), context);
  if (!counting.done) {
    return await signInPage(context, counting.state, addressAfterSignIn(undefined));
  }
  const form = await formOf(context, STRANGERS_LIMIT_BYTES);
  const next = addressAfterSignIn(form.text("next"));
  const attempted = await attempt(form, FIELDS, () => submitCredentials(context, form), context);
  if (!attempted.done) return await signInPage(context, attempted.state, next);
  context.header("Set-Cookie", sessionCookie(attempted.result, isSecure(context)));
  return context.redirect(next, 303);
}

/** Returns the new session's secret. */
async function submitCredentials(context: PageContext, form: FormValues): Promise<string> {
  context.set("audit", { action: "session.sign-in" });
  const input = parseOrRefuse(credentials, {
    email: form.text("email"),
    password: form.exact("password"),
    code: omitBlank(form.text("code")),
  });
  try {
    return (await signInWithAudit(context, input)).secret;
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** The API's "Unauthorized", in words for people. */
function refusal(thrown: unknown): unknown {
  if (!(thrown instanceof QuarryError) || thrown.kind !== "unauthorized") return thrown;
  if (thrown.code === "code-refused") {
    const fields = [{ field: "code", problem: "is wrong, or was used already" }];
    return new QuarryError("unauthorized", "code is wrong, or was used already", { fields });
  }
  if (thrown.code === "code-required") {
    return new QuarryError("unauthorized", ASKS_CODE, { code: "code-required" });
  }
  return new QuarryError("unauthorized", "The e-mail address or the password is wrong.");
}

const ASKS_CODE = "Enter the code of your authenticator app as well, or a recovery code.";

/** Only after the password proved right: to others the page reveals nothing of a second factor. */
const needsCode = (state: FormState) =>
  state.code === "code-required" || state.problem("code") !== null;

function pathOf(referrer: string | undefined): string | undefined {
  if (referrer === undefined || !URL.canParse(referrer)) return undefined;
  const { pathname, search } = new URL(referrer);
  return pathname + search;
}

/**
 * Whether the person is signed in, but the provider's answer has expired. Where the
 * provider did not send them back, or they opened this page by hand, they choose how to sign in.
 */
async function needsProviderCheck(context: PageContext): Promise<boolean> {
  const services = context.get("services");
  const secure = isSecure(context);
  const cookies = context.req.header("Cookie") ?? null;
  if (context.req.query("next") === undefined || openFlows(context).length > 0) return false;
  const { provider } = await signInChoices(services);
  return provider !== null && (await needsRecheck(services, cookies, secure));
}

const openidAddress = (next: string) => `/panel/sign-in/openid?next=${encodeURIComponent(next)}`;

export async function signInPage(context: PageContext, state: FormState, next: string) {
  const { status, message } = state;
  const { provider, passwords } = await signInChoices(context.get("services"));
  const mayBeThere = status === FORBIDDEN || promptIn(context) !== undefined;
  return await barePage(
    context,
    { title: "Sign in", status },
    <>
      <h1>Sign in</h1>
      {message === null ? null : (
        <p class={state.code === "code-required" ? "notice" : "notice bad"} role="alert">
          {message}
        </p>
      )}
      {provider === null ? null : (
        <p class="submit">
          <a class="btn primary" href={openidAddress(next)}>
            Continue with {showHidden(provider)}
          </a>
        </p>
      )}
      {provider === null || !mayBeThere ? null : (
        <p class="soft">
          You are signed out here, but perhaps not at {showHidden(provider)}. It will ask for the
          account, or you can <a href="/panel/sign-in/openid/end">sign out there</a>.
        </p>
      )}
      {provider !== null && passwords ? <p class="soft">Or with a password:</p> : null}
      {passwords ? <PasswordForm {...{ state, next }} isFirst={provider === null} /> : null}
    </>,
  );
}

type PasswordProps = { state: FormState; next: string; isFirst: boolean };

const PasswordForm = ({ state, next, isFirst }: PasswordProps) => {
  const asksCode = needsCode(state);
  return (
    <form method="post" action="/panel/sign-in" class="form">
      <input type="hidden" name="next" value={next} />
      <TextField
        {...field(state, "email", "E-mail")}
        type="text"
        autocomplete="username"
        required
        autofocus={isFirst && !asksCode}
      />
      <TextField
        {...field(state, "password", "Password")}
        type="password"
        autocomplete="current-password"
        keepsPassword={asksCode}
        required
      />
      {asksCode ? (
        <TextField
          {...field(state, "code", "Code")}
          autocomplete="one-time-code"
          required
          autofocus
          hint="Six digits of the app, or a recovery code."
        />
      ) : null}
      <p class="submit">
        <button class={isFirst ? "btn primary" : "btn"}>Sign in</button>
      </p>
    </form>
  );
};
