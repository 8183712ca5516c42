import { fork, spawn, type ChildProcess, type Serializable } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";

import { readDemoState, writeDemoState } from "../../../src/cli/demo/demo-state.ts";
import { runDemo } from "../../../src/cli/demo/run-demo.ts";
import { claimState, identityOf, servedPort } from "../../../src/cli/worker/claim-state.ts";
import { freePort } from "../../end-to-end/run-cli.ts";
import { eventually } from "../../support/eventually.ts";
import { testFolder } from "../../support/test-folder.ts";

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

/** The record of another server, of the process that started this one. */
function recordOf(pid: number, { process: identity = identityOf(pid) } = {}): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  const record = { pid, port: 8_787, process: identity, folder: `${dev}:${ino}` };
  const file = join(folder, "server", "theirs.json");
  mkdirSync(join(folder, "server"));
  writeFileSync(file, JSON.stringify(record));
  // However long its start takes, while its process lives.
  utimesSync(file, new Date(0), new Date(0));
  return file;
}

test("a second server on a state folder is refused; the first one's end frees it", async () => {
  claimState(folder, 1)();
  claimState(folder, 1)();
  expect(readdirSync(join(folder, "server"))).toEqual([]);
  const below = join(folder, "a-file", "state");
  writeFileSync(join(folder, "a-file"), "");
  expect(() => claimState(below, 1)).toThrow(`${below} cannot be written: E`);
  rmSync(join(folder, "server"), { recursive: true });
  const file = recordOf(process.ppid);
  expect(() => claimState(folder, 1)).toThrow(
    `Another server uses ${folder} (process ${process.ppid}, port 8787). Stop that server`,
  );
  expect(existsSync(file)).toBe(true);
});

test("a command finds the port of the server that uses a state folder", () => {
  expect(servedPort(folder)).toBeNull();
  recordOf(process.ppid, { process: "a server that was killed" });
  expect(servedPort(folder)).toBeNull();
  const release = claimState(folder, 8_790);
  expect(servedPort(folder)).toBe(8_790);
  const copy = join(folder, "copy");
  cpSync(join(folder, "server"), join(copy, "server"), { recursive: true });
  expect(servedPort(copy)).toBeNull();
  release();
  expect(servedPort(folder)).toBeNull();
});

test("a second start changes nothing in the state folder that it is refused", async () => {
  recordOf(process.ppid);
  const state = join(folder, "demo.json");
  writeFileSync(state, "{}");
  const port = await freePort();
  const starting = runDemo({
    folder: undefined,
    port,
    state: folder,
    embedded: true,
    ignore: true,
    watch: false,
  });
  await expect(starting).rejects.toThrow("Another server uses");
  expect(readFileSync(state, "utf8")).toBe("{}");
  expect(readdirSync(folder).toSorted()).toEqual(["demo.json", "server"]);
});

const CLAIMING = join(import.meta.dirname, "../../support/claiming-process.ts");
const ROUNDS = 20;
const AT_ONCE = 5;

test("of five simultaneous starts one gets the folder, also after a killed server", async () => {
  const children = Array.from({ length: AT_ONCE }, () => fork(CLAIMING));
  const answersTo = async (message: Serializable, to: ChildProcess[] = children) => {
    const answers = to.map(async (child) => (await once(child, "message"))[0] as unknown);
    for (const child of to) child.send(message);
    return await Promise.all(answers);
  };
  await Promise.all(children.map(async (child) => await once(child, "message")));
  for (let round = 0; round < ROUNDS; round++) {
    folder = testFolder();
    if (round % 2 === 1) recordOf(process.ppid, { process: "an earlier one of its number" });
    const isOwner = await answersTo(folder);
    expect(isOwner.filter((each) => each === true)).toHaveLength(1);
    const owner = children.filter((_, nth) => isOwner[nth] === true);
    expect(readdirSync(folder)).toEqual(["server"]);
    const [record = ""] = readdirSync(join(folder, "server"));
    const { pid } = JSON.parse(readFileSync(join(folder, "server", record), "utf8")) as {
      pid: number;
    };
    expect(owner.map((child) => child.pid)).toEqual([pid]);
    const otherProcesses = children.filter((child) => child !== owner[0]).slice(0, 1);
    expect(await answersTo(folder, otherProcesses)).toEqual([false]);
    // A copy of the folder is another folder.
    const copy = testFolder();
    cpSync(folder, copy, { recursive: true });
    expect(await answersTo(copy, otherProcesses)).toEqual([true]);
    await answersTo({});
  }
  for (const child of children) child.kill();
});

test("what a killed server left is replaced, its variables go; an end leaves none", async () => {
  const writeAll = () => {
    for (const name of ["model.env", "variables.env", "server.json", "server.lock"])
      writeFileSync(join(folder, name), "AI_GATEWAY_TOKEN='secret'");
  };
  writeFileSync(recordOf(process.ppid), "{ not whole");
  writeAll();
  const release = claimState(folder, 1);
  expect(readdirSync(folder)).toEqual(["server"]);
  writeAll();
  release();
  expect(readdirSync(folder)).toEqual(["server"]);
  expect(readdirSync(join(folder, "server"))).toEqual([]);
});

test("the state folder is closed to other users; foreign files are left alone", async () => {
  const open = (name: string) => {
    writeFileSync(join(folder, name), "", { mode: 0o644 });
    return name;
  };
  mkdirSync(join(folder, "v3/d1"), { recursive: true, mode: 0o755 });
  const files = ["demo.json", "variables.env.txt"].map(open);
  const modes = () =>
    [".", "v3", ...files].map((name) => statSync(join(folder, name)).mode & 0o777);
  chmodSync(folder, 0o755);
  claimState(folder, 1)();
  expect(modes()).toEqual([0o755, 0o700, 0o600, 0o644]);
  rmSync(join(folder, files.pop() ?? ""));
  claimState(folder, 1)();
  expect(modes()).toEqual([0o700, 0o700, 0o600]);
});

test("a killed server whose parent has not noticed uses the folder no more", async () => {
  const parent = spawn("sh", ["-c", "(exit 0) & echo $!; exec sleep 60"]);
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  await eventually(() => expect(identityOf(Number(pid.toString()))).toBe(""));
  expect(identityOf(process.pid)).not.toBe("");
  parent.kill();
});

test("the token is kept, readable by its owner only", async () => {
  const state = {
    token: "qry_1",
    key: "qrya_1",
    password: "p",
    folders: { sample: "/s" },
    embeddingModel: "local/bge-m3",
    withImageModel: ["sample"],
  };
  writeDemoState(folder, state);
  expect(statSync(join(folder, "demo.json")).mode & 0o777).toBe(0o600);
  expect(await readDemoState(folder)).toEqual(state);
  // A write that a full disk or a kill ends leaves the earlier state: the file is replaced whole.
  const { ino } = statSync(join(folder, "demo.json"));
  writeDemoState(folder, { ...state, token: null });
  expect(statSync(join(folder, "demo.json")).ino).not.toBe(ino);
  expect(readdirSync(folder)).toEqual(["demo.json"]);
});

test("a spoilt file counts as none", async () => {
  writeFileSync(join(folder, "demo.json"), "{ not json");
  const none = {
    token: null,
    key: null,
    password: null,
    folders: {},
    embeddingModel: null,
    withImageModel: [],
  };
  expect(await readDemoState(folder)).toEqual(none);
});
