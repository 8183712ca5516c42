import type { Child } from "hono/jsx";

import { Data, LinkButton, type Link, Shortened, ShortenedLink, showHidden } from "./data.tsx";

export type Crumb = { name: string; href: string };

export type HeadProps = {
  /** Ours, or somebody's own words (`data`). */
  title: string;
  data?: boolean;
  trail?: readonly Crumb[];
  sub?: Child;
  /** The page's one action, and what else can be done here. */
  actions?: Child;
};

export const PageHead = ({ title, data, trail = [], sub, actions }: HeadProps) => (
  <header class="head">
    {trail.length === 0 ? null : (
      <nav aria-label="Breadcrumb" class="trail">
        {trail.map(({ name, href }) => (
          <>
            <ShortenedLink href={href} text={name} />
            <span aria-hidden="true">/</span>
          </>
        ))}
        <span class="name" aria-current="page">
          <Shortened text={title} />
        </span>
      </nav>
    )}
    <div class="head-line">
      <h1 title={data === true ? showHidden(title) : undefined}>
        {data === true ? <Data>{title}</Data> : title}
      </h1>
      {actions == null ? null : <div class="actions">{actions}</div>}
    </div>
    {sub === undefined ? null : <p class="sub">{sub}</p>}
  </header>
);

export type TabsProps = {
  label: string;
  address: string;
  /** The names of the tabs by what follows the address. */
  names: Record<string, string>;
  /** The end of the address of the page that is shown. */
  here: string;
};

/** Tabs that are links: the tab stands in the address. */
export const Tabs = ({ label, address, names, here }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {Object.entries(names).map(([tail, name]) => (
      <a href={address + tail} aria-current={tail === here ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

type EmptyProps = { title: string; children?: Child; action?: Link | null };

/** In place of a list that has nothing: why, and what to do. */
export const Empty = ({ title, children, action }: EmptyProps) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children === undefined ? null : <p>{children}</p>}
    {action == null ? null : (
      <p>
        <LinkButton {...action} kind="primary" />
      </p>
    )}
  </div>
);

type FactsProps = {
  /** Values by their names; undefined ones are left out. */
  facts?: Record<string, Child | undefined>;
  /** Facts whose names others chose. */
  pairs?: readonly (readonly [name: Child, value: Child | undefined])[];
};

export const Facts = ({ facts = {}, pairs = Object.entries(facts) }: FactsProps) => (
  <dl class="facts">
    {pairs.map(([name, value]) =>
      value === undefined ? null : (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);

type FigureProps = {
  name: string;
  /** The name in the field's own term, on hover. */
  term?: string | undefined;
  amount: string;
  aside?: string | undefined;
  children?: Child;
};

export const Figure = ({ name, term, amount, aside, children }: FigureProps) => (
  <div>
    <dt>{term === undefined ? name : <abbr title={term}>{name}</abbr>}</dt>
    <dd>
      <span class="amount">
        {amount} {aside === undefined ? null : <small>{aside}</small>}
      </span>
      {children}
    </dd>
  </div>
);
