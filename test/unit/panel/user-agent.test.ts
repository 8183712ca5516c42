import { expect, test } from "vitest";

import { browserInWords } from "../../../src/panel/pages/account/account.tsx";

const MOZILLA = "Mozilla/5.0";
const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/141.0 Safari/537.36`,
    "Chrome on macOS",
  ],
  [
    `${MOZILLA} (Windows NT 10.0; Win64) ${WEBKIT} Chrome/141.0 Safari/537.36 Edg/141.0`,
    "Edge on Windows",
  ],
  [`${MOZILLA} (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0`, "Firefox on Linux"],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 26_0 like Mac OS X) ${WEBKIT} Version/26.0 Safari/604.1`,
    "Safari on iPhone",
  ],
  [
    `${MOZILLA} (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/141.0 Mobile Safari/537.36`,
    "Chrome on Android",
  ],
  ["curl/8.5.0", "curl"],
  ["A browser", "A browser"],
  ["", "unknown browser"],
])("%s is named in words", (userAgent, words) => {
  expect(browserInWords(userAgent)).toBe(words);
});
