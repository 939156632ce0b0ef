// Drives our daemon with the published TypeScript SDK and prints what it saw as one JSON object.
// node drive.mjs SDK_MODULE BASE_URL TOKEN
import { pathToFileURL } from 'node:url';

const [sdkPath, baseUrl, token] = process.argv.slice(2);
const { DaemonClient, DaemonHttpError, normalizeDaemonEvent } = await import(
  pathToFileURL(sdkPath).href
);
const client = new DaemonClient({ baseUrl, token });
const seen = {};

async function finished(poll) {
  for (;;) {
    const task = await poll();
    if (task.status === 'completed' || task.status === 'failed') return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function failure(work) {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof DaemonHttpError)) throw error;
    return { status: error.status, code: error.body?.code, message: error.message };
  }
}

seen.health = await client.health();
seen.capabilities = await client.capabilities();
const session = await client.createOrAttachSession({});
seen.session = session;

const stop = new AbortController();
let epoch;
const events = client.subscribeEvents(session.sessionId, {
  lastEventId: 0,
  signal: stop.signal,
  clientId: session.clientId,
  onEpoch: (value) => (epoch = value),
});
const first = await events.next();
seen.firstEvent = first.value.type;

const mine = { clientId: session.clientId };
const task = await client.rememberWorkspaceMemory('The project uses pnpm workspaces', {
  contextMode: 'workspace',
  ...mine,
});
seen.accepted = task;
seen.remembered = await finished(() => client.getWorkspaceMemoryRememberTask(task.taskId, mine));
seen.hidden = await failure(() => client.getWorkspaceMemoryRememberTask(task.taskId));

const scoped = await client.rememberWorkspaceMemory('The user likes short answers', {
  contextMode: 'clean',
  scope: 'user',
});
seen.scoped = await finished(() => client.getWorkspaceMemoryRememberTask(scoped.taskId));

const forget = await client.forgetWorkspaceMemory('the project uses pnpm workspaces');
seen.forgotten = await finished(() => client.getWorkspaceMemoryForgetTask(forget.taskId));
const dream = await client.dreamWorkspaceMemory();
seen.dreamt = await finished(() => client.getWorkspaceMemoryDreamTask(dream.taskId));

seen.written = await client.writeWorkspaceMemory({
  scope: 'workspace',
  mode: 'append',
  content: '- Run the linter before every commit',
});
seen.memory = await client.workspaceMemory();
const byId = client.workspaceById(seen.capabilities.workspaces[0].id);
const byCwd = client.workspaceByCwd(seen.capabilities.workspaceCwd);
seen.byId = await byId.workspaceMemory();
seen.byCwd = await byCwd.workspaceMemory();

seen.errors = {
  empty: await failure(() => client.rememberWorkspaceMemory('   ')),
  mode: await failure(() => client.rememberWorkspaceMemory('x', { contextMode: 'other' })),
  query: await failure(() => client.forgetWorkspaceMemory('')),
  clientId: await failure(() => client.dreamWorkspaceMemory({ clientId: 'nobody' })),
  task: await failure(() => client.getWorkspaceMemoryForgetTask('forget-none')),
  scope: await failure(() => client.writeWorkspaceMemory({ scope: 'x', content: 'y' })),
  token: await failure(() => new DaemonClient({ baseUrl, token: 'no' }).capabilities()),
};

// Every event until the file was written, read by the SDK's own normaliser.
seen.events = [];
for await (const event of events) {
  seen.events.push({ raw: event, shown: normalizeDaemonEvent(event) });
  if (event.type === 'memory_changed' && event.data.scope === 'workspace') break;
}
seen.epoch = epoch;
await client.closeSession(session.sessionId, session.clientId);
seen.afterClose = await failure(() => client.dreamWorkspaceMemory(mine));
stop.abort();
console.log(JSON.stringify(seen));
process.exit(0);
