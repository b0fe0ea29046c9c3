// Converts any value of a program to JSON text. Unusual values are shown as text instead of being lost.

import { wellFormed } from "./frames.js";

const { stringify } = JSON;
export const inspect = (value) => Deno.inspect(value, { colors: false, depth: 6, strAbbreviateSize: 10_000 });

// JSON text of any value; "" for undefined and functions.
export function jsonText(value) {
  if (value === undefined || typeof value === "function") return "";
  try {
    return written(value);
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return stringify(inspect(value)); // nested too deeply
  }
}

function written(value) {
  const outer = [];
  const text = stringify(value, function (key, inner) {
    while (outer.length > 0 && outer.at(-1) !== this) outer.pop();
    const found = known(inner);
    if (typeof found !== "object" || found === null) return found;
    if (outer.includes(found)) return "[circular]";
    outer.push(found);
    return found;
  });
  return text === undefined ? stringify(inspect(value)) : wellFormed(text);
}

function known(value) {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [String(key), inner]));
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return [...value].map(known);
  return value;
}
