// Formats an error with the program's own lines, without the frames of the runner.

import { stackOf } from "./line.js";
import { inspect } from "./plain.js";

const LONGEST = 20_000;
const DEEPEST = 5;

// Type, message and shortened stack trace of an error. `text` maps columns back to the program's source; `begun`: the
// program was parsed and started.
export function told(fault, text, begun) {
  try {
    const found = begun ? null : syntax(fault);
    if (found) return unparsed(found, text);
    return {
      error_type: kind(fault),
      message: sentence(fault, text),
      traceback: trace(fault, text, 0).slice(0, LONGEST),
    };
  } catch { // getters of a program's own error may throw anything
    return { error_type: "Error", message: "The program failed with a value that cannot be shown.", traceback: "" };
  }
}

function kind(fault) {
  if (fault instanceof RangeError && /^Array buffer allocation failed|^Invalid string length/.test(fault.message)) {
    return "MemoryError";
  }
  return fault instanceof Error ? String(fault.name || "Error").slice(0, 200) : "Error";
}

function sentence(fault, text) {
  if (!(fault instanceof Error)) return shown(fault);
  return missing(String(fault.message), text).slice(0, LONGEST);
}

// Recognizes a syntax error: Deno wraps its parser's message, V8 appends the position.
function syntax(fault) {
  const link = /module 'file:\/\/\/bench\/servers\/([^/']+)\/[^']*' does not provide an export named '([^']+)'/.exec(
    fault.message,
  );
  if (link) return { words: `${noTool(link[1], link[2])}`, line: 0 };
  const [words] = String(fault.message).replace(/^SyntaxError: /, "").split(/\n| at blob:/, 1);
  const place = /blob:null\/[\w-]+:(\d+):\d+/.exec(`${fault.message}\n${fault.stack}`);
  return { words, line: place ? Number(place[1]) : 0 };
}

function unparsed({ words, line }, text) {
  const source = text.source.split("\n")[line - 1]?.trim().slice(0, 200);
  const traceback = source ? `  <program>:${line}\n    ${source}\nSyntaxError: ${words}\n` : `SyntaxError: ${words}\n`;
  return { error_type: "SyntaxError", message: line ? `${words} (line ${line})` : words, traceback };
}

function missing(words, text) {
  const wrapper = /^Module not found "file:\/\/\/bench\/servers\/([^"/]+)\/([^"]*)"/.exec(words);
  if (!wrapper) return words.replaceAll(text.address, "<program>").replace(/\n\s+at .*/gs, "");
  if (/^index\.\w+$/.test(wrapper[2])) {
    return `There is no server ${wrapper[1]}. searchTools() lists the available tools.`;
  }
  return noTool(wrapper[1], wrapper[2].replace(/\.\w+$/, ""));
}

function noTool(server, tool) {
  return `The server ${server} has no tool ${tool}. searchTools() finds the right name.`;
}

function trace(fault, text, depth) {
  if (!(fault instanceof Error)) return `Uncaught ${shown(fault)}\n`;
  const head = `${kind(fault)}: ${sentence(fault, text)}\n${frames(stackOf(fault), text)}`;
  if (depth === DEEPEST) return head;
  const cause = fault.cause === undefined ? "" : `Caused by: ${trace(fault.cause, text, depth + 1)}`;
  const inner = fault instanceof AggregateError ? fault.errors.slice(0, 10) : [];
  return head + cause + inner.map((one) => trace(one, text, depth + 1)).join("");
}

function frames(stack, text) {
  const source = text.source.split("\n");
  const lines = [];
  const at = new RegExp(`^\\s*at (.*?)\\(?${text.address}:(\\d+):(\\d+)\\)?$`);
  for (const line of stack.split("\n")) {
    const found = at.exec(line);
    if (!found) continue;
    const name = found[1].trim().replace(/^async$/, "").replace(/\b__program__\b/, "").trim();
    const place = `<program>:${found[2]}:${text.column(Number(found[2]), Number(found[3]))}`;
    const words = (source[Number(found[2]) - 1] ?? "").trim().slice(0, 200);
    lines.push(`    at ${name ? `${name} (${place})` : place}\n      ${words}\n`);
  }
  return lines.filter((line, number) => line !== lines[number - 1]).join("");
}

function shown(value) {
  return typeof value === "string" ? value.slice(0, LONGEST) : inspect(value).slice(0, LONGEST);
}
