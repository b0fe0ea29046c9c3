// Global functions for programs: tool calls, tool search, and files of the workspace.

import { Image } from "./blocks.js";

const WORKSPACE = "/bench/workspace";

// A tool reported an error, failed, or may not be called. Programs can catch it and continue.
export class ToolError extends Error {
  constructor(message, code = "", validParameters = [], suggestions = [], hint = "") {
    super(hint ? `${message} ${hint}` : whole(message, validParameters, suggestions));
    this.name = "ToolError";
    this.code = code;
    this.validParameters = validParameters;
    this.suggestions = suggestions;
    this.hint = hint;
  }
}

export function failureOf(error) {
  const { message, code, valid_parameters = [], suggestions = [], hint = "" } = error;
  return new ToolError(message, code, valid_parameters, suggestions, hint);
}

function whole(message, parameters, suggestions) {
  const parts = [message];
  if (parameters.length > 0) parts.push(`Valid parameters: ${parameters.join(", ")}.`);
  if (suggestions.length > 0) parts.push(`Did you mean: ${suggestions.join(", ")}?`);
  return parts.join(" ");
}

export function lend(line) {
  // An answer that only wraps one value by its schema, such as { result: X }, is returned as X. `whole`: return the
  // answer as the server sent it.
  const callTool = (server, tool, input = {}, whole = false) => {
    const wish = { server: String(server), tool: String(tool), arguments: { ...input } };
    return line.ask("call", whole ? wish : { ...wish, unwrap: true });
  };
  const callMcpTool = (id, input = {}, server = undefined) => {
    const [from, tool] = split(String(id).replace(/^mcp__/, ""), server);
    if (!from || !tool) {
      throw new ToolError(`"${id}" is not a tool name. Use the form mcp__server__tool.`, "bad_name");
    }
    return callTool(from, tool, input, server !== undefined);
  };
  Object.assign(globalThis, {
    ToolError,
    Image,
    callTool,
    callMcpTool: async (id, input, server) => callMcpTool(id, input, server),
    callMCPTool: async (id, input, server) => callMcpTool(id, input, server),
    searchTools: (query = "", options = {}) => line.ask("search", wishOf(query, options)),
    getToolDefinition: (name, category = "") => line.ask("definition", { name: String(name), category }),
    loadSkill: async (name) => {
      throw new ToolError(`Kept skills are Python programs. Run ${name} with language "python".`, "language");
    },
    readFile,
    writeFile,
    listFiles,
    ...about(line),
  });
}

// Functions that return facts about values that the program has only as tokens, because the user sealed a tool. Agents
// are told the names of Python.
function about(line) {
  const ask = (operation) => (...values) => line.ask("sealed", { operation, values });
  return {
    equal: ask("equal"),
    domainOf: ask("domain_of"),
    domain_of: ask("domain_of"),
    yearOf: ask("year_of"),
    year_of: ask("year_of"),
    last4: ask("last4"),
    initials: ask("initials"),
    masked: ask("masked"),
  };
}

function split(id, server) {
  if (server !== undefined && id.startsWith(`${server}__`)) return [server, id.slice(server.length + 2)];
  const at = id.indexOf("__");
  return at < 0 ? [] : [id.slice(0, at), id.slice(at + 2)];
}

function wishOf(query, options) {
  const { detailLevel = "name", server = "", category = "", limit = 20 } = typeof options === "string"
    ? { detailLevel: options }
    : options;
  return {
    query,
    detail_level: detailLevel,
    server,
    category,
    limit: Math.trunc(Number(limit)) || 20,
  };
}

// Text of a file in the workspace.
async function readFile(path) {
  return await Deno.readTextFile(inWorkspace(path));
}

// Write text or bytes to a file in the workspace and create missing folders. Returns the path in the workspace.
async function writeFile(path, content) {
  const target = inWorkspace(path);
  await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
  if (typeof content === "string") await Deno.writeTextFile(target, content);
  else await Deno.writeFile(target, content);
  return target.slice(WORKSPACE.length + 1);
}

// All files below a folder of the workspace, sorted.
async function listFiles(path = "") {
  const found = [];
  const waiting = [inWorkspace(path)];
  while (waiting.length > 0) {
    const folder = waiting.pop();
    for await (const entry of Deno.readDir(folder)) {
      const inner = `${folder}/${entry.name}`;
      if (entry.isDirectory) waiting.push(inner);
      else if (entry.isFile) found.push(inner.slice(WORKSPACE.length + 1));
    }
  }
  return found.sort();
}

function inWorkspace(path) {
  const inner = String(path).replace(/^(?:\/bench\/workspace|\/workspace|\.?\/?workspace(?=\/|$))/, "").replace(
    /^[./]*\//,
    "",
  );
  return inner === "" || inner === "." ? WORKSPACE : `${WORKSPACE}/${inner}`;
}
