import { Hono } from "hono";

import { sessionHashIn } from "../../../access/sessions/session-cookie.ts";
import { beginTotp, confirmEnrolment, pendingTotp } from "../../../access/totp/enrol-totp.ts";
import { removeOwnTotp } from "../../../access/totp/remove-totp.ts";
import { forbidden } from "../../../core/errors.ts";
import { isHttps } from "../../../http/base-url.ts";
import { addressOf } from "../../../http/client-address.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { confirmation, proof } from "../../../access/totp/totp-input.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { ActionButton, Form, TextField } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QrCode } from "../../components/qr-code.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, typed, type FormState } from "../request/form.ts";
import { countTry } from "../request/guards.ts";

const HERE = "/panel/account/second-factor";

/** One's own second factor: beginning, confirming, removing. */
export function secondFactorPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/", async (context) => await secondFactorPage(context, freshForm()));

  app.post("/", async (context) => {
    const session = auditedSession(context, "session.totp.enrol");
    await beginTotp(context.get("services"), session);
    return redirectWithNotice(context, HERE);
  });

  app.post("/confirm", async (context) => {
    const { userId } = auditedSession(context, "session.totp.confirm");
    const services = context.get("services");
    const form = await formOf(context);
    const tried = await attempt(form, ["code"], async () => {
      await countTry(context);
      const { code } = parseOrRefuse(confirmation, { code: form.text("code") });
      const sessionHash = await sessionHashOf(context);
      return await confirmEnrolment(services, { userId, sessionHash, code });
    });
    if (!tried.done) return await secondFactorPage(context, tried.state);
    const value = tried.result.recoveryCodes.join("\n");
    const label = "Recovery codes: each replaces a code of the app, once.";
    const notice = "The second factor is on. Your other sessions have ended.";
    return redirectWithNotice(context, HERE, { notice, secret: { label, value } });
  });

  app.post("/remove", async (context) => {
    const { userId } = auditedSession(context, "session.totp.remove");
    const form = await formOf(context);
    const tried = await attempt(form, ["code", "password"], async () => {
      await countTry(context);
      const sent = { code: typed(form.text("code")), password: typed(form.exact("password")) };
      const address = addressOf(context.req.raw.headers);
      const given = parseOrRefuse(proof, sent);
      await removeOwnTotp(context.get("services"), { userId, address, ...given });
    });
    if (!tried.done) return await secondFactorPage(context, tried.state);
    return redirectWithNotice(context, "/panel/account", { notice: "The second factor is off." });
  });
  return app;
}

function auditedSession(context: PageContext, action: string) {
  const session = context.get("session");
  auditAs(context, action, session.email);
  return session;
}

/** @throws QuarryError `forbidden` when the session's cookie is not there any more. */
export async function sessionHashOf(context: PageContext): Promise<string> {
  const secure = isHttps(context.get("services").config, context.req.raw);
  const hash = await sessionHashIn(context.req.header("Cookie") ?? null, secure);
  if (hash === null) throw forbidden();
  return hash;
}

async function secondFactorPage(context: PageContext, state: FormState): Promise<Response> {
  const services = context.get("services");
  const session = context.get("session");
  const pending = session.hasTotp ? null : await pendingTotp(services, session);
  const isRequired = services.config.REQUIRE_TOTP;
  const content = (
    <>
      <PageHead
        title="Second factor"
        trail={isRequired && !session.hasTotp ? [] : [{ name: "Account", href: "/panel/account" }]}
        sub="A code of an authenticator app, in addition to the password at every sign-in."
      />
      {session.hasTotp ? <Removing state={state} /> : null}
      {!session.hasTotp && isRequired ? (
        <p class="notice warn">This service requires one: enrol it to go on.</p>
      ) : null}
      {pending === null && !session.hasTotp ? (
        <ActionButton action={HERE} label="Begin" kind="primary" />
      ) : null}
      {pending === null ? null : <Confirming {...pending} state={state} />}
    </>
  );
  return await page(
    context,
    { title: "Second factor", place: null, status: state.status },
    content,
  );
}

const Confirming = (props: { secret: string; uri: string; state: FormState }) => (
  <>
    <ol>
      <li>
        <p>
          Scan this with an authenticator app, <a href={props.uri}>open it on this device</a>, or
          type the key:
        </p>
        <QrCode text={props.uri} label="The key as a QR code" />
        <CodeLine text={props.secret} label="Key of the second factor" />
      </li>
      <li>
        <p>Enter the six digits that the app shows.</p>
        <Form action={`${HERE}/confirm`} state={props.state} submit="Switch it on">
          <TextField
            state={props.state}
            name="code"
            label="Code"
            numeric
            autocomplete="one-time-code"
            required
          />
        </Form>
      </li>
    </ol>
    <ActionButton action={HERE} label="Begin again with another key" />
  </>
);

const Removing = ({ state }: { state: FormState }) => (
  <>
    <p>It is on. Without the app, a recovery code or your password switches it off.</p>
    <section class="danger-zone">
      <h2>Switch it off</h2>
      <Form action={`${HERE}/remove`} state={state} submit="Switch it off" dangerous>
        <TextField
          state={state}
          name="code"
          label="Code"
          autocomplete="one-time-code"
          hint="From the app, or a recovery code."
        />
        <TextField
          state={state}
          name="password"
          label="Or your password"
          type="password"
          autocomplete="current-password"
        />
      </Form>
    </section>
  </>
);
