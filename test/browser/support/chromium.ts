import { existsSync } from "node:fs";

/** Where Debian and others install it. */
const USUAL_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser that `CHROMIUM` names, or the one of this machine; null: there is none. */
export function findChromium(): string | null {
  const { CHROMIUM } = process.env;
  const paths = CHROMIUM === undefined || CHROMIUM === "" ? USUAL_PATHS : [CHROMIUM];
  return paths.find((path) => existsSync(path)) ?? null;
}

/** For Chromium in containers: without its own sandbox, and with little shared memory. */
export const CHROMIUM_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
