import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService, TOKEN } from '../support/service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

interface Event {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the shape of its event
  data: any;
}

let repository: TestRepository;
let service: Service;

beforeAll(async () => {
  repository = createTestRepository({
    'src/ship.ts': 'export function sail(ship: string) {\n  return ship;\n}\n// ship\n',
    'README.md': '# Fleet\n\nOne ship, two ships.\n',
  });
  for (let index = 0; index < 120; index += 1) repository.write(`cargo/${index}.txt`, `crate ${index}\n`);
  repository.commit('Launch the ship');
  repository.origin('https://example.org/acme/fleet.git');
  service = await startTestService({ repos: [repository.path] });
});

afterAll(async () => {
  await service.stop();
  repository.remove();
});

function stream(
  parameters: Record<string, string>,
  headers: Record<string, string | undefined> = {},
): Promise<Response> {
  const search = new URLSearchParams(parameters);
  return service.call('GET', `/.api/search/stream?${search}`, undefined, { Accept: 'text/event-stream', ...headers });
}

/** Reads events as public clients do: two lines per event, an empty line behind it. */
async function events(parameters: Record<string, string>): Promise<Event[]> {
  const response = await stream(parameters);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const blocks = (await response.text()).split('\n\n');
  expect(blocks.pop()).toBe('');
  return blocks.map((block) => {
    const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return { name, data: JSON.parse(data) };
  });
}

const matchesOf = (all: readonly Event[]) => all.filter(({ name }) => name === 'matches').flatMap(({ data }) => data);
const only = (all: readonly Event[], name: string) => all.filter((event) => event.name === name);

describe('the events of a streamed search', () => {
  test('come in the order of the public service, progress and done last', async () => {
    const names = (await events({ q: 'ship', v: 'V3', t: 'literal', display: '500' })).map(({ name }) => name);
    expect(names[0]).toBe('matches');
    expect(names.slice(-2)).toEqual(['progress', 'done']);
  });

  test('carry lines with offsets, and count all matches', async () => {
    const all = await events({ q: 'ship lang:typescript' });
    expect(matchesOf(all)).toEqual([
      {
        type: 'content',
        path: 'src/ship.ts',
        pathMatches: [{ start: { offset: 4, line: 0, column: 4 }, end: { offset: 8, line: 0, column: 8 } }],
        repositoryID: expect.any(Number),
        repository: 'example.org/acme/fleet',
        branches: [''],
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        language: 'TypeScript',
        hunks: null,
        lineMatches: [
          { line: 'export function sail(ship: string) {', lineNumber: 0, offsetAndLengths: [[21, 4]] },
          { line: '  return ship;', lineNumber: 1, offsetAndLengths: [[9, 4]] },
          { line: '// ship', lineNumber: 3, offsetAndLengths: [[3, 4]] },
        ],
      },
    ]);
    expect(only(all, 'progress').at(-1)?.data).toMatchObject({
      done: true,
      matchCount: 3,
      repositoriesCount: 1,
      skipped: [],
    });
  });

  test('carry chunks for clients that ask for them', async () => {
    const [match] = matchesOf(await events({ q: 'ship lang:typescript', cm: 't' }));
    expect(match.lineMatches).toBeUndefined();
    expect(match.chunkMatches).toEqual([
      {
        content: 'export function sail(ship: string) {\n  return ship;',
        contentStart: { offset: 0, line: 0, column: 0 },
        ranges: [
          { start: { offset: 21, line: 0, column: 21 }, end: { offset: 25, line: 0, column: 25 } },
          { start: { offset: 46, line: 1, column: 9 }, end: { offset: 50, line: 1, column: 13 } },
        ],
      },
      expect.objectContaining({ content: '// ship', contentStart: { offset: 0, line: 3, column: 0 } }),
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['type:repo fleet', { type: 'repo', repository: 'example.org/acme/fleet', repositoryMatches: [expect.anything()] }],
    ['type:path ship', { type: 'path', path: 'src/ship.ts' }],
    [
      'type:symbol sail',
      {
        type: 'symbol',
        symbols: [
          {
            name: 'sail',
            kind: 'FUNCTION',
            line: 1,
            containerName: '',
            url: '/example.org/acme/fleet/-/blob/src/ship.ts?L1',
          },
        ],
      },
    ],
    [
      'type:commit launch',
      {
        type: 'commit',
        message: 'Launch the ship',
        authorName: 'Ada Byron',
        content: '```COMMIT_EDITMSG\nLaunch the ship\n```',
        ranges: [[1, 0, 6]],
      },
    ],
  ])('carry %s in its form', async (q, expected) => {
    expect(matchesOf(await events({ q }))).toEqual([expect.objectContaining(expected)]);
  });

  test('are limited by display, which counts on, and by count, which stops', async () => {
    const display = await events({ q: 'crate', display: '5' });
    expect(matchesOf(display)).toHaveLength(5);
    expect(only(display, 'progress').at(-1)?.data).toMatchObject({ matchCount: 120, skipped: [{ reason: 'display' }] });
    const count = await events({ q: 'crate count:5' });
    expect(matchesOf(count)).toHaveLength(5);
    expect(only(count, 'progress').at(-1)?.data).toMatchObject({
      matchCount: 5,
      skipped: [{ reason: 'shard-match-limit' }],
    });
  });

  test('tell in an alert why a query is not run', async () => {
    const all = await events({ q: 'repohasfile:x ship' });
    expect(matchesOf(all)).toEqual([]);
    expect(only(all, 'alert')[0]?.data).toMatchObject({
      kind: 'unsupported-filter',
      title: expect.stringContaining('repohasfile:'),
    });
    expect(all.at(-1)?.name).toBe('done');
  });

  test('read words by the pattern type and the version', async () => {
    const count = async (parameters: Record<string, string>) =>
      only(await events(parameters), 'progress').at(-1)?.data.matchCount;
    expect(await count({ q: 'return sail' })).toBe(0);
    expect(await count({ q: 'return sail', t: 'keyword' })).toBe(2);
    expect(await count({ q: 'export sail', v: 'V1' })).toBe(1);
  });
});

describe('a streamed search is refused', () => {
  test.each([
    [{}, 400],
    [{ q: 'a', v: 'V9' }, 400],
    [{ q: 'a', t: 'structural' }, 400],
    [{ q: 'a', display: 'all' }, 400],
    [{ q: 'a\0b' }, 400],
  ])('for %j with %i', async (parameters, status) => {
    const response = await stream(parameters as Record<string, string>);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/json/);
  });

  test('without a token, and with another method', async () => {
    expect((await stream({ q: 'a' }, { Authorization: undefined })).status).toBe(401);
    expect((await service.call('POST', '/.api/search/stream?q=a', {})).status).toBe(405);
  });
});

test('a client that disconnects ends its search, so that the next search of the user runs', async () => {
  for (let index = 0; index < 3; index += 1) {
    await new Promise<void>((resolve, reject) => {
      const headers = { Authorization: `token ${TOKEN}`, 'X-Requested-With': 'codesearch-test 1.0' };
      const request = get(
        `${service.url}/.api/search/stream?q=${encodeURIComponent('type:commit /(\\w+ )+x/')}`,
        { headers },
        () => {
          request.destroy();
          resolve();
        },
      );
      request.on('error', reject);
    });
  }
  await eventually(async () => expect(matchesOf(await events({ q: 'sail file:ship' }))).toHaveLength(1));
  expect(service.problems).toEqual([]);
});
