import { changeOwnPassword } from "../../../access/users/change-own-password.ts";
import { ownPassword } from "../../../access/users/user-input.ts";
import { forbidden } from "../../../core/errors.ts";
import { addressOf } from "../../../http/client-address.ts";
import { Data } from "../../components/data.tsx";
import { Form } from "../../components/form.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { Facts } from "../../components/page-head.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";
import { submit, freshForm, type FormState } from "../request/form.ts";
import { declaredForm } from "../request/setting-form.ts";
import { endOne, openSessions } from "./open-sessions.tsx";
import { countTry, sessionHashOf } from "../../api/request/guards.ts";

const HERE = "/panel/account";
const PASSWORDS = declaredForm(ownPassword);

export function accountPages(app: Pages): void {
  app.get("/", async (context) => await accountPage(context, freshForm()));

  app.post("/password", (context) =>
    submit(context, {
      audit: ["session.password.change", context.get("session").email],
      fields: PASSWORDS.names,
      work: async (form) => {
        await countTry(context);
        const given = PASSWORDS.read(form);
        const sessionHash = await sessionHashOf(context);
        if (sessionHash === null) throw forbidden();
        const address = addressOf(context.req.raw.headers);
        const { userId } = context.get("session");
        const services = context.get("services");
        await changeOwnPassword(services, { userId, sessionHash, address, ...given });
      },
      again: (state) => accountPage(context, state),
      leads: () => ({
        to: HERE,
        notice: "The password is changed. Your other sessions have ended.",
      }),
    }),
  );

  app.post("/sessions/:session/end", (context) =>
    endOne(context, { userId: context.get("session").userId, here: HERE }),
  );
}

async function accountPage(context: PageContext, state: FormState): Promise<Response> {
  const session = context.get("session");
  const isAdmin = session.role === "admin";
  const factor = session.hasTotp ? ["on", "Change"] : ["off", "Switch it on"];
  return await page(
    context,
    { title: "Your account", status: state.status },
    <>
      <Facts
        facts={{
          "E-mail": <Data>{session.email}</Data>,
          Role: isAdmin ? "admin" : "member: reads everything, changes nothing",
          "Second factor": (
            <>
              {factor[0]} · <a href="/panel/account/second-factor">{factor[1]}</a>
            </>
          ),
        }}
      />
      <h2>Password</h2>
      <Form action={`${HERE}/password`} state={state} submit="Change the password">
        <SettingFields fields={PASSWORDS.fields} state={state} isStored />
      </Form>
      <h2>Where you are signed in</h2>
      {await openSessions(context, { userId: session.userId, here: HERE })}
    </>,
  );
}
