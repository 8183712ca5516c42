import type { Child } from "hono/jsx";

import {
  providerInput,
  signInChoices,
  readProvider,
  type StoredProvider,
} from "../../../access/openid/provider-settings.ts";
import type { Finding } from "../../../access/openid/test-provider.ts";
import { requireFound } from "../../../core/errors.ts";
import { readEvents } from "../../../db/access/audit-store.ts";
import { signInChange } from "../../api/session.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { showHidden, Status, type Tone, ActionButton } from "../../components/data.tsx";
import type { FormState } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { requireAdmin, type PageContext, type Pages } from "../page.tsx";
import { redirectUriOf } from "../sign-in/openid-pages.tsx";
import { settingsPage } from "./settings-page.tsx";

const HERE = "/panel/settings/sign-in";
const FORM = formOfSettings(providerInput);
/** Sign-ins among which the last refusal is sought. */
const SIGN_INS_READ = 50;
const FAILED_FROM = 400;

export function signInSettings(pages: Pages): void {
  pages.use("*", requireAdmin);
  pages.get("/", (context) => signInTab(context, {}));
  pages
    .forRecord(({ get }) => readProvider(get("services")))
    .form("/", signInChange, (context, stored) => ({
      declared: FORM,
      changes: stored,
      failedPage: (state) => signInTab(context, { state }),
      to: HERE,
    }));
  const test = async (context: PageContext) => {
    const provider = requireFound(await readProvider(context.get("services")));
    const { testProvider } = await import("../../../access/openid/test-provider.ts");
    const redirectUri = redirectUriOf(context);
    const findings = await testProvider(context.get("services"), provider, redirectUri);
    return await signInTab(context, { findings });
  };
  pages.receive("/test", test, "admins", "sign-in.test");
}

type TabState = { state?: FormState; findings?: readonly Finding[] };

async function signInTab(context: PageContext, { state, findings }: TabState): Promise<Response> {
  const services = context.get("services");
  const stored = await readProvider(services);
  const { passwords } = await signInChoices(services);
  const form = state ?? FORM.state(stored?.settings);
  const signIns = { actor: null, action: "session.openid", from: null, to: null };
  const latest = await readEvents(services.db, signIns, { offset: 0, limit: SIGN_INS_READ });
  const refusal = latest.find((event) => event.status >= FAILED_FROM);
  const content = (
    <>
      <Facts
        facts={{
          "Redirect URI for the provider": <CodeLine text={redirectUriOf(context)} label="URI" />,
          Passwords: passwordsIn(services.config.PASSWORD_SIGN_IN, passwords),
          "Last refusal": refusal === undefined ? null : showHidden(refusal.target ?? ""),
        }}
      />
      {stored === null ? null : <Test stored={stored} findings={findings} />}
      <h2>OpenID Connect</h2>
      <SettingForm
        action={HERE}
        state={form}
        submit="Save"
        fields={FORM.fields}
        shown={stored?.updatedAt}
      />
    </>
  );
  return await settingsPage(context, "/sign-in", content, state);
}

function passwordsIn(state: "on" | "off", areAccepted: boolean): Child {
  if (!areAccepted) return "off";
  return state === "off" ? (
    "on until an administrator has signed in with OpenID Connect"
  ) : (
    <>
      on; to switch them off, set <code>PASSWORD_SIGN_IN=off</code>
    </>
  );
}

const TONES: Record<Finding["tone"], [tone: Tone, word: string]> = {
  ok: ["ok", "passed"],
  note: ["warn", "check"],
  wrong: ["bad", "failed"],
};

const Test = ({ stored, findings }: { stored: StoredProvider; findings: TabState["findings"] }) => (
  <>
    <h2>Test</h2>
    {findings == null ? null : (
      <div role="status" aria-label="What the test found">
        <ul class="plain">
          {findings.map(({ tone, text }): Child => (
            <li>
              <Status tone={TONES[tone][0]}>{TONES[tone][1]}</Status> {showHidden(text)}
            </li>
          ))}
        </ul>
      </div>
    )}
    <p>
      {stored.settings.enabled
        ? "The sign-in page offers this provider."
        : "The sign-in page does not offer this provider yet."}
    </p>
    <ActionButton action={`${HERE}/test`} label="Test the saved settings" />
  </>
);
