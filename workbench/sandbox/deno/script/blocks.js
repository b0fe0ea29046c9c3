// Typed parts of a tool's answer that is more than JSON or text: images, audio, files, links.
//
// Each part has the fields of the protocol, except that `data` is a Uint8Array and its encoded form is `base64`. As
// JSON, in arguments and results, a part has the form that the protocol defines.

const MAGIC = [[[0x89, 0x50, 0x4e, 0x47], "image/png"], [[0xff, 0xd8, 0xff], "image/jpeg"], [
  [0x47, 0x49, 0x46, 0x38],
  "image/gif",
]];
const PIECE = 1 << 15;

class Block {
  constructor(part) {
    Object.assign(this, part);
  }
}

export class Text extends Block {
  toString() {
    return this.text;
  }

  json() {
    return JSON.parse(this.text);
  }
}

class Bytes extends Block {
  #base64;
  #data;

  constructor(part, base64) {
    super(part);
    this.#base64 = base64;
  }

  get base64() {
    return this.#base64;
  }

  get data() {
    return this.#data ??= decoded(this.#base64);
  }

  // Write the bytes to a file in the workspace. Returns the path in the workspace.
  async save(path) {
    return await globalThis.writeFile(path, this.data);
  }
}

export class Image extends Bytes {
  // Programs can create an image from bytes: new Image(await Deno.readFile("workspace/plot.png")).
  constructor(data, mimeType = kindOf(data)) {
    super({ type: "image", mimeType }, typeof data === "string" ? data : encoded(data));
  }

  toJSON() {
    return { ...this, data: this.base64 };
  }
}

export class Audio extends Bytes {
  constructor(data, mimeType = "audio/wav") {
    super({ type: "audio", mimeType }, typeof data === "string" ? data : encoded(data));
  }

  toJSON() {
    return { ...this, data: this.base64 };
  }
}

export class Resource extends Bytes {
  #resource;

  constructor({ resource }) {
    const { uri = "", mimeType = "", text = "", blob } = resource;
    super({ type: "resource", uri, mimeType, text }, blob ?? encoded(new TextEncoder().encode(text)));
    this.#resource = resource;
  }

  toJSON() {
    return { type: "resource", resource: this.#resource };
  }
}

export class Link extends Block {}

// All parts of an answer in order. If only one part has bytes, they are available on this array directly.
export class Blocks extends Array {
  static get [Symbol.species]() {
    return Array;
  }

  get text() {
    return this.map((block) => block.text).filter(Boolean).join("\n");
  }

  get images() {
    return this.filter((block) => block instanceof Image);
  }

  get audio() {
    return this.filter((block) => block instanceof Audio);
  }

  get resources() {
    return this.filter((block) => block instanceof Resource);
  }

  get links() {
    return this.filter((block) => block instanceof Link);
  }

  get data() {
    return this.#only().data;
  }

  get mimeType() {
    return this.#only().mimeType;
  }

  async save(path) {
    return await this.#only().save(path);
  }

  #only() {
    const found = this.filter((block) => block instanceof Bytes);
    if (found.length === 1) return found[0];
    throw new TypeError(`${found.length} parts of this answer hold bytes; choose one, for example .images[0].`);
  }
}

// Converts an answer of the core to the form that programs receive.
export function shaped({ shape, value }) {
  if (shape === "blocks") return blocks(value);
  if (shape !== "structured") return value;
  const [structured, parts] = value;
  return Object.defineProperty(structured, "content", { value: blocks(parts), enumerable: false });
}

function blocks(parts) {
  const made = new Blocks();
  for (const part of parts) made.push(block(part));
  return made;
}

function block(part) {
  switch (part.type) {
    case "text":
      return new Text(part);
    case "image":
      return new Image(part.data, part.mimeType);
    case "audio":
      return new Audio(part.data, part.mimeType);
    case "resource":
      return new Resource(part);
    default:
      return new Link(part);
  }
}

function decoded(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new TypeError("The server sent invalid base64, so there are no bytes.");
  }
}

function encoded(data) {
  const bytes = new Uint8Array(data);
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

function kindOf(data) {
  if (typeof data === "string") return "";
  const found = MAGIC.find(([magic]) => magic.every((byte, at) => data[at] === byte));
  const webp = String.fromCharCode(...data.subarray(0, 4), ...data.subarray(8, 12)) === "RIFFWEBP";
  return found ? found[1] : webp ? "image/webp" : "image/png";
}
