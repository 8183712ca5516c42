import { Hono } from "hono";

import { removeTotp } from "../../../access/totp/remove-totp.ts";
import { removeUser } from "../../../access/users/remove-user.ts";
import { updateUser } from "../../../access/users/update-user.ts";
import { userPatch } from "../../../access/users/user-input.ts";
import { forbidden, notFound } from "../../../core/errors.ts";
import { given } from "../../../core/input/given.ts";
import { asId } from "../../../core/ids.ts";
import { findPerson, type Person } from "../../../db/access/user-store.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { Data } from "../../components/data.tsx";
import { ActionButton, Form } from "../../components/form.tsx";
import { LinkButton } from "../../components/link.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { endOne, openSessions } from "../account/open-sessions.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice, submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { removable } from "../request/removal.tsx";
import { bodyIn, formName, shownFields } from "../request/setting-form.ts";
import { refuseStale, shownState } from "../request/stale.ts";

const LIST = "/panel/settings";
const FIELDS = shownFields(userPatch);

async function personOf(context: PageContext): Promise<Person> {
  if (!isAdmin(context)) throw forbidden();
  const id = context.req.param("id") ?? "";
  const person = await findPerson(context.get("services").db, asId(id));
  if (person === null) throw notFound();
  return person;
}

const ownId = (context: PageContext) => context.get("session").userId;

const pathOf = ({ id }: Person) => `${LIST}/users/${id}`;

/** One user, for administrators: address, role, password, second factor, sessions, removal. */
export function userPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/:id", async (context) => await userPage(context, await personOf(context), null));
  app.post("/:id", async (context) => {
    const person = await personOf(context);
    const { id } = person;
    return await submit(context, {
      audit: ["users.change", id],
      fields: FIELDS.map(formName),
      work: async (form) => {
        await refuseStale(context, form, ["users", id]);
        const patch = given(parseOrRefuse(userPatch, bodyIn(form, FIELDS, { isPatch: true })));
        await updateUser(context.get("services"), { id, patch, by: ownId(context) });
      },
      again: (state) => userPage(context, person, state),
      leads: () => ({ to: pathOf(person), notice: "The user is changed." }),
    });
  });
  addActions(app);
  return app;
}

function addActions(app: Hono<PageEnv>): void {
  app.post("/:id/second-factor/remove", async (context) => {
    const person = await personOf(context);
    auditAs(context, "users.totp.remove", person.id);
    await removeTotp(context.get("services"), { userId: person.id, by: ownId(context) });
    return redirectWithNotice(context, pathOf(person), { notice: "Their second factor is off." });
  });

  app.post("/:id/sessions/:session/end", async (context) => {
    const person = await personOf(context);
    return await endOne(context, { userId: person.id, here: pathOf(person) });
  });

  removable(app, "/:id/remove", async (context) => {
    const person = await personOf(context);
    const { id, email } = person;
    return {
      title: "Remove a user",
      place: "settings",
      trail: [...TRAIL, { name: email, href: pathOf(person) }],
      name: email,
      isMuch: true,
      submit: "Remove this user",
      says: (
        <p>
          Ends the sessions of <Data>{email}</Data> and the automation keys that they made. What
          they set up stays, and what they did stays in the record.
        </p>
      ),
      audit: ["users.remove", id],
      remove: () => removeUser(context.get("services"), { id }),
      to: LIST,
      notice: `${email} is removed.`,
    };
  });
}

const TRAIL = [{ name: "Settings", href: LIST }];

async function userPage(context: PageContext, person: Person, failed: FormState | null) {
  const { email, role } = person;
  const state = failed ?? freshForm({ email, role });
  const seen = await shownState(context, "users", person.id);
  const isOwn = person.id === ownId(context);
  const fields = FIELDS.filter((field) => !isOwn || formName(field) !== "password");
  return await page(
    context,
    { title: email, data: true, trail: TRAIL, place: "settings", status: state.status },
    <>
      <Form action={pathOf(person)} state={state} submit="Save" shown={seen}>
        <SettingFields fields={fields} state={state} isStored />
      </Form>
      <h2>Second factor</h2>
      {isOwn ? (
        <p>
          Change your own password and second factor under <a href="/panel/account">Account</a>.
        </p>
      ) : person.hasTotp ? (
        <ActionButton
          action={`${pathOf(person)}/second-factor/remove`}
          label="Remove it: the user lost the app"
          kind="danger"
        />
      ) : (
        <p>It is off; they switch it on themselves.</p>
      )}
      <h2>Open sessions</h2>
      {await openSessions(context, { userId: person.id, here: pathOf(person) })}
      <section class="danger-zone">
        <h2>Remove this user</h2>
        <p>
          <LinkButton href={`${pathOf(person)}/remove`} label="Remove …" kind="danger" />
        </p>
      </section>
    </>,
  );
}
