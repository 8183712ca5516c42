import { signInChoices } from "../../../access/openid/provider-settings.ts";
import { acceptInvitation, openInvitation } from "../../../access/users/invitations.ts";
import { newUser } from "../../../access/users/user-input.ts";
import { originOf } from "../../../http/client-address.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { Data, LinkButton, showHidden, Hidden } from "../../components/data.tsx";
import { freshForm, type FormState, field, Form, TextField } from "../../components/form.tsx";
import { barePage, OVERVIEW, type PageContext, type Pages } from "../page.tsx";
import { attempt, formOf, STRANGERS_LIMIT_BYTES } from "../request/form.ts";
import { countAndTry, startSession, hideAddress } from "./openid-pages.tsx";

/** The page of an invitation's link. What opens links to preview them uses none up. */
export function joinPages(pages: Pages): void {
  const guard = (work: (context: PageContext) => Promise<Response>) => (context: PageContext) => {
    hideAddress(context);
    return countAndTry(context, OVERVIEW, () => work(context));
  };
  const show = (context: PageContext) => joinPage(context, context.req.query("code") ?? "");
  pages.get("/", guard(show));
  pages.receive("/", guard(join), "anybody");
}

async function join(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const form = await formOf(context, STRANGERS_LIMIT_BYTES);
  const code = form.text("code");
  const { email: target } = await openInvitation(services, code);
  context.set("audit", { action: "invitations.accept", target });
  const attempted = await attempt(form, ["password"], async () => {
    const typed = { password: form.exact("password") };
    const { password } = parseOrRefuse(newUser.pick({ password: true }), typed);
    const origin = originOf(services.config, context.req.raw);
    return await acceptInvitation(services, { code, password, origin });
  });
  if (!attempted.done) return await joinPage(context, code, attempted.state);
  return await startSession(context, attempted.result, OVERVIEW);
}

async function joinPage(context: PageContext, code: string, state: FormState = freshForm()) {
  const services = context.get("services");
  const { email, role } = await openInvitation(services, code);
  const { provider, passwords } = await signInChoices(services);
  const password = { ...field(state, "password", "Password"), type: "password" } as const;
  return await barePage(
    context,
    { title: "Join Quarry", status: state.status },
    <>
      <h1>Join Quarry</h1>
      <p>
        You are invited as <Data>{email}</Data>, in the role {role}.
      </p>
      {provider === null ? null : (
        <LinkButton href="/panel/sign-in/openid" label={`Continue with ${showHidden(provider)}`} />
      )}
      {passwords ? (
        <Form action="/panel/invitation" state={state} submit="Join">
          <Hidden values={{ code }} />
          <TextField
            {...password}
            autocomplete="new-password"
            required
            hint="At least 12 characters."
          />
        </Form>
      ) : null}
    </>,
  );
}
