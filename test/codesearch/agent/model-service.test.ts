import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModelReport } from '../../../src/codesearch/agent/report.ts';
import type { CodeSearchOptions } from '../../../src/codesearch/service.ts';
import { eventually } from '../../support/eventually.ts';
import { settingsFor } from '../support/agent-world.ts';
import { callsTools, drips, type ModelServer, says, startModelServer } from '../support/model-server.ts';
import { createHarbourRepository, createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const NAME = 'github.com/harbour-org/harbour';
const LINK = `/${NAME}/-/blob/src/retry.ts?L4-7`;

let repository: TestRepository;
let server: ModelServer;
let service: Awaited<ReturnType<typeof startTestService>>;
let reports: ModelReport[];
let notices: string[];

beforeAll(() => {
  repository = createHarbourRepository();
});
afterAll(() => repository.remove());
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await service.stop();
  await server.close();
});

async function start(options: Partial<CodeSearchOptions> = {}): Promise<void> {
  reports = [];
  notices = [];
  service = await startTestService({
    repos: [repository.path],
    model: settingsFor(server),
    onModelReport: (report) => reports.push(report),
    onNotice: (notice) => notices.push(notice),
    ...options,
  });
}

describe('the service with a model', () => {
  test('shows the steps, the answer and what it cost, on the wire', async () => {
    await start();
    server.script(
      callsTools([{ name: 'read_file', input: { path: 'src/retry.ts' } }], {
        tokens: { input: 4_000, output: 50, cached: 1_000 },
      }),
      says(`# Retry delay\n\nIt doubles, see [retry.ts:4-7](${LINK}) and [none](/${NAME}/-/blob/none.ts).`, {
        tokens: { input: 5_000, output: 100, cached: 4_000 },
      }),
    );
    const answered = await service.answer('How does the delay grow?');
    expect(answered).toMatchObject({
      status: 'completed',
      title: 'Retry delay',
      stats: {
        prompt_tokens: 9_000,
        total_input_tokens: 9_000,
        cached_tokens: 5_000,
        cache_creation_input_tokens: 0,
        completion_tokens: 150,
        total_tokens: 9_150,
        // 4,000 × 3 + 5,000 × 0.3 + 150 × 15 dollars for a million tokens are 1.575 cents.
        credits: 2,
      },
    });
    expect(answered.answer).toMatch(
      new RegExp(`^It doubles, see \\[retry.ts:4-7\\]\\(${service.url}/.*L4-7\\) and none.$`),
    );
    expect(answered.turns.map(({ reasoning }) => reasoning)).toEqual(
      expect.arrayContaining([
        'Asking the model scripted',
        'Reading src/retry.ts',
        'Removed 1 link that names no file, line or commit',
      ]),
    );
    const page = await fetch(
      answered.sources?.[0]?.link === undefined ? '' : `${service.url}${answered.sources[0].link}`,
    );
    expect(page.status).toBe(200);
    expect(await (await fetch(`${service.url}/healthz`)).json()).toMatchObject({
      model: { answered: 1, failed: 0, droppedLinks: 1, promptTokens: 9_000, credits: 2 },
    });
    expect(reports).toHaveLength(1);
    expect(reports[0]?.prompts).toBe(2);
    expect(notices).toContain(`Questions and parts of the repositories go to ${server.origin} (scripted)`);
    expect(service.problems).toEqual([]);
  });

  test('lets no tool reach a repository that the question leaves out', async () => {
    const vault = createTestRepository({ 'src/vault.ts': 'export function unlockVault() {\n  return "opened";\n}\n' });
    const VAULT = 'github.com/harbour-org/vault';
    vault.origin(`https://${VAULT}.git`);
    vault.commit('Unlock the vault');
    await start({ repos: [repository.path, vault.path] });
    const place = { repository: VAULT, path: 'src/vault.ts' };
    const restriction = `Search only in these repositories and in no others: ${NAME}\n\n`;
    server.script(
      says(`It is in [vault.ts:1](/${VAULT}/-/blob/src/vault.ts?L1).`),
      callsTools([
        { name: 'find_passages', input: { question: 'Where is the vault unlocked?' } },
        { name: 'find_passages', input: { question: `${restriction.replace(NAME, VAULT)}Where is unlockVault?` } },
        { name: 'search_text', input: { text: 'unlockVault', repository: VAULT } },
        { name: 'search_text', input: { text: 'return "opened"' } },
        { name: 'find_symbols', input: { name: 'unlockVault' } },
        { name: 'search_commits', input: { message: 'Unlock the' } },
        { name: 'search_commits', input: { message: 'Unlock', repository: VAULT } },
      ]),
      callsTools([
        { name: 'read_file', input: place },
        { name: 'list_files', input: { repository: VAULT } },
        { name: 'blame', input: place },
      ]),
      says(`It is in [vault.ts:1](/${VAULT}/-/blob/src/vault.ts?L1).`),
    );
    // The answer before may show the vault.
    const { conversation_id: id } = await service.answer('Where is unlockVault defined?');
    expect(server.textOf(0)).toContain('return "opened"');
    await service.call('POST', `/${id}/questions`, { question: `${restriction}And what does it return?` });
    const { answer, sources } = (await service.finished(id)).questions[1] ?? {};
    expect(answer).toMatch(/^It is in vault\.ts:1\./);
    expect(JSON.stringify(sources)).not.toContain(VAULT);
    const results = (server.sent().at(-1)?.messages ?? []).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(10);
    const told = server
      .sent()
      .slice(1)
      .flatMap(({ messages }) => messages.filter(({ role }) => role !== 'assistant'));
    expect(JSON.stringify(told)).not.toMatch(/src\/vault|return \\+"opened|Unlock the vault|vault\/-\//);
    vault.remove();
  });

  test('charges the cents of an answer to the quota', async () => {
    await start({ quota: 8 });
    const costly = says('It doubles.', { tokens: { input: 20_000, output: 10 } });
    server.script(costly, costly);
    await service.answer('How does the delay grow?');
    const second = await service.answer('How does it end?');
    expect(second.stats.credits).toBe(7);
    const third = await service.answer('And then?');
    expect(third.error?.kind).toBe('RateLimitExceeded');
    expect(server.requests).toHaveLength(2);
  });

  test('ends the request under way when the question is cancelled, and keeps what it cost', async () => {
    await start({ quota: 100 });
    let isClosed = false;
    server.script((response, request) => {
      response.on('close', () => {
        isClosed = true;
      });
      drips('word ', 5)(response, request);
    });
    const { id, questions } = await service.create('How does the delay grow?');
    await server.received(1);
    const cancelled = await service.call('POST', `/${id}/questions/${questions[0]?.id}/cancel`);
    expect(await cancelled.json()).toMatchObject({ status: 'completed', error: { kind: 'Cancelled' } });
    await eventually(() => expect(isClosed).toBe(true));
    const question = await eventually(async () => {
      const [only] = (await service.get(id)).questions;
      expect(only?.stats.prompt_tokens).toBeGreaterThan(1_000);
      return only;
    });
    expect(question?.answer).toBe('');
    expect(question?.stats.credits).toBeGreaterThan(0);
    expect((await service.get(id)).quota_usage?.total_quota).toBe(question?.stats.credits);
    expect(reports).toMatchObject([{ outcome: 'ended' }]);
    expect(service.problems).toEqual([]);
  });

  test('asks again after a restart what it had not answered', async () => {
    const dataDir = mkdtempSync(`${repository.path}-data-`);
    await start({ dataDir });
    server.script(drips('word ', 5), says('It doubles.'));
    const { id } = await service.create('How does the delay grow?');
    await server.received(1);
    await service.stop();
    await start({ dataDir });
    const [question] = (await service.finished(id)).questions;
    expect(question?.answer).toBe('It doubles.');
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });
});
