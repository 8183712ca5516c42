import { expect, test } from "vitest";

import { spellingsOf } from "../../../src/text/spellings.ts";
import { searchWordsOf } from "../../../src/text/words.ts";

const wordsOf = (text: string) => new Set([...searchWordsOf(text), ...spellingsOf(text)]);

/** How a document writes it, and how somebody searches for it. */
test.each([
  ["a limit of 12,500 euros", "12500"],
  ["une limite de 12\u202f500 euros", "12500"],
  ["für 1.299,99", "1299"],
  ["1299 euros", "1,299.00"],
  ["above 25kg", "25 kg"],
  ["25 kg", "25kg"],
  ["valve AB-1234/56", "ab123456"],
  ["valve AB123456", "AB-1234/56"],
  ["gasket XK20459", "xk 20459"],
  ["ISBN 978-3-16-148410-0.", "9783161484100"],
  ["the U.S.A., where", "USA"],
  ["Ph.D. students", "phd"],
  ["AT&T sells", "ATT"],
  ["an e-mail", "email"],
  ["a state\u2011owned ferry", "stateowned"],
  ["WiFi and wifi", "Wi-Fi"],
  ["in C++", "cplusplus"],
  ["in C#", "csharp"],
  ["the .NET runtime", "dotnet"],
  ["Node.js", "nodejs"],
  ["PPARγ binds", "ppargamma"],
  ["the Δ of the river", "delta"],
  ["IL-1beta", "IL-1β"],
  ["une limite de 12 500 euros", "12500"],
  ["価格は１２，５００円", "12500"],
  ["Python 3", "python3"],
  ["on Windows11", "Windows 11"],
  ["version 2", "v2"],
  ["am 05.03.2024", "20240305"],
  ["on 5/3/2024", "20240305"],
  ["2024年3月5日", "20240305"],
  ["IBAN NL91 ABNA 0417 1643 00, BIC", "NL91ABNA0417164300"],
  ["GB29 NWBK 6016 1331 9268 BANK", "GB29NWBK601613319268"],
  ["IBAN DE89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00"],
  ["Tel. +49 (0)30 123-456", "030123456"],
  ["Tel. 030 / 12 34 56", "+4930123456"],
  ["+33 1 23 45 67 89", "01.23.45.67.89"],
  ["030 123456 / 030 654321", "+4930654321"],
  ["call +1 555-123-4567", "(555) 123-4567"],
  ["في ٥/٣/٢٠٢٤", "20240305"],
  ["the TCP/IP stack", "TCPIP"],
  ["ASP.NET", "aspnet"],
  ["Mr O’Neill", "ONeill"],
  ["Mr Oneill", "o'neill"],
  ["軟體開發與網路連線", "开发"],
  ["標準與關係", "标准"],
  ["C++17", "cplusplus"],
  ["60 m^2", "m²"],
  ["60 m²", "m^2"],
  ["25kg/m^3", "m³"],
  ["an e-mail^1", "email"],
  ["1,500^2 units", "1500"],
  ["M8x20", "m8 × 20"],
  ["30 × 40 cm", "30x40cm"],
  ["an HTTPSConnection", "https"],
  ["AT\\&T sells", "ATT"],
  ["in C\\#, C\\+\\+", "cplusplus"],
  ["valve 2024\\-03\\-05", "20240305"],
])("%s is found by %s", (text, query) => {
  const words = wordsOf(text);
  expect([...wordsOf(query)].filter((word) => words.has(word))).not.toEqual([]);
});

test("plain words, decimals and places have no other spelling, nor C", () => {
  expect(spellingsOf("C, or vitamin C, c+1 and #C")).toEqual([]);
  expect(
    spellingsOf("We'll see 3.14 on the 21st, see page 7: a/b, e.g. x--y, 10.20.30.40, 0x80070005"),
  ).toEqual([]);
  expect(spellingsOf("Η εταιρεία και ο Α.Β. η τιμή")).toEqual(["alpha", "beta"]);
  expect(spellingsOf(`${"a1-".repeat(20)}b ${"1,234".repeat(9)}`)).toEqual([]);
});
