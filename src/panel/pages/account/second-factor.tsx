import { encode } from "uqr";

import { pendingTotp } from "../../../access/totp/change-totp.ts";
import { mustEnrol } from "../../../access/totp/must-enrol.ts";
import { countTry } from "../../api/request/guards.ts";
import { ownTotpRemoval, totpConfirmation, totpEnrolment } from "../../api/session.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { ActionButton } from "../../components/data.tsx";
import { Form, TextField, field, freshForm, type FormState } from "../../components/form.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";
import { omitBlank } from "../request/form.ts";

const HERE = "/panel/account/second-factor";

export function secondFactorPages(pages: Pages): void {
  pages.get("/", (context) => secondFactorPage(context, freshForm()));

  pages.form("/", totpEnrolment, () => ({ to: HERE }));

  pages.form("/confirm", totpConfirmation, (context) => ({
    fields: ["code"],
    body: async (form) => {
      await countTry(context);
      return { code: form.text("code") };
    },
    failedPage: (state) => secondFactorPage(context, state),
    to: HERE,
    flashOf: ({ recoveryCodes }) => ({
      notice: "The second factor is on. Your other sessions have ended.",
      secret: {
        label: "Recovery codes: each replaces a code of the app, once.",
        value: recoveryCodes.join("\n"),
      },
    }),
  }));

  pages.form("/remove", ownTotpRemoval, (context) => ({
    fields: ["code", "password"],
    body: async (form) => {
      await countTry(context);
      return { code: omitBlank(form.text("code")), password: omitBlank(form.exact("password")) };
    },
    failedPage: (state) => secondFactorPage(context, state),
    to: "/panel/account",
  }));
}

async function secondFactorPage(context: PageContext, state: FormState): Promise<Response> {
  const services = context.get("services");
  const session = context.get("session");
  const pending = session.hasTotp ? null : await pendingTotp(services, session);
  const isRequired = mustEnrol(services.config, session);
  return await page(
    context,
    {
      title: "Second factor",
      status: state.status,
      trail: isRequired ? [] : [{ name: "Account", href: "/panel/account" }],
      sub: "Every sign-in asks for a code from an authenticator app as well as the password.",
    },
    <>
      {session.hasTotp ? <Removing state={state} /> : null}
      {isRequired ? (
        <p class="notice warn">This service requires a second factor. Set one up to continue.</p>
      ) : null}
      {pending === null && !session.hasTotp ? (
        <ActionButton action={HERE} label="Set up" kind="primary" />
      ) : null}
      {pending === null ? null : <Confirming {...pending} state={state} />}
    </>,
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
            {...field(props.state, "code", "Code")}
            numeric
            autocomplete="one-time-code"
            required
          />
        </Form>
      </li>
    </ol>
    <ActionButton action={HERE} label="Start over with another key" />
  </>
);

const Removing = ({ state }: { state: FormState }) => (
  <>
    <p>It is on. Without the app, a recovery code or your password switches it off.</p>
    <section class="danger-zone">
      <h2>Switch it off</h2>
      <Form action={`${HERE}/remove`} state={state} submit="Switch it off" dangerous>
        <TextField
          {...field(state, "code", "Code")}
          autocomplete="one-time-code"
          hint="From the app, or a recovery code."
        />
        <TextField
          {...field(state, "password", "Or your password")}
          type="password"
          autocomplete="current-password"
        />
      </Form>
    </section>
  </>
);

/** A QR code as one path of an inline SVG, dark on light in either colour scheme. */
const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join("")} fill="#000" />
    </svg>
  );
};
