import { describe, expect, test } from 'vitest';
import { createDeepSearch } from '../../src/service/generation-1/deep-search.ts';
import { json, type Reply, silence, status, text } from '../support/fake-service/scripted-server.ts';
import { targetOf } from '../support/service/cancel-target.ts';
import { connect, conversation, errorOf, question } from './setup.ts';

async function connectPort() {
  const { client, server } = await connect();
  return { server, codeSearch: createDeepSearch(client, `${server.origin}/`) };
}

test('a finished conversation is read as the types of the core', async () => {
  const { codeSearch, server } = await connectPort();
  server.script(
    json({
      id: 7,
      created_at: '2026-01-01T00:00:00Z',
      share_url: '/deepsearch/0b7e',
      quota_usage: { total_quota: 90, quota_limit: 100, reset_time: '2026-02-01T00:00:00Z' },
      viewer: { is_owner: true },
      unknown: 1,
      questions: [
        question({
          status: 'completed',
          title: 'Where it is',
          answer: 'In [`a.go`](/github.com/o/r/-/blob/a.go?L1-2).',
          created_at: '2026-01-01T00:00:01Z',
          stats: { time_millis: 41_000, tool_calls: 12, credits: 3 },
          turns: [
            { role: 'user', reasoning: 'where?' },
            { role: 'assistant', reasoning: 'Looked at a.go\nand more' },
          ],
          sources: [
            { type: 'Repository', link: '/github.com/o/r', label: 'github.com/o/r' },
            {
              type: 'File',
              link: '/github.com/o/r/-/blob/a.go',
              label: 'a.go',
              metadata: { repoName: 'github.com/o/r' },
            },
            { type: 'File', link: '/github.com/o/r/-/blob/a.go', label: 'again' },
          ],
          suggested_followups: ['And why?'],
        }),
      ],
    }),
  );

  const base = server.origin;
  await expect(codeSearch.read(7)).resolves.toEqual({
    id: 7,
    mark: expect.any(String),
    createdMs: Date.UTC(2026, 0, 1),
    shareUrl: `${base}/deepsearch/0b7e`,
    quota: { used: 90, limit: 100, resetAtMs: Date.UTC(2026, 1, 1) },
    questions: [
      {
        id: 11,
        ordinal: 0,
        text: 'where?',
        createdMs: Date.UTC(2026, 0, 1, 0, 0, 1),
        state: 'completed',
        steps: 1,
        lastStep: 'Looked at a.go',
        title: 'Where it is',
        answer: `In [\`a.go\`](${base}/github.com/o/r/-/blob/a.go?L1-2).`,
        sources: [
          { url: `${base}/github.com/o/r`, label: 'github.com/o/r', repository: 'github.com/o/r' },
          { url: `${base}/github.com/o/r/-/blob/a.go`, label: 'a.go', repository: 'github.com/o/r' },
        ],
        followUps: ['And why?'],
        durationMs: 41_000,
        credits: 3,
      },
    ],
  });
});

test('a creation without its question is a bad reply with an unknown outcome', async () => {
  const { codeSearch, server } = await connectPort();
  server.script(json(conversation({ questions: null })));
  expect(await errorOf(codeSearch.create('where?'))).toMatchObject({ kind: 'badReply', outcomeUnknown: true });
});

