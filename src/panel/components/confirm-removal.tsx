import type { Child } from "hono/jsx";

import type { FormState } from "../pages/request/form.ts";
import { Data } from "./data.tsx";
import { Form, TextField } from "./form.tsx";

type ConfirmProps = {
  action: string;
  state: FormState;
  /** What is removed. */
  name: string;
  /** Whether so much is lost that its name must be typed. */
  isMuch: boolean;
  cancel: string;
  submit: string;
  /** What goes along unseen. */
  values?: Record<string, string>;
  /** What else is asked. */
  fields?: Child;
  /** What will be lost, in numbers, and what stays. */
  children: Child;
};

/** The last question before something that cannot be undone. The field is `confirmation`. */
export const ConfirmRemoval = (props: ConfirmProps) => (
  <section class="danger-zone">
    {props.children}
    <Form
      action={props.action}
      state={props.state}
      submit={props.submit}
      cancel={props.cancel}
      dangerous
    >
      {Object.entries(props.values ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.fields}
      {props.isMuch ? (
        <TextField
          state={props.state}
          name="confirmation"
          label="Name"
          required
          hint={
            <>
              Type <Data>{props.name}</Data> to confirm.
            </>
          }
        />
      ) : null}
    </Form>
  </section>
);
