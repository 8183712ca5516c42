import type { Child } from "hono/jsx";

import { invalidField } from "../../../core/errors.ts";
import { Data } from "../../components/data.tsx";
import { Form as PostForm, Hidden, TextField, field } from "../../components/form.tsx";
import type { Crumb } from "../../components/page-head.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";
import {
  auditAs,
  redirectWithNotice,
  attempt,
  formFrom,
  formOf,
  freshForm,
  type Form,
  type FormState,
} from "./form.ts";
import { adminsOnly } from "./guards.ts";

/** Something that cannot be undone, and what is said and asked before it. */
type Removal = {
  title: string;
  /** The places above; Cancel leads to the last of them. */
  trail: readonly Crumb[];
  name: string;
  /** So much is lost that its name must be typed. */
  isMuch?: boolean;
  /** Documents and passages stay. */
  isHarmless?: true;
  cancel?: string;
  submit?: string;
  values?: Record<string, string>;
  fields?: (state: FormState) => Child;
  says: Child;
  audit: [action: string, target: string];
  remove: () => Promise<unknown>;
  /** Where it leads; absent: to the last of the places above. */
  to?: string;
  notice?: string;
};

const FIELDS = ["confirmation", "type", "value", "entry"];

/** Asks before something is removed. `of` gets the address's or form's values. */
export function removable(
  app: Pages,
  path: string,
  of: (context: PageContext, form: Form) => Promise<Removal>,
  by: "admins" | "all" = "admins",
): void {
  if (by === "admins") app.use(path, adminsOnly);
  app.get(path, async (context) => {
    const values = formFrom(new URL(context.req.url).searchParams);
    return await confirmPage(context, await of(context, values), freshForm({ type: "path" }));
  });
  app.post(path, async (context) => {
    const form = await formOf(context);
    const removal = await of(context, form);
    auditAs(context, ...removal.audit);
    const tried = await attempt(form, FIELDS, async () => {
      const isNamed = form.text("confirmation") === removal.name.trim();
      if (removal.isMuch === true && !isNamed) throw invalidField("confirmation", "must match");
      await removal.remove();
    });
    if (!tried.done) return await confirmPage(context, removal, tried.state);
    const { notice, to = removal.trail.at(-1)?.href ?? "/panel" } = removal;
    return redirectWithNotice(context, to, notice === undefined ? {} : { notice });
  });
}

/** The page that asks, with a form that is posted to its own address. */
export async function confirmPage(
  context: PageContext,
  of: Omit<Removal, "audit" | "remove">,
  state: FormState = freshForm(),
) {
  const { title, trail, name, isMuch = false, isHarmless = false, submit = "Remove it" } = of;
  const cancel = of.cancel ?? trail.at(-1)?.href ?? null;
  return await page(
    context,
    { title, trail, status: state.status },
    <section class={isHarmless ? undefined : "danger-zone"}>
      {of.says}
      <PostForm
        action={new URL(context.req.url).pathname}
        state={state}
        submit={submit}
        cancel={cancel}
        dangerous={!isHarmless}
      >
        <Hidden values={of.values} />
        {of.fields?.(state)}
        {isMuch ? <Confirmation state={state} name={name} /> : null}
      </PostForm>
    </section>,
  );
}

const Confirmation = ({ state, name }: { state: FormState; name: string }) => (
  <TextField
    {...field(state, "confirmation", "Name")}
    required
    hint={
      <>
        Type <Data>{name}</Data> to confirm.
      </>
    }
  />
);
