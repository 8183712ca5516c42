import type { Child } from "hono/jsx";

import { PageHead, Tabs } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import type { FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";

const HERE = "/panel/settings";

type SettingsTab = "" | "/keys" | "/models" | "/log";

/** One tab of the settings. */
export async function settingsPage(
  context: PageContext,
  tab: SettingsTab,
  content: Child,
  state?: FormState,
): Promise<Response> {
  const whole = (
    <>
      <PageHead title="Settings" />
      <Tabs
        label="Settings"
        here={HERE + tab}
        tabs={[
          { name: "Users", href: HERE },
          { name: "Automation keys", href: `${HERE}/keys` },
          { name: "Models and prices", href: `${HERE}/models` },
          // Who did what is for administrators, as in the API.
          ...(isAdmin(context) ? [{ name: "What happened", href: `${HERE}/log` }] : []),
        ]}
      />
      {content}
    </>
  );
  const of = { title: "Settings", place: "settings", status: state?.status ?? 200 } as const;
  return await page(context, of, whole);
}
