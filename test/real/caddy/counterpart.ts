import { proxyCounterpart } from "../behind-proxy.ts";

export const counterpart = proxyCounterpart({
  name: "Caddy",
  command: "caddy",
  debianPackage: "caddy",
  versionArgs: ["version"],
  example: "Caddyfile",
  adapt: (example, { https, quarry, certificate, key }) =>
    `{
	admin off
	auto_https disable_redirects
	https_port ${https}
	default_bind 127.0.0.1
}
${example
  .replace("quarry.example.com {", `quarry.example.com {\n\ttls ${certificate} ${key}`)
  .replaceAll("127.0.0.1:8787", `127.0.0.1:${quarry}`)}`,
  args: (config) => ["run", "--adapter", "caddyfile", "--config", config],
});