describe('the newest conversations', () => {
  test('are read from as many pages as they need, and no more than requested', async () => {
    const { codeSearch, server } = await connectPort();
    const page = (...ids: number[]) => ids.map((id) => conversation({ id }));
    server.script(
      json({ conversations: page(9, 8), page_info: { end_cursor: 'x', has_next_page: true } }),
      json({ conversations: page(7, 6), page_info: { end_cursor: 'y', has_next_page: true } }),
    );
    const newest = await codeSearch.newest(3);
    expect(newest.map(({ id }) => id)).toEqual([9, 8, 7]);
    expect(server.requests[0]?.url).toBe('/.api/deepsearch/v1?page_first=3&sort=-created_at');
  });

  test('end where they are too old, while those without a date do not end them', async () => {
    const { codeSearch, server } = await connectPort();
    const at = (id: number, created_at?: string) => conversation({ id, created_at });
    server.script(
      json({
        conversations: [at(9), at(8, '2026-01-02T00:00:00Z')],
        page_info: { end_cursor: 'x', has_next_page: true },
      }),
      json({
        conversations: [at(7, '2025-12-31T00:00:00Z'), at(6)],
        page_info: { end_cursor: 'y', has_next_page: true },
      }),
    );
    const newest = await codeSearch.newest(100, Date.UTC(2026, 0, 1));
    expect(newest.map(({ id }) => id)).toEqual([9, 8]);
    expect(server.requests).toHaveLength(2);
  });

  test('are searched page by page, each with leave, until one is found', async () => {
    const { codeSearch, server } = await connectPort();
    const page = (...ids: number[]) => ids.map((id) => conversation({ id, created_at: `2026-01-0${id}T00:00:00Z` }));
    for (const ids of [[9, 8], [7, 6], [5]]) {
      server.script(json({ conversations: page(...ids), page_info: { end_cursor: `${ids}`, has_next_page: true } }));
    }
    let leaves = 0;
    const seen: unknown[] = [];
    const found = await codeSearch.newest(100, Date.UTC(2026, 0, 1), {
      aboutMs: Date.UTC(2026, 0, 7),
      untilMs: Date.UTC(2026, 0, 8),
      isSought: async ({ id }) => seen.push(id) > 2,
      beforeRequest: async () => {
        leaves += 1;
      },
    });
    expect(seen).toEqual([8, 7, 6]);
    expect(found.map(({ id }) => id)).toEqual(seen);
    expect(server.requests).toHaveLength(2);
    expect(leaves).toBe(1);
  });

  test('are not searched as if nothing was there when there are too many', async () => {
    const { codeSearch, server } = await connectPort();
    server.script(json([9, 8, 7].map((id) => conversation({ id }))));
    const search = { aboutMs: 0, untilMs: 1, isSought: async () => false };
    expect(await errorOf(codeSearch.newest(2, 0, search))).toMatchObject({ kind: 'unavailable', code: 'searchCut' });
  });

  test('are read without their slow fields', async () => {
    const { codeSearch, server } = await connectPort();
    const full = question({
      answer: '[a](/x)',
      sources: [{ link: '/x' }],
      suggested_followups: ['And?'],
      status: 'completed',
    });
    server.script(json([conversation({ questions: [full] })]));
    const [newest] = await codeSearch.newest(1);
    expect(newest?.questions).toEqual([
      { id: 11, ordinal: 0, text: 'where?', state: 'completed', steps: 0, sources: [], followUps: [] },
    ]);
  });

  test.each([
    [0, 1],
    [7, 7],
    [1_000, 20],
  ])('with a maximum of %i are read in pages of %i', async (asked, sent) => {
    const { codeSearch, server } = await connectPort();
    server.script(json([]));
    await codeSearch.newest(asked);
    expect(server.requests[0]?.url).toContain(`page_first=${sent}&`);
  });
});

describe('a follow-up that the service refuses', () => {
  const refused = status(400);

  test('is put off while the conversation has a question in progress', async () => {
    const { codeSearch, server } = await connectPort();
    server.script(refused, json(conversation({ questions: [question({ status: 'processing' })] })));
    await expect(codeSearch.followUp(7, 'and why?')).rejects.toMatchObject({
      kind: 'rateLimited',
      retryAfterMs: 5_000,
      outcomeUnknown: false,
    });
  });

  test('is refused where no question is in progress', async () => {
    const { codeSearch, server } = await connectPort();
    server.script(refused, json(conversation({ questions: [question({ status: 'completed', answer: 'a' })] })));
    await expect(codeSearch.followUp(7, 'and why?')).rejects.toMatchObject({ kind: 'refused', code: 400 });
  });
});

describe('cancelling a question', () => {
  const fine: [string, Reply][] = [
    ['200 with the question', json(question({ status: 'completed', error: { kind: 'Cancelled' } }))],
    ['202 with words', text('accepted', 'text/plain', 202)],
    ['204', status(204)],
    ['400', status(400)],
    ['404', status(404)],
    ['409', status(409)],
  ];
  test.each(fine)('succeeds with %s', async (_name, reply) => {
    const { codeSearch, server } = await connectPort();
    server.script(reply);
    await codeSearch.cancel(7, targetOf({ id: 11 }));
    expect(server.requests).toHaveLength(1);
  });

  test.each([401, 403, 422])('fails with %i', async (code) => {
    const { codeSearch, server } = await connectPort();
    server.script(status(code));
    expect(await errorOf(codeSearch.cancel(7, targetOf({ id: 11 })))).toMatchObject({ code });
  });
});

test('closing the client ends the calls of the port', async () => {
  const { client, server } = await connect();
  server.script(silence);
  const read = errorOf(createDeepSearch(client, server.origin).read(7));
  await server.received(1);
  await client.close();
  expect(await read).toMatchObject({ kind: 'unavailable' });
});
