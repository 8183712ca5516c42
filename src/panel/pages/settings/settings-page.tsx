import type { Child } from "hono/jsx";

import type { FormState } from "../../components/form.tsx";
import { isAdmin, page, type PageContext } from "../page.tsx";

export const SETTINGS = "/panel/settings";

export const TABS = {
  "": "Users",
  "/keys": "Automation keys",
  "/models": "Models and prices",
  "/limits": "Spending limits",
};
/** Who did what, and who is let in, is for administrators. */
export const ADMINS_TABS = {
  ...TABS,
  "/invitations": "Invitations",
  "/events": "Events",
  "/sign-in": "Sign-in",
  "/log": "Audit log",
  "/requests": "Requests",
  "/archive": "Archive",
};

export const settingsPage = (
  context: PageContext,
  tab: keyof typeof ADMINS_TABS,
  content: Child,
  state?: FormState,
): Promise<Response> =>
  page(
    context,
    {
      title: "Settings",
      status: state?.status ?? 200,
      tabs: {
        label: "Settings",
        address: SETTINGS,
        names: isAdmin(context) ? ADMINS_TABS : TABS,
        here: tab,
      },
    },
    content,
  );
