import { newInvitation } from "../../../access/users/user-input.ts";
import { listInvitations } from "../../../db/access/invitation-store.ts";
import {
  findListedInvitation,
  invitationCreation,
  invitationRemoval,
} from "../../api/invitations.ts";
import { Data, Time, ActionButton } from "../../components/data.tsx";
import type { FormState } from "../../components/form.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import type { Columns } from "../../components/table.tsx";
import { requireAdmin, lookUp, type PageContext, type Pages } from "../page.tsx";
import { List, ROWS } from "../request/list.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/invitations";
const FORM = formOfSettings(newInvitation);

export function invitationPages(pages: Pages): void {
  pages.use("*", requireAdmin);
  pages.get("/", (context) => invitationsTab(context, FORM.state({}, { role: "member" })));
  pages.form("/", invitationCreation, (context) => ({
    declared: FORM,
    failedPage: (state) => invitationsTab(context, state),
    to: HERE,
    flashOf: ({ email, link }) => ({ secret: { label: `The link for ${email}.`, value: link } }),
  }));
  pages
    .forRecord(lookUp(findListedInvitation))
    .form("/:id/withdraw", invitationRemoval, () => ({ to: HERE }));
}

async function invitationsTab(context: PageContext, state: FormState): Promise<Response> {
  const { db, now } = context.get("services");
  const { data } = await listInvitations(db, now(), { offset: 0, limit: ROWS });
  const columns: Columns<(typeof data)[number]> = [
    { head: "E-mail", main: true, cell: ({ email }) => <Data>{email}</Data> },
    { head: "Role", cell: ({ role }) => role },
    { head: "State", cell: (invitation) => invitation.state },
    { head: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      head: "",
      cell: ({ id, ...invitation }) =>
        invitation.state === "open" ? (
          <ActionButton action={`${HERE}/${id}/withdraw`} label="Withdraw" />
        ) : null,
    },
  ];
  const content = (
    <>
      <p class="soft">
        Copy the link and send it: Quarry sends no mail. The person chooses a password, or signs in
        with the provider.
      </p>
      <List
        {...{ context, columns, label: "Invitations", empty: "There are none yet." }}
        listed={{ data }}
      />
      <h2>New invitation</h2>
      <SettingForm action={HERE} state={state} submit="Create link" fields={FORM.fields} />
    </>
  );
  return await settingsPage(context, "/invitations", content, state);
}
