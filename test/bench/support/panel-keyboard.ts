import type { Page } from "playwright-core";

const TABS_MAX = 120;
/** Where the focus is, as a text that a matcher looks at. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return "";
  const label = at.labels?.[0]?.textContent ?? "";
  return [at.tagName, at.name ?? "", at.value ?? "", at.textContent, label].join("|");
})()`;

/** Somebody without a mouse: counts what is pressed; a text that is typed counts as one. */
export class Keyboard {
  readonly page: Page;
  keys = 0;
  texts = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
      this.keys += 1;
    }
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.texts += 1;
  }

  /** Tabs on until something is focused whose tag, name, value, text or label matches. */
  async to(wanted: RegExp): Promise<void> {
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (wanted.test(await this.page.evaluate(FOCUSED))) return;
      await this.press("Tab");
    }
    throw new Error(`the keyboard does not reach ${wanted.source} on ${this.page.url()}`);
  }

  /** Past the places to the content. */
  async skip(): Promise<void> {
    await this.press("Tab", "Enter");
  }

  /** Reaches something and presses Enter, which leads to another page. */
  async open(wanted: RegExp, address: RegExp | string): Promise<void> {
    await this.to(wanted);
    await this.follow(address);
  }

  async follow(address: RegExp | string): Promise<void> {
    await this.press("Enter");
    await this.page.waitForURL(address);
  }
}
