import { hasClass, type Attributes } from "./html-roles.ts";

/** Labels of tabs, each of which is repeated above its panel: all panels are read. */
export class OpenTabs {
  /** By set of tabs: its labels, and how many of their panels were open. Shifting takes too long. */
  readonly #sets: { labels: string[]; panels: number }[] = [];

  /**
   * The label of a panel that opens. Panels stand in the order of their tabs, and those of tabs
   * within a panel before the next. Python-Markdown has classes where others have roles.
   */
  open(attributes: Attributes): string | undefined {
    const { role } = attributes;
    if (role === "tablist" || hasClass(attributes, "tabbed-labels"))
      this.#sets.push({ labels: [], panels: 0 });
    if (role !== "tabpanel" && !hasClass(attributes, "tabbed-block")) return undefined;
    const set = this.#sets.at(-1);
    const label = set?.labels[set.panels++];
    if (set !== undefined && set.panels >= set.labels.length) this.#sets.pop();
    return label;
  }

  end(label: string): string {
    this.#sets.at(-1)?.labels.push(label);
    return `${label} `;
  }
}
