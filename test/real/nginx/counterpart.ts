import { proxyCounterpart } from "../behind-proxy.ts";

export const counterpart = proxyCounterpart({
  name: "nginx",
  command: "nginx",
  debianPackage: "nginx-light",
  versionArgs: ["-v"],
  example: "nginx.conf",
  adapt: (example, { https, quarry, certificate, key, scratch }) => `
    daemon off;
    pid ${scratch}/nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${scratch}/${name};`)
        .join("\n")}
      ${example
        .replaceAll("listen 443", `listen 127.0.0.1:${https}`)
        .replaceAll("127.0.0.1:8787", `127.0.0.1:${quarry}`)
        .replaceAll("/etc/ssl/quarry/fullchain.pem", certificate)
        .replaceAll("/etc/ssl/quarry/key.pem", key)}
    }`,
  args: (config, { scratch }) => ["-c", config, "-p", scratch],
});
