import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startCodeSearch } from '../../src/demo/programs.ts';
import { askService, goodQuestions, QUESTIONS } from '../../src/demo/questions.ts';
import { people } from '../../src/local-slack/people.ts';
import { says, startModelServer } from '../codesearch/support/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/fake-service/scripted-server.ts';
import { createLocalSlack, places, textOf } from '../support/local-slack/local-slack.ts';
import { answerIn, cardOfCommand, privateMessageTo } from '../support/local-slack/threads.ts';
import { builtProgram, builtSource } from '../support/processes/built-programs.ts';
import { isAlive, projectFolder, type Run, runProgram } from '../support/processes/run.ts';
import { createSampleRepository } from '../support/processes/sample-repository.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

/** A GET with exactly these headers and the required ones; `fetch` cannot change `host`. */
function rawGet(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false, timeout: 20_000 }, (reply) => {
      const reading = reply.setEncoding('utf8').toArray();
      reading.then((pieces) => resolve({ status: reply.statusCode, body: pieces.join('') }), reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no reply from ${url}`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The child processes of a process (Linux). */
function childrenOf(pid: number | undefined): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.trim().split(' ').filter(Boolean).map(Number);
}

/** The child processes and their descendants. */
function descendantsOf(pid: number | undefined): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Whether a process is running; false for a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Addresses a process listens on in this network namespace, for example `127.0.0.1:80`, `0.0.0.0:80` or `tcp6:80`. */
function listeningAddressesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const open = new Set(readdirSync(folder).map((fd) => tryReadLink(join(folder, fd))));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && open.has(`socket:[${inode}]`))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':');
        const ipv4 = Buffer.from(address, 'hex').toReversed().join('.');
        return `${table === 'tcp' ? ipv4 : table}:${Number.parseInt(port, 16)}`;
      }),
  );
}

function tryReadLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const demoFile = 'src/demo/main.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let clean = cleanUp.pop(); clean !== undefined; clean = cleanUp.pop()) await clean();
});

async function place(): Promise<{ repository: string; temp: string }> {
  const [sample, temp] = await Promise.all([createSampleRepository(), createTempDir()]);
  cleanUp.push(sample.remove, temp.remove);
  return { repository: sample.path, temp: temp.path };
}

/** Starts the demo: built, because that is faster, or from this source file like `npm run demo`. */
async function startDemo(args: string[], temp: string, file?: string, more: Record<string, string> = {}): Promise<Run> {
  const demo = runProgram(file ?? (await builtProgram(demoFile)), args, { TMPDIR: temp, ...more });
  cleanUp.push(demo.stop);
  return demo;
}

function slackUrlIn(demo: Run): string {
  const [, url] = /Open\s+(http:\S+)/.exec(demo.output()) ?? [];
  if (url === undefined) throw new Error(`not ready: ${demo.output()}`);
  return url;
}

describe.skipIf(!existsSync('/proc/self/task'))('npm run demo', () => {
  it('starts, answers what it suggests, and leaves no process and no file behind', async () => {
    const { repository, temp } = await place();
    const demo = await startDemo(['--repo', repository], temp, demoFile);
    const url = await eventually(() => slackUrlIn(demo));
    const children = childrenOf(demo.child.pid);
    expect(children.length).toBeGreaterThanOrEqual(3);
    expect(readdirSync(temp).length).toBeGreaterThan(0);

    for (const said of ['written without a model', '--llm-base-url', '--llm-model']) {
      expect(demo.output()).toContain(said);
    }

    const slack = createLocalSlack(url);
    const suggestions = [...demo.output().matchAll(/^ {2}\/deepsearch (.+)$/gm)].map(([, text = '']) => text);
    expect(suggestions).toHaveLength(3);
    for (const text of suggestions) {
      await slack.command({ channel: places.general, user: people.ada, text });
      const { answer } = await answerIn(slack, await cardOfCommand(slack, places.general, text));
      expect(textOf(answer)).toMatch(/\.ts|commit/i);
    }
    await slack.command({ channel: places.general, user: people.ada, text: 'doctor' });
    const doctor = await privateMessageTo(slack, places.general, people.ada, 'Doctor:');
    expect(textOf(doctor)).toContain('0 fail, 0 warn');
    expect(await slack.violations()).toEqual([]);

    demo.child.kill('SIGTERM');
    expect(await demo.ended).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(readdirSync(temp).filter((name) => name.startsWith('deepsearch-demo-'))).toEqual([]);
  });

  it('answers with the model of its options, hands the key to the service alone, is reached from this machine only, and leaves no process behind when it is killed', async () => {
    const { repository, temp } = await place();
    const model = await startModelServer();
    cleanUp.push(model.close);
    model.script(says('# Written by a model\n\nThe scripted model answered this.'));
    const line = ['--repo', repository, '--llm-base-url', model.baseUrl, '--llm-model', 'scripted'];
    const demo = await startDemo(line, temp, undefined, { LLM_API_KEY: 'sk-demo', LLM_MODEL: 'not this one' });
    const url = await eventually(() => slackUrlIn(demo));
    const slack = createLocalSlack(url);
    expect(demo.output()).toContain(`written by scripted at ${model.origin}`);
    const text = '@deepsearch What is in this repository?';
    const root = await slack.post({ channel: places.general, user: people.ada, text });
    const { answer } = await answerIn(slack, root);
    expect(textOf(answer)).toContain('The scripted model answered this.');
    expect(model.sent()[0]?.model).toBe('scripted');
    expect(model.requests[0]?.headers.authorization).toBe('Bearer sk-demo');
    expect(demo.output()).not.toContain('sk-demo');

    const pids = descendantsOf(demo.child.pid);
    const addresses = [demo.child.pid ?? 0, ...pids].flatMap(listeningAddressesOf);
    expect(addresses).toContain(new URL(url).host);
    expect(addresses.filter((address) => !address.startsWith('127.0.0.1:'))).toEqual([]);

    const messages = `${url}/see/everything/${places.general}`;
    expect(await rawGet(messages)).toMatchObject({ status: 200 });
    for (const seen of [messages, url]) {
      expect(await rawGet(seen, { host: 'rebound.example' })).toMatchObject({ status: 403 });
      expect(await rawGet(seen, { origin: 'https://other.example' })).toMatchObject({ status: 403 });
    }

    demo.child.kill('SIGKILL');
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
  });

  it('says which program died, with the end of its output, and stops the others', async () => {
    const { repository, temp } = await place();
    const dataDir = join(temp, 'kept');
    const demo = await startDemo(['--repo', repository, '--data-dir', dataDir], temp);
    await eventually(() => slackUrlIn(demo));
    const children = childrenOf(demo.child.pid);
    const app = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dist/main.js'));
    process.kill(app ?? 0, 'SIGKILL');
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('The app was ended by SIGKILL. Its last lines:');
    expect(demo.output()).toContain('app_started');
    expect(children.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dataDir, 'app.log'))).toBe(true);
  });

  it('says which program could not start', async () => {
    const { repository, temp } = await place();
    const demo = await startDemo(
      ['--repo', repository, '--llm-base-url', 'ftp://example.com', '--llm-model', 'any'],
      temp,
    );
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('The code search service ended with exit code 2.');
    expect(readdirSync(temp).filter((name) => name.startsWith('deepsearch-demo-'))).toEqual([]);
  });

  it('can be stopped in the middle of its start', async () => {
    const { repository, temp } = await place();
    const demo = await startDemo(['--repo', repository], temp);
    const children = await eventually(() => {
      const started = childrenOf(demo.child.pid);
      if (started.length < 2) throw new Error('nothing started yet');
      return started;
    });
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(demo.output()).toBe('');
  });

  it('reports every wrong argument at once', async () => {
    const taken = createServer();
    const port = await listenLocally(taken);
    cleanUp.push(async () => void taken.close());
    const { temp } = await place();

    const file = await builtProgram(demoFile);
    const wrong = runProgram(file, ['--slack-port', 'soon', '--app-port', '0', '--color', '--repo', 'x', 'y']);
    const cannot = runProgram(file, ['--repo', join(temp, 'none'), '--repo', temp, '--slack-port', String(port)]);
    expect([await wrong.ended, await cannot.ended]).toEqual([2, 2]);
    for (const said of ['--slack-port soon', '--app-port 0', 'no option --color', '"y" is not an option']) {
      expect(wrong.output()).toContain(said);
    }
    for (const said of [
      `there is no folder ${join(temp, 'none')}`,
      `${temp} is not a git repository`,
      `--slack-port ${port}: this port is in use`,
    ]) {
      expect(cannot.output()).toContain(said);
    }
  });
});

it('suggests only questions that have an answer', async () => {
  const { temp } = await place();
  const base = { folder: temp, environment: { PATH: process.env.PATH ?? '' }, dist: await builtSource() };
  const service = startCodeSearch(base, { repositories: [projectFolder], port: 0, tokens: ['token'] });
  cleanUp.push(service.child.stop);
  const { url } = await service.ready;
  const late = AbortSignal.timeout(120_000);
  expect(await askService('How do I run the tests?', { url, token: 'token' }, late)).toMatchObject({
    answer: expect.stringContaining('`npm test`'),
  });
  // Not written in one piece, because this file is searched too.
  const unknown = ['no', 'Such', 'Name'].join('');
  const asked = [`What does \`${unknown}\` do?`, ...QUESTIONS];
  expect(await goodQuestions(asked, { url, token: 'token' }, late)).toEqual(QUESTIONS.slice(0, 3));
  // A machine too slow to check them offers them unchecked.
  expect(await goodQuestions(QUESTIONS, { url, token: 'token' }, AbortSignal.abort())).toEqual(QUESTIONS.slice(0, 3));
});
