// Frames as the host's `frames.py` describes them: four bytes length and JSON, and bulk frames for one long value.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { stringify, parse } = JSON;
const BULK = 2 ** 31;
const BULKY = 1 << 16; // characters from which a value is worth a bulk frame

// A frame as bytes; the long arguments of a question and the long result of an end go as a bulk frame.
export function framed(frame) {
  if (frame.kind === "end" && frame.result?.length > BULKY) return bulk({ ...frame, result: "" }, frame.result);
  if (frame.what === "call") {
    const { arguments: given, ...wish } = frame.wish;
    const text = wellFormed(stringify(given));
    if (text.length > BULKY) return bulk({ ...frame, wish }, text);
  }
  const data = encoder.encode(wellFormed(stringify(frame)));
  return joined([word(data.length), data]);
}

// The whole frames at the beginning of some bytes, and the bytes that are left.
export function cut(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = [];
  let at = 0;
  while (bytes.length - at >= 4) {
    const end = at + lengthOf(bytes.subarray(at));
    if (bytes.length < end) break;
    const body = bytes.subarray(at + 4, end);
    found.push(view.getUint32(at) >= BULK ? unpacked(body) : parse(decoder.decode(body)));
    at = end;
  }
  return [found, at > 0 ? bytes.slice(at) : bytes];
}

// How long the frame is that these bytes begin; before its first four are there, that many.
export function lengthOf(bytes) {
  if (bytes.length < 4) return 4;
  return 4 + (new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % BULK);
}

// Half of a surrogate pair is a character for JavaScript and for nobody else.
export function wellFormed(json) {
  return json.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (found, what) => (what === "\\" ? found : "\\ufffd"));
}

export function joined(parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bulk(frame, text) {
  const head = encoder.encode(wellFormed(stringify({ ...frame, bulk: "json" })));
  const data = encoder.encode(text);
  return joined([word(BULK + 4 + head.length + data.length), word(head.length), head, data]);
}

function unpacked(body) {
  const length = new DataView(body.buffer, body.byteOffset).getUint32(0);
  const { bulk, ...frame } = parse(decoder.decode(body.subarray(4, 4 + length)));
  const text = decoder.decode(body.subarray(4 + length));
  return { ...frame, value: bulk === "json" ? parse(text) : text };
}

function word(number) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}
