import type { Child } from "hono/jsx";

import { OptionList, type Option } from "./form.tsx";

type FiltersProps = { action: string; children: Child; active: boolean };

/** Filters of a list: a GET, so that they stand in the address. `active`: some are set. */
export const Filters = ({ action, children, active }: FiltersProps) => (
  <form method="get" action={action} class="filters" role="search">
    {children}
    <button class="btn">Search</button>
    {active ? <a href={action}>Clear</a> : null}
  </form>
);

type SearchProps = { name: string; label: string; value: string };

/** The field that `/` leads to. */
export const FilterText = ({ name, label, value }: SearchProps) => (
  <input
    type="search"
    name={name}
    value={value}
    aria-label={label}
    placeholder={label}
    dir="auto"
    autocomplete="off"
    data-search
  />
);

/** A list that is searched by a part of its lines' names. */
export const SearchFilter = (props: { action: string; label: string; part: string }) => (
  <Filters action={props.action} active={props.part !== ""}>
    <FilterText name="q" label={props.label} value={props.part} />
  </Filters>
);

type SelectProps = { name: string; label: string; value: string; options: readonly Option[] };

export const FilterSelect = ({ name, label, value, options }: SelectProps) => (
  <select name={name} aria-label={label}>
    <OptionList options={options} chosen={value} />
  </select>
);
