// ChatRail for opencode: hands the moments of a session to chatrail-hook and its
// answers to the model. It decides nothing, never throws, and is silent where
// the program is missing. Made by chatrail install; changes are overwritten.
import { spawn } from "node:child_process";

const program = "chatrail-hook";
const patience = Number(process.env.CHATRAIL_HOOK_TIMEOUT) || 0; // the program's own, for a slow disk
const limit = Math.max(2000, patience + 200); // milliseconds that an answer may take
const endLimit = Math.max(700, patience / 4 + 200); // at the end of the process
const most = 64 * 1024; // bytes of an answer

// ask runs the program with one event and returns its answer, {} for none.
const ask = (payload, within = limit) =>
  new Promise((resolve) => {
    let child;
    let timer;
    let size = 0;
    const chunks = [];
    const done = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const stop = () => {
      child?.kill("SIGKILL");
      child?.stdout.destroy(); // what it started may hold it open
      done({});
    };
    try {
      child = spawn(program, ["opencode"], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
      timer = setTimeout(stop, within);
      child.on("error", () => done({}));
      child.stdin.on("error", () => {});
      child.stdout.on("error", () => {});
      child.stdout.on("data", (chunk) => {
        size += chunk.length;
        if (size > most) stop();
        else chunks.push(chunk);
      });
      child.on("close", () => {
        try {
          const answer = JSON.parse(Buffer.concat(chunks).toString("utf8"));
          done(answer && typeof answer === "object" ? answer : {});
        } catch {
          done({});
        }
      });
      child.stdin.end(JSON.stringify(payload));
    } catch {
      done({});
    }
  });

// safely keeps whatever goes wrong in a hook from the client.
const safely = (hook) => async (input, output) => {
  try {
    await hook(input, output);
  } catch {
    // a failure here costs nobody a message
  }
};

const words = (value) => (typeof value === "string" && value.trim() !== "" ? value : "");

// attended says that a person watches: in the terminal, which is what the client
// starts as without a subcommand. In doubt nobody does.
const attended = () => {
  const subcommands = ["run", "serve", "web", "acp", "github"];
  return process.env.OPENCODE_CLIENT === undefined || process.env.OPENCODE_CLIENT === "cli"
    ? !process.argv.slice(1).some((word) => subcommands.includes(word))
    : false;
};

export const ChatRail = async ({ client, directory } = {}) => {
  const sessions = new Map(); // what is known of each session, by its id

  // known looks a session up. One that began before this process is asked for.
  const known = async (id) => {
    let session = sessions.get(id);
    if (!session) {
      session = { id, source: "resume" };
      sessions.set(id, session);
      session.info = describe(session, id);
    }
    await session.info;
    return session;
  };

  const describe = async (session, id) => {
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limit / 2)));
    try {
      const answer = await Promise.race([client.session.get({ path: { id } }), late]);
      fill(session, answer?.data);
    } catch {
      // a root in the plugin's folder, then
    } finally {
      clearTimeout(timer);
    }
  };

  const fill = (session, info) => {
    session.parent = words(info?.parentID);
    session.directory = words(info?.directory);
  };

  // root climbs from a sub-agent's session to the one that a person talks to.
  const root = async (session) => {
    for (let depth = 0; session.parent && depth < 16; depth++) session = await known(session.parent);
    return session;
  };

  const say = async (session, name, more = {}, within = limit) => {
    const top = await root(session);
    return ask(
      {
        session_id: top.id,
        ...(top === session ? {} : { agent_id: session.id }),
        hook_event_name: name,
        cwd: session.directory || directory || process.cwd(),
        ...more,
      },
      within,
    );
  };

  const watch = () => ({ unattended: !attended() });

  // context puts text behind what the person wrote. The id sorts it there.
  const context = (session, output, text) => {
    const last = output.parts[output.parts.length - 1];
    const id = (last?.id ?? "prt_" + Date.now().toString(16)) + "chatrail";
    output.parts.push({ id, sessionID: session.id, messageID: output.message.id, type: "text", text, synthetic: true });
  };

  const message = async (input, output) => {
    const session = await known(input.sessionID);
    if (session.parent) {
      if (session.begun) return;
      session.begun = true;
      const text = words((await say(session, "ChildStart")).additionalContext);
      if (text) context(session, output, text);
      return;
    }
    const texts = [];
    if (!session.begun) {
      session.begun = true;
      texts.push((await say(session, "SessionStart", { source: session.source })).additionalContext);
    }
    const prompt = output.parts
      .filter((part) => part.type === "text" && !part.synthetic)
      .map((part) => part.text)
      .join("\n");
    // A block that came back as a prompt goes on with the turn it held up.
    session.active = words(session.block) !== "" && prompt.startsWith(session.block);
    session.block = "";
    session.turn = session.active ? session.turn : output.message.id;
    session.failed = false;
    session.plan = input.agent === "plan";
    const more = { turn_id: session.turn, prompt, ...watch(), ...(session.plan ? { permission_mode: "plan" } : {}) };
    texts.push((await say(session, "Prompt", more)).additionalContext);
    const text = texts.map(words).filter(Boolean).join("\n\n");
    if (text) context(session, output, text);
  };

  const idle = async (session) => {
    if (session.parent || !session.begun || !session.turn || session.idle === session.turn + session.active) return;
    session.idle = session.turn + session.active; // the client may say it twice
    const answer = await say(session, "Stop", {
      turn_id: session.turn,
      stop_hook_active: session.active === true,
      ...watch(),
      ...(session.failed ? { last_assistant_message: null } : {}),
      ...(session.plan ? { permission_mode: "plan" } : {}),
    });
    const reason = words(answer.block);
    if (!reason || session.active || session.failed || !attended()) return;
    session.block = reason;
    await client.session.promptAsync({
      path: { id: session.id },
      query: { directory: session.directory || directory },
      body: { parts: [{ type: "text", text: reason }] },
    });
  };

  const end = async (session) => {
    if (session.parent || !session.begun || session.ended) return;
    session.ended = true;
    await session.stopping; // the client does not wait for it at the end
    await say(session, "SessionEnd", {}, endLimit);
  };

  const event = async ({ event }) => {
    const about = event.properties ?? {};
    switch (event.type) {
      case "session.created": {
        const info = about.info;
        const source = /\(fork #\d+\)$/.test(info.title ?? "") ? "fork" : "startup";
        const session = sessions.get(info.id) ?? { id: info.id, source };
        fill(session, info);
        sessions.set(info.id, session);
        return;
      }
      case "session.error": {
        const session = sessions.get(about.sessionID);
        if (session) session.failed = true;
        return;
      }
      case "session.idle": {
        const session = sessions.get(about.sessionID);
        if (session) await (session.stopping = safely(idle)(session));
        return;
      }
      case "session.compacted": {
        const session = await known(about.sessionID);
        if (!session.parent) await say(session, "PostCompact");
        return;
      }
      case "session.deleted": {
        const session = sessions.get(about.info?.id ?? about.sessionID);
        if (session) await end(session);
        return;
      }
    }
  };

  return {
    event: safely(event),
    "chat.message": safely(message),
    "experimental.session.compacting": safely(async (input, output) => {
      const session = await known(input.sessionID);
      if (session.parent) return;
      const text = words((await say(session, "PreCompact")).additionalContext);
      if (text) output.context.push(text);
    }),
    "shell.env": safely(async (input, output) => {
      if (!input.sessionID) return;
      const session = await known(input.sessionID);
      const top = await root(session);
      output.env.CHATRAIL_OPENCODE_SESSION = top.id;
      if (top !== session) output.env.CHATRAIL_OPENCODE_CHILD = session.id;
    }),
    dispose: safely(() => Promise.all([...sessions.values()].map(end))),
  };
};
