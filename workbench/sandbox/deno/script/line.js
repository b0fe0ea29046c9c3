// The sandbox's end of the channel, on Deno's standard input and output.
//
// Frames go out at once where nothing can hold the host back; while questions are open they go through a queue, so that
// answers are read even when the host takes nothing more.

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
    this.#fault = fault; // makes the error a program catches out of the host's refusal
  }

  // The frame that starts the run; nothing else is read before it.
  async first() {
    for (;;) {
      const [frame] = this.#frames();
      if (frame !== undefined) return frame;
      await this.#receive();
    }
  }

  // Hands out answers until the host closes the channel.
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
    if (this.#queued > MOST_QUEUED) throw new Error("Too much is printed while calls are open.");
  }

  ask(what, wish) {
    const number = ++this.#last;
    const asked = new Error(); // knows who asked, which the answer does not
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, asked });
      this.say({ kind: "ask", id: number, what, wish });
    });
  }

  // Everything that was said has left.
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
    if (count === null) leave(0); // nobody is listening any more
    this.#parts.push(chunk.subarray(0, count));
    this.#there += count;
  }

  // The whole frames that are there; a long one is put together once, when all of it has come.
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

// WORKAROUND(Deno makes another error of one whose stack was set or is empty, until it hands on every error as it is)
const askers = new WeakMap();

// Where a failure comes from: for one that the host answered, the line that asked.
export function stackOf(fault) {
  return String((askers.get(fault) ?? fault).stack ?? "");
}

function resolve(question, frame) {
  try {
    question.resolve(shaped(frame));
  } catch (fault) { // a part that is none of those the protocol has
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
