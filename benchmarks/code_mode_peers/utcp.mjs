// UTCP's code mode over its MCP plugin, in the same process. `node utcp.mjs SERVER TOOLS`, beside its packages.
import { createInterface } from "node:readline";
import { CodeModeUtcpClient } from "@utcp/code-mode";
import "@utcp/mcp";

const [server, tools] = process.argv.slice(2);
const SIX = ["list_orders_0", "get_orders_1", "find_orders_2", "count_orders_3", "list_people_4", "get_people_5"];
console.log = () => {}; // stdout is for answers
const client = await CodeModeUtcpClient.create(process.cwd(), null);
await client.registerManual({
  name: "many",
  call_template_type: "mcp",
  config: { mcpServers: { s: { transport: "stdio", command: "python3", args: [server, tools] } } },
});
const known = await client.getTools();
const spelled = (name) => {
  const [manual, ...parts] = known.find((tool) => tool.name.endsWith(`.${name}`)).name.split(".");
  return `${manual}.${parts.join("_")}`;
};
const run = async (code) => {
  const { result } = await client.callToolChain(code);
  if (typeof result === "string" && result.startsWith("Error")) throw new Error(result);
  return result;
};
const six = SIX.map((name) => `${spelled(name)}({});`);
const hundred = `for (let at = 0; at < 16; at++) {\n${six.join("\n")}\n}\n${six.slice(0, 4).join("\n")}`;
const ten = `const all = [];\nfor (let at = 0; at < 10; at++) all.push(${spelled(SIX[0])}({ limit: 100 }));\nreturn all.length;`;
const deeds = {
  trivial: () => run("return 1;"),
  calls: () => run(`${hundred}\nreturn 1;`),
  parallel: () => run(ten),
  search: () => client.searchTools("find people of shelf", 20),
};
process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const deed = deeds[line.trim()];
  let told = null;
  if (deed) {
    const began = performance.now();
    try {
      await deed();
      told = performance.now() - began;
    } catch (fault) {
      told = String(fault).slice(0, 300);
    }
  }
  process.stdout.write(JSON.stringify(told) + "\n");
}
process.exit(0);
