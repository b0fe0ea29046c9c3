// Converts a program's text to forms that can run: a module, or a function if it has a top-level `return`.
//
// Line numbers stay the same, so that errors name the author's lines. Columns are mapped back.

import { scan } from "./scan.js";

const BEGIN = "__begin__();";
const END = '\n;__done__(() => typeof result === "undefined" ? undefined : result);';
const LAST = "__last__ = ";
const SERVERS = "file:///bench/servers/";

export class Text {
  #found;
  #edits = [];

  constructor(source) {
    this.source = source.replace(/^#!/, "//");
    this.address = "blob:none"; // URL of the form that runs
    this.#found = scan(this.source);
  }

  // Functions that create the possible forms as TypeScript. A form is tried if the one before it does not parse.
  forms() {
    const { last, returns } = this.#found;
    const forms = last >= 0 ? [() => this.#module(true)] : [() => this.#module(false)];
    if (returns) forms.push(() => this.#function(last >= 0));
    if (last >= 0) forms.push(() => (returns ? this.#function(false) : this.#module(false)));
    return forms;
  }

  // Maps a column of the running form to the author's source.
  column(line, shown) {
    let moved = 0;
    for (const edit of this.#edits.filter((one) => one.line === line)) {
      const place = edit.column + moved;
      if (shown < place) break;
      if (shown < place + edit.words.length) return edit.column;
      moved += edit.words.length - edit.gone;
    }
    return Math.max(1, shown - moved);
  }

  #module(keepsLast) {
    return this.#edited([{ from: 0, to: 0, words: BEGIN }, ...this.#named(), ...this.#last(keepsLast)]) + END;
  }

  // Imports are not allowed in a function: they move before it, in one line, and are replaced by empty lines.
  #function(keepsLast) {
    const { imports, exports } = this.#found;
    const heads = imports.map(({ tokens }) => tokens.map((token) => this.#word(token)).join(" ").replace(/;?$/, ";"));
    const head = `${BEGIN}${heads.join("")}const __program__ = async () => {`;
    const gone = [...imports, ...exports].map(({ from, to }) => ({ from, to, words: "" }));
    const inner = this.#named().filter((edit) => !imports.some(({ from, to }) => edit.from >= from && edit.to <= to));
    const body = this.#edited([{ from: 0, to: 0, words: head }, ...gone, ...inner, ...this.#last(keepsLast)]);
    return `${body}${END}\n};export const __value__ = await __program__();`;
  }

  #last(kept) {
    return kept ? [{ from: this.#found.last, to: this.#found.last, words: LAST }] : [];
  }

  #named() {
    return this.#found.specifiers.map((token) => ({
      ...token,
      words: placed(this.source.slice(token.from, token.to)),
    }));
  }

  #word(token) {
    const text = this.source.slice(token.from, token.to);
    return token.kind === "string" ? placed(text) : text;
  }

  #edited(edits) {
    const sorted = edits.toSorted((one, other) => one.from - other.from);
    let text = "";
    let at = 0;
    this.#edits = [];
    for (const { from, to, words } of sorted) {
      const before = this.source.slice(0, from);
      const kept = words + this.source.slice(from, to).replace(/[^\n]/g, "").slice(0, words === "" ? undefined : 0);
      const gone = kept.includes("\n") ? 0 : to - from;
      this.#edits.push({
        line: before.split("\n").length,
        column: from - before.lastIndexOf("\n"),
        gone,
        words: kept.includes("\n") ? "" : kept,
      });
      text += this.source.slice(at, from) + kept;
      at = to;
    }
    return text + this.source.slice(at);
  }
}

// URL of a module from the spellings that agents use, such as "./servers/github" or "servers/github/index.js".
function placed(literal) {
  const name = literal.slice(1, -1).replace(/^(?:file:\/\/)?(?:\/bench\/|(?:\.{1,2}\/)+)/, "");
  if (/^(?:servers\/)?(?:client|tool[-_]?discovery)(?:\.\w+)?$/i.test(name)) return `"${SERVERS}client.js"`;
  const found = /^servers\/([^/]+)(?:\/(.+?))?\/?(?:\.[jt]s)?$/.exec(name);
  if (!found) return literal;
  const folder = found[1].replace(/\W/g, "_");
  const file = found[2] ?? "index";
  return `"${SERVERS}${folder}/${file}${file === "index" ? ".js" : ".ts"}"`;
}
