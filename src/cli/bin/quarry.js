#!/usr/bin/env node
// A checkout runs the source; the packed service has its bundle, made by `npm pack`.
import { existsSync } from "node:fs";

const source = new URL("../quarry.ts", import.meta.url);
const bundle = new URL("../../../dist/cli/quarry.js", import.meta.url);
await import((existsSync(source) ? source : bundle).href);
