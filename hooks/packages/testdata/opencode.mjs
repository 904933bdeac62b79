// Loads the plugin as opencode does, sends it a scripted session and prints what
// came of it as JSON: node opencode.mjs PLUGIN SCENARIO
import { pathToFileURL } from "node:url";

const [plugin, scenario] = process.argv.slice(2);
if (scenario === "terminal") process.argv.splice(1); // as the client starts without a subcommand
else process.argv.push("run");

const module = await import(pathToFileURL(plugin));
const exported = Object.keys(module);
const sent = [];
const client = {
  session: {
    get: async ({ path }) => {
      if (scenario === "api-fails") throw new Error("made for the test");
      return { data: { id: path.id, directory: "/of/the/session" } };
    },
    promptAsync: async (request) => {
      if (scenario === "api-fails") throw new Error("made for the test");
      sent.push(request);
    },
  },
};
const hooks = await module[exported[0]]({ client, directory: "/of/the/plugin" });

const event = (type, properties) => hooks.event({ event: { type, properties } });
const created = (id, more) => event("session.created", { sessionID: id, info: { id, directory: "/of/the/session", title: "New", ...more } });
let count = 0;
const prompt = async (sessionID, text, agent) => {
  const message = { id: "msg_" + ++count };
  const output = { message, parts: [{ id: "prt_" + count, type: "text", text, messageID: message.id, sessionID }] };
  await hooks["chat.message"]({ sessionID, agent }, output);
  return output.parts.slice(1);
};

const result = { exported, hooks: Object.keys(hooks).sort(), sent };
const say = { added: [], context: [], env: {} };
await created("ses_root");
say.added.push(await prompt("ses_root", "first"));
await created("ses_child", { parentID: "ses_root" });
say.added.push(await prompt("ses_child", "for the child"));
say.added.push(await prompt("ses_child", "for the child again"));
await event("session.idle", { sessionID: "ses_child" });
await hooks["experimental.session.compacting"]({ sessionID: "ses_child" }, { context: say.context });
await hooks["experimental.session.compacting"]({ sessionID: "ses_root" }, { context: say.context });
await event("session.compacted", { sessionID: "ses_root" });
await hooks["shell.env"]({ cwd: "/", sessionID: "ses_child" }, say);
await event("session.idle", { sessionID: "ses_root" });
await event("session.idle", { sessionID: "ses_root" });
if (sent.length > 0) {
  say.added.push(await prompt("ses_root", sent[0].body.parts[0].text));
  await event("session.idle", { sessionID: "ses_root" });
}
say.added.push(await prompt("ses_older", "resumed", "plan"));
await event("session.error", { sessionID: "ses_older" });
await event("session.idle", { sessionID: "ses_older" });
await created("ses_copy", { title: "New (fork #1)" });
say.added.push(await prompt("ses_copy", "copied"));
await event("session.deleted", { info: { id: "ses_copy" } });
await event("something.else", undefined);
await hooks.event(undefined);
await hooks["chat.message"](undefined, undefined);
await hooks.dispose();
console.log(JSON.stringify({ ...result, ...say }));
