// Frames as defined in the core's `frames.py`: four bytes with the length, then JSON; bulk frames for one long value.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { stringify, parse } = JSON;
const BULK = 2 ** 31;
const BULKY = 1 << 16; // characters from which a value is sent as a bulk frame

// Encodes a frame. Long arguments of a request and the long result of an end are sent as a bulk frame.
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

// Decodes all complete frames at the beginning of the bytes. Returns them and the remaining bytes.
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

// Length of the frame at the beginning of the bytes, including its length field; 4 if that field is incomplete.
export function lengthOf(bytes) {
  if (bytes.length < 4) return 4;
  return 4 + (new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % BULK);
}

// Replaces unpaired surrogates, which JavaScript strings allow but UTF-8 cannot encode.
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
