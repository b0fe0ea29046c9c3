// The sandbox's side of the channel, on Deno's standard input and output.
//
// Frames are written at once if no request is open. While requests are open, larger frames go through a queue, so that
// answers are read even if the core does not read.

import { shaped } from "./blocks.js";
import { cut, framed, joined, lengthOf } from "./frames.js";

const input = Deno.stdin;
const output = Deno.stdout;
const leave = Deno.exit;
const CHUNK = 1 << 18;
const MOST_QUEUED = 8 << 20;

export class Line {
  #parts = [];
  #there = 0;
  #wanted = 4;
  #waiting = new Map();
  #queue = [];
  #queued = 0;
  #sending = null;
  #last = 0;
  #fault;

  constructor(fault) {
    this.#fault = fault; // converts an error of the core to the error for the program
  }

  // Waits for the frame that starts the run.
  async first() {
    for (;;) {
      const [frame] = this.#frames();
      if (frame !== undefined) return frame;
      await this.#receive();
    }
  }

  // Delivers answers until the core closes the channel.
  async listen() {
    for (;;) {
      await this.#receive();
      for (const frame of this.#frames()) this.#settle(frame);
    }
  }

  say(frame) {
    const data = framed(frame);
    if (this.#sending === null && (this.#waiting.size === 0 || data.length < 4096)) {
      writeAll(data);
      return;
    }
    this.#queue.push(data);
    this.#queued += data.length;
    if (this.#sending === null) this.#sending = this.#send();
    if (this.#queued > MOST_QUEUED) throw new Error("The program prints too much while calls are open.");
  }

  ask(what, wish) {
    const number = ++this.#last;
    const asked = new Error(); // its stack trace shows the caller, which the answer's error lacks
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, asked });
      this.say({ kind: "ask", id: number, what, wish });
    });
  }

  // Waits until all queued frames are written.
  async empty() {
    while (this.#sending !== null) await this.#sending;
  }

  async #send() {
    await null;
    while (this.#queue.length > 0) {
      const data = joined(this.#queue);
      this.#queue = [];
      this.#queued = 0;
      for (let at = 0; at < data.length;) at += await output.write(data.subarray(at));
    }
    this.#sending = null;
  }

  async #receive() {
    const chunk = new Uint8Array(CHUNK);
    const count = await input.read(chunk);
    if (count === null) leave(0); // the core closed the channel
    this.#parts.push(chunk.subarray(0, count));
    this.#there += count;
  }

  // Decodes the complete received frames. The parts of a long frame are joined once, after all have arrived.
  #frames() {
    if (this.#there < this.#wanted) return [];
    const [found, rest] = cut(joined(this.#parts));
    this.#parts = [rest];
    this.#there = rest.length;
    this.#wanted = lengthOf(rest);
    return found;
  }

  #settle(frame) {
    const question = this.#waiting.get(frame.id);
    if (question === undefined) return;
    this.#waiting.delete(frame.id);
    if (frame.error !== undefined) question.reject(asked(this.#fault, frame.error, question.asked));
    else resolve(question, frame);
  }
}

// WORKAROUND(Deno replaces errors whose stack was set or is empty, until it passes on every error unchanged)
const askers = new WeakMap();

// Stack trace of an error; for an error that the core returned, the stack trace of the request's caller.
export function stackOf(fault) {
  return String((askers.get(fault) ?? fault).stack ?? "");
}

function resolve(question, frame) {
  try {
    question.resolve(shaped(frame));
  } catch (fault) { // a part of a type that the protocol does not define
    question.reject(fault);
  }
}

function asked(failure, error, asker) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const fault = failure(error);
  Error.stackTraceLimit = limit;
  askers.set(fault, asker);
  return fault;
}

function writeAll(data) {
  for (let at = 0; at < data.length;) at += output.writeSync(data.subarray(at));
}
