import { hasClass, type Attributes } from "./html-roles.ts";

/** Labels of tabs, each of which is repeated above its panel: all panels are read. */
export class OpenTabs {
  /** The labels whose panels follow, by set of tabs. */
  readonly #labels: string[][] = [];

  /**
   * The label of a panel that opens. Panels stand in the order of their tabs, and those of tabs
   * within a panel before the next. Python-Markdown has classes where others have roles.
   */
  open(attributes: Attributes): string | undefined {
    const { role } = attributes;
    if (role === "tablist" || hasClass(attributes, "tabbed-labels")) this.#labels.push([]);
    if (role !== "tabpanel" && !hasClass(attributes, "tabbed-block")) return undefined;
    const label = this.#labels.at(-1)?.shift();
    if (this.#labels.at(-1)?.length === 0) this.#labels.pop();
    return label;
  }

  end(label: string): string {
    this.#labels.at(-1)?.push(label);
    return `${label} `;
  }
}
