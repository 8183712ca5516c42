import type { Child } from "hono/jsx";

import { visible } from "./data.tsx";
import { Hidden } from "./form.tsx";

/** What can be done with a row. `of`: its name. Works without script; Escape closes it. */
export const Menu = ({ of, children }: { of: string; children: Child }) => (
  <details class="menu" name="row-menu">
    <summary class="btn small" aria-label={`Actions for ${visible(of)}`}>
      <span aria-hidden="true">⋯</span>
    </summary>
    <div>{children}</div>
  </details>
);

type PostProps = { action: string; label: string; values?: Record<string, string> | undefined };

/** An action of a menu that posts; others are links. */
export const MenuPost = ({ action, label, values }: PostProps) => (
  <form method="post" action={action}>
    <Hidden values={values} />
    <button>{label}</button>
  </form>
);
