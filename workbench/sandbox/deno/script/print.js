// Console and standard streams that send a program's output as frames on the channel.

import { inspect } from "./plain.js";

const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
const PIECE = 1 << 20;

// Replaces Deno's console and streams, which would write to the channel's descriptors and break the protocol.
export function takeOver(line) {
  const tell = (stream, text) => {
    for (let at = 0; at < text.length; at += PIECE) {
      line.say({ kind: "output", stream, text: text.slice(at, at + PIECE) });
    }
  };
  globalThis.console = consoleOf(tell);
  const streams = { stdout: streamOf("stdout", tell), stderr: streamOf("stderr", tell) };
  const nothing = {
    read: async () => null,
    readSync: () => null,
    isTerminal: () => false,
    close() {},
    readable: new ReadableStream({ start: (one) => one.close() }),
  };
  replace(Deno, { ...streams, stdin: nothing, args: [] });
  replace(globalThis, { alert: undefined, confirm: undefined, prompt: undefined, Worker: undefined });
  lendProcess(streams);
}

function replace(target, values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
}

// Node's `process` is created on first access. Its streams are replaced too.
function lendProcess(streams) {
  const getter = Object.getOwnPropertyDescriptor(globalThis, "process")?.get;
  const lend = (process) => {
    for (const name of ["stdout", "stderr"]) {
      const write = (
        text,
      ) => (streams[name].writeSync(typeof text === "string" ? new TextEncoder().encode(text) : text), true);
      Object.defineProperty(process, name, {
        value: { write, isTTY: false, columns: 80, on() {}, once() {}, end() {} },
        configurable: true,
      });
    }
    return process;
  };
  if (getter === undefined) return;
  let lent;
  const get = () => (lent ??= lend(getter.call(globalThis)));
  Object.defineProperty(globalThis, "process", { get, configurable: true });
}

function streamOf(name, tell) {
  const writeSync = (data) => {
    tell(name, decoders[name].decode(data, { stream: true }));
    return data.length;
  };
  const sink = () => new WritableStream({ write: (data) => void writeSync(data) });
  return {
    writeSync,
    write: async (data) => writeSync(data),
    isTerminal: () => false,
    close() {},
    get writable() {
      return sink();
    },
  };
}

function consoleOf(tell) {
  const counts = new Map();
  const times = new Map();
  let indent = "";
  const print = (stream) => (...parts) => {
    const text = format(parts);
    tell(stream, `${indent ? text.replace(/^/gm, indent) : text}\n`);
  };
  const log = print("stdout");
  const warn = print("stderr");
  const elapsed = (label) => `${label}: ${(performance.now() - (times.get(label) ?? performance.now())).toFixed(3)}ms`;
  return {
    log,
    info: log,
    debug: log,
    dirxml: log,
    warn,
    error: warn,
    dir: (value) => log(inspect(value)),
    table: (rows) => log(table(rows)),
    trace: (...parts) => warn("Trace:", ...parts),
    assert: (fine, ...parts) => void (fine || warn("Assertion failed", ...parts)),
    clear() {},
    group(...parts) {
      if (parts.length > 0) log(...parts);
      indent += "    ";
    },
    groupCollapsed(...parts) {
      this.group(...parts);
    },
    groupEnd: () => void (indent = indent.slice(4)),
    count(label = "default") {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      log(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void times.set(label, performance.now()),
    timeLog: (label = "default", ...parts) => log(elapsed(label), ...parts),
    timeEnd(label = "default") {
      log(elapsed(label));
      times.delete(label);
    },
    timeStamp() {},
    profile() {},
    profileEnd() {},
  };
}

function format(parts) {
  const rest = [...parts];
  let text = "";
  if (typeof rest[0] === "string" && rest[0].includes("%") && rest.length > 1) {
    text = rest.shift().replace(/%([sdifjoOc%])/g, (mark, letter) => filled(mark, letter, rest));
    if (rest.length > 0) text += " ";
  }
  return text + rest.map((part) => (typeof part === "string" ? part : inspect(part))).join(" ");
}

function filled(mark, letter, rest) {
  if (letter === "%") return "%";
  if (rest.length === 0) return mark;
  const part = rest.shift();
  if (letter === "s") return typeof part === "object" && part !== null ? inspect(part) : String(part);
  if (letter === "d" || letter === "i") return String(letter === "i" ? Math.trunc(Number(part)) : Number(part));
  if (letter === "f") return String(Number(part));
  if (letter === "j") return JSON.stringify(part);
  return letter === "c" ? "" : inspect(part);
}

function table(rows) {
  if (typeof rows !== "object" || rows === null) return inspect(rows);
  const names = [
    ...new Set(Object.values(rows).flatMap((row) => (Object(row) === row ? Object.keys(row) : ["Values"]))),
  ];
  const cell = (value) => (typeof value === "string" ? value : value === undefined ? "" : inspect(value));
  const body = Object.entries(rows).map((
    [key, row],
  ) => [key, ...names.map((name) => cell(Object(row) === row ? row[name] : name === "Values" ? row : undefined))]);
  const lines = [["", ...names], ...body];
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  return lines.map((line) => line.map((word, at) => word.padEnd(widths[at])).join(" | ").trimEnd()).join("\n");
}
