import { proxyCounterpart } from "../behind-proxy.ts";

const MODULES =
  "mpm_event env authn_core authz_core alias headers ssl http2 proxy proxy_http socache_shmcb".split(
    " ",
  );

export const counterpart = proxyCounterpart({
  name: "Apache",
  command: "apache2",
  debianPackage: "apache2",
  versionArgs: ["-v"],
  example: "apache.conf",
  adapt: (example, { https, quarry, certificate, key, scratch }) => `
ServerRoot ${scratch}
PidFile ${scratch}/apache.pid
DefaultRuntimeDir ${scratch}
Mutex file:${scratch} default
ErrorLog ${scratch}/error.log
ServerName quarry.invalid
Listen 127.0.0.1:${https}
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${example
  .replaceAll("*:443", `127.0.0.1:${https}`)
  .replaceAll("/etc/ssl/quarry/fullchain.pem", certificate)
  .replaceAll("/etc/ssl/quarry/key.pem", key)
  .replaceAll("127.0.0.1:8787", `127.0.0.1:${quarry}`)}`,
  args: (config) => ["-D", "FOREGROUND", "-f", config],
});
