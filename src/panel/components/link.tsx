import { Data } from "./data.tsx";

/** A link whose words somebody else wrote. */
export const DataLink = ({ href, text }: { href: string; text: string }) => (
  <a href={href}>
    <Data>{text}</Data>
  </a>
);

type LinkProps = { href: string; label: string; kind?: "primary" | "danger" | "small" };

/** A link to a page on which something is done. */
export const LinkButton = ({ href, label, kind }: LinkProps) => (
  <a class={kind === undefined ? "btn" : `btn ${kind}`} href={href}>
    {label}
  </a>
);
