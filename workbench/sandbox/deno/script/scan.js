// Scans a program's text before it runs: imports, a top-level `return`, and the start of the last statement.
//
// It tracks strings, templates, comments and brackets, but does not fully parse the text. A wrong guess creates a form
// that does not parse, and then the next form is tried.

const WORD = /[\p{ID_Start}$_#\d][\p{ID_Continue}$\u200c\u200d]*/uy;
const OPERATORS = new Set(
  ("return typeof case in of instanceof new delete void throw await yield else do extends implements as satisfies " +
    "from import export default const let var async function class interface enum").split(" "),
);
const CONTINUING = new Set("in of instanceof as satisfies else catch finally while from extends implements".split(" "));
const STATEMENTS = new Set(
  ("const var function class if for while do switch try throw return import export break continue debugger with " +
    "case default").split(" "),
);
const BLOCKS = new Set(
  "function class if for while do switch try interface enum namespace module declare abstract".split(" "),
);
const CONTEXTUAL = new Set("type interface namespace module declare abstract enum let".split(" "));
const OPEN = { "(": ")", "[": "]", "{": "}" };

// Results of the scan. Positions count UTF-16 code units.
export function scan(source) {
  const scanner = new Scanner(source);
  scanner.run();
  return scanner.found;
}

class Scanner {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.stack = [];
    this.previous = null;
    this.before = null; // the token before the previous one
    this.newline = false;
    this.statement = null;
    this.found = { specifiers: [], imports: [], exports: [], returns: false, last: -1 };
  }

  run() {
    while (this.skipBlank()) this.token();
    this.close();
    const last = this.statement;
    if (last !== null && !last.declares) this.found.last = last.from;
  }

  // Skips white space and comments. Returns false at the end of the text.
  skipBlank() {
    const { source } = this;
    while (this.at < source.length) {
      const mark = source[this.at];
      if (mark === "\n") this.newline = true;
      if (/\s/.test(mark)) this.at += 1;
      else if (source.startsWith("//", this.at)) this.at = until(source, "\n", this.at, 0);
      else if (source.startsWith("/*", this.at)) this.comment();
      else return true;
    }
    return false;
  }

  comment() {
    const end = until(this.source, "*/", this.at + 2, 2);
    this.newline ||= this.source.slice(this.at, end).includes("\n");
    this.at = end;
  }

  token() {
    const mark = this.source[this.at];
    const from = this.at;
    if (mark === '"' || mark === "'") this.take("string", from, quoted(this.source, from));
    else if (mark === "`") this.template(from, from + 1);
    else if (mark === "/" && this.regexAllowed()) this.take("regex", from, regex(this.source, from));
    else if (this.word()) this.take("word", from, this.at);
    else this.punctuation(mark, from);
  }

  word() {
    WORD.lastIndex = this.at;
    if (!WORD.test(this.source)) return false;
    this.at = WORD.lastIndex;
    return true;
  }

  punctuation(mark, from) {
    if (mark in OPEN) {
      this.take("mark", from, from + 1);
      this.stack.push(mark);
    } else if (mark === "}" && this.stack.at(-1) === "`") {
      this.stack.pop();
      this.template(from, from + 1, true);
    } else if (mark === ")" || mark === "]" || mark === "}") {
      this.stack.pop();
      this.take("mark", from, from + 1, true);
    } else {
      const two = this.source.slice(from, from + 2);
      this.take("mark", from, from + (two === "++" || two === "--" || two === "=>" ? 2 : 1));
    }
  }

  // Scans from a backquote, or the end of a substitution, to the next substitution or the closing backquote.
  template(from, at, again = false) {
    const { source } = this;
    while (at < source.length && source[at] !== "`" && !source.startsWith("${", at)) at += source[at] === "\\" ? 2 : 1;
    const inserts = source.startsWith("${", at);
    this.take("template", from, Math.min(at + (inserts ? 2 : 1), source.length), again);
    if (inserts) this.stack.push("`");
  }

  regexAllowed() {
    const { previous } = this;
    if (previous === null) return true;
    if (previous.kind === "word") return OPERATORS.has(previous.text);
    return previous.kind === "mark" && previous.text !== ")" && previous.text !== "]";
  }

  take(kind, from, to, closes = false) {
    const token = { kind, from, to, text: this.source.slice(from, to) };
    this.at = to;
    if (this.stack.length === 0 && !closes && this.begins(token)) this.open(token);
    else if (this.statement !== null) this.add(token);
    if (kind === "word" && token.text === "return") this.found.returns = true;
    if (kind === "string") this.specifier(token);
    this.before = this.previous;
    this.previous = token;
    this.newline = false;
  }

  // Whether a token at the top level begins a statement.
  begins(token) {
    const { previous } = this;
    if (previous === null || this.statement === null) return true;
    if (previous.text === ";" && previous.kind === "mark") return token.text !== ";";
    if (!this.newline || continues(token, this.blockEnded())) return false;
    return ends(previous);
  }

  blockEnded() {
    return this.previous.text === "}" && this.statement.block;
  }

  open(token) {
    this.close();
    const { text } = token;
    const declares = STATEMENTS.has(text) || text === "{" || text === "@" || text === ";";
    this.statement = { from: token.from, tokens: [token], declares, block: BLOCKS.has(text) || text === "{" };
  }

  // Adds a token to the statement. The second token may change the statement's kind.
  add(token) {
    const { statement } = this;
    const first = statement.tokens[0].text;
    const second = statement.tokens.length === 1;
    statement.tokens.push(token);
    if (!second) return;
    if (first === "import" && (token.text === "(" || token.text === ".")) statement.declares = false;
    if (first === "async" && token.text === "function") statement.declares = statement.block = true;
    if (CONTEXTUAL.has(first) && (token.kind === "word" || "{[".includes(token.text)) && !this.newline) {
      statement.declares = true;
    }
    if (CONTEXTUAL.has(first) && !statement.declares) statement.block = false;
    if (token.text === ":" && statement.tokens[0].kind === "word") statement.declares = true;
    if (first === "export") statement.block = BLOCKS.has(token.text) || token.text === "async";
  }

  close() {
    const { statement } = this;
    if (statement === null || !statement.declares) return;
    const [first, second] = statement.tokens;
    const extent = { from: statement.from, to: statement.tokens.at(-1).to };
    if (first.text === "import") this.found.imports.push({ ...extent, tokens: statement.tokens });
    if (first.text === "export") {
      this.found.exports.push({ from: first.from, to: second?.text === "default" ? second.to : first.to });
    }
  }

  // Records a module name in an import, an export, or an `import("…")` call.
  specifier(token) {
    const { previous, before, statement } = this;
    const outer = statement?.tokens[0].text;
    const stands = this.stack.length === 0 && (outer === "import" || outer === "export");
    const named = previous?.text === "from" || (previous?.text === "import" && previous.kind === "word");
    const called = previous?.text === "(" && before?.text === "import";
    if ((stands && named) || called) this.found.specifiers.push({ from: token.from, to: token.to });
  }
}

function until(source, mark, from, past) {
  const found = source.indexOf(mark, from);
  return found < 0 ? source.length : found + past;
}

function quoted(source, from) {
  let at = from + 1;
  while (at < source.length && source[at] !== source[from] && source[at] !== "\n") at += source[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, source.length);
}

function regex(source, from) {
  let at = from + 1;
  let listed = false;
  while (at < source.length && source[at] !== "\n" && (listed || source[at] !== "/")) {
    if (source[at] === "[") listed = true;
    if (source[at] === "]") listed = false;
    at += source[at] === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, source.length);
}

function ends(token) {
  if (token.kind === "word") return !OPERATORS.has(token.text);
  return token.kind !== "mark" || [")", "]", "}", "++", "--"].includes(token.text);
}

function continues(token, blockEnded) {
  if (token.kind === "word") return CONTINUING.has(token.text);
  if (token.kind === "template") return !blockEnded;
  if (token.kind !== "mark" || ["{", "!", "~", "++", "--", "@"].includes(token.text)) return false;
  return !(blockEnded && ["(", "[", "+", "-", "/"].includes(token.text));
}
