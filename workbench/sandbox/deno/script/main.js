// What becomes of a sandbox in TypeScript: takes a program's text over the channel, runs it, sends back what came of it.
//
// Nothing here protects anybody: the program shares this process and may change all of it. The locks are outside.

import { Line } from "./line.js";
import { jsonText } from "./plain.js";
import { takeOver } from "./print.js";
import { Text } from "./text.js";
import { told } from "./told.js";
import { failureOf, lend } from "./tools.js";

const LONGEST_RESULT = 24_000_000;
const leave = Deno.exit;
const measure = Deno.memoryUsage;
const line = new Line(failureOf);
let over = false;

// What ends a program at its own wish.
class Leaving {}

const { ahead, ...facts } = JSON.parse(Deno.args[0] ?? "{}");
if (ahead) await warmUp();
line.say({ kind: "ready", ...facts });
const start = await line.first();
takeOver(line);
lend(line);
line.listen().catch(() => leave(0));
await run(new Text(String(start.code)));

// Nobody waits yet: what is done once for every first module is done now.
async function warmUp() {
  const text = new Text("const one: number = 1;\none");
  lendNames();
  await import(URL.createObjectURL(new Blob([text.forms()[0]()], { type: "application/typescript" })));
}

function memory() {
  try {
    const { rss, heapTotal, external } = measure();
    return (rss || heapTotal + external) / 2 ** 20; // the kernel's number is in /proc, which is not here
  } catch { // it is a number for people, and nothing depends on it
    return 0;
  }
}

async function run(text) {
  for (const name of ["unhandledrejection", "error"]) {
    addEventListener(name, (event) => {
      event.preventDefault();
      const fault = event.reason ?? event.error;
      if (!(fault instanceof Leaving)) finish({ ok: false, ...told(fault, text, true) });
    });
  }
  lendExit();
  const failure = await ended(text);
  if (!(failure.fault instanceof Leaving)) await finish({ ok: false, ...told(failure.fault, text, failure.begun) });
}

// Runs the text to its end; answers why that was not possible. The next form is tried where one does not parse.
async function ended(text) {
  let failure;
  for (const form of text.forms()) {
    const names = lendNames();
    const module = new Blob([form()], { type: "application/typescript" });
    text.address = URL.createObjectURL(module);
    try {
      const { __value__: returned } = await import(text.address);
      return await finish(answered(await value(returned, names)));
    } catch (fault) {
      failure = { fault, begun: names.begun || !isSyntax(fault) };
      if (failure.begun) return failure;
    }
  }
  return failure;
}

// `return`, then `result = …`, then the value of the last line.
async function value(returned, names) {
  for (const found of [returned, names.done(), globalThis.__last__]) {
    const settled = await found;
    if (settled !== undefined) return settled;
  }
  return undefined;
}

function answered(found) {
  const result = jsonText(found);
  if (result.length > LONGEST_RESULT) {
    throw new RangeError("The result is too long to hand over. Write it to the workspace and return its path.");
  }
  return { ok: true, result };
}

// The names by which a form of the text speaks to us.
function lendNames() {
  const names = { begun: false, done: () => undefined };
  globalThis.__begin__ = () => void (names.begun = true);
  globalThis.__done__ = (result) => void (names.done = result);
  globalThis.__last__ = globalThis.result = undefined;
  return names;
}

function isSyntax(fault) {
  return fault instanceof SyntaxError || (fault instanceof TypeError && /^SyntaxError: /.test(fault.message));
}

function lendExit() {
  const exit = (code = 0) => {
    const message = `The program left with exit code ${code}.`;
    finish(code ? { ok: false, error_type: "Exit", message, traceback: "" } : { ok: true, result: "" });
    throw new Leaving();
  };
  Object.defineProperty(Deno, "exit", { value: exit, configurable: true });
}

async function finish(end) {
  if (over) return await new Promise(() => {});
  over = true;
  line.say({ kind: "end", ...end, memory_mb: memory() });
  await line.empty();
  return leave(0);
}
