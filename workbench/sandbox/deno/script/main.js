// Entry point for TypeScript programs: receives a program's text over the channel, runs it, and sends its result.
//
// This code provides no protection: the program shares this process and may change all of it. The locks are outside.

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

// Thrown to end a program that calls Deno.exit.
class Leaving {}

const { ahead, ...facts } = JSON.parse(Deno.args[0] ?? "{}");
if (ahead) await warmUp();
line.say({ kind: "ready", ...facts });
const start = await line.first();
takeOver(line);
lend(line);
line.listen().catch(() => leave(0));
await run(new Text(String(start.code)));

// Runs the one-time work for a first module ahead of the program, when no run waits.
async function warmUp() {
  const text = new Text("const one: number = 1;\none");
  lendNames();
  await import(URL.createObjectURL(new Blob([text.forms()[0]()], { type: "application/typescript" })));
}

function memory() {
  try {
    const { rss, heapTotal, external } = measure();
    return (rss || heapTotal + external) / 2 ** 20; // the kernel's peak value is in /proc, which is not mounted
  } catch { // the value is only shown to the user
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

// Runs the program and sends its end. Returns the failure if that was not possible. If a form does not parse, the next
// one is tried.
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

// The program's result: `return`, then `result = …`, then the value of the last line.
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
    throw new RangeError("The result is too long to return. Write it to the workspace and return its path.");
  }
  return { ok: true, result };
}

// Defines the global functions that the forms of the text call.
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
    const message = `The program exited with code ${code}.`;
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
