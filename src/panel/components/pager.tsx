import type { Child } from "hono/jsx";

type PagerProps = {
  /** Addresses; null where there is nothing more. */
  previous: string | null;
  next: string | null;
  label?: string;
  /** Shown where there is one part only, too. */
  isAlways?: boolean;
  /** Which part is shown. */
  children?: Child;
};

/** The way to the other parts of something long; nothing where there is one part only. */
export const Pager = ({ previous, next, label = "Pages", isAlways, children }: PagerProps) =>
  previous === null && next === null ? (
    isAlways === true ? (
      <p class="pager">{children}</p>
    ) : null
  ) : (
    <nav class="pager" aria-label={label}>
      <Turn href={previous} label="Previous" />
      {children}
      <Turn href={next} label="Next" />
    </nav>
  );

const Turn = ({ href, label }: { href: string | null; label: string }) =>
  href === null ? <span class="faint">{label}</span> : <a href={href}>{label}</a>;
