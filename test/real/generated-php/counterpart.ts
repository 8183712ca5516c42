import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import { NotInstalled, type Counterpart } from "../tools.ts";

/** Debian's package, so that Packagist is not needed. */
const GUZZLE = "/usr/share/php/GuzzleHttp/autoload.php";
const PACKAGES = { public: "QuarryPublic", panel: "QuarryPanel" };
const EVERY_FILE = `
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1])) as $file)
    if ($file->getExtension() === 'php') opcache_compile_file($file->getPathname());
`;

export const counterpart: Counterpart = {
  about: "PHP clients that openapi-generator makes of the documents",
  async install(tools) {
    const php = tools.needs("php", "php-cli php-curl php-mbstring php-guzzlehttp-guzzle");
    if (!existsSync(GUZZLE)) {
      throw new NotInstalled(`${GUZZLE} is missing: apt-get install php-guzzlehttp-guzzle`);
    }
    await writeDocuments(tools.cache);
    for (const [document, name] of Object.entries(PACKAGES)) {
      const file = join(tools.cache, `${document}.json`);
      const folder = join(tools.cache, name);
      const options = ["--additional-properties", `invokerPackage=${name}`];
      await generate(tools, folder, ["-g", "php", "-i", file, ...options]);
      const lint = ["-d", "opcache.enable_cli=1", "-r", EVERY_FILE, join(folder, "lib")];
      await tools.run(php, lint);
    }
    cpSync(join(import.meta.dirname, "main.php"), join(tools.cache, "main.php"));
    return generatorVersion;
  },
  async check(tools) {
    const program = { command: "php", args: [join(tools.cache, "main.php")] };
    await checkClient(tools, "PHP", { ...program, env: { GUZZLE } });
  },
};
