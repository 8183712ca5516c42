import { proxyCounterpart } from "../behind-proxy.ts";

export const counterpart = proxyCounterpart({
  name: "HAProxy",
  command: "haproxy",
  debianPackage: "haproxy",
  versionArgs: ["-v"],
  example: "haproxy.cfg",
  adapt: (example, { https, quarry, both }) =>
    example
      .replace("bind :443", `bind 127.0.0.1:${https}`)
      .replaceAll("/etc/ssl/quarry/haproxy.pem", both)
      .replaceAll("127.0.0.1:8787", `127.0.0.1:${quarry}`),
  args: (config) => ["-db", "-f", config],
});
