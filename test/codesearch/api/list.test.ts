import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
const ids: number[] = [];
let nowMs = 1_700_000_000_000;

beforeAll(async () => {
  service = await startTestService({ repos: [repository.path], clock: () => (nowMs += 10) });
  for (let index = 0; index < 7; index += 1) ids.push((await service.create(`Where is retryDelay? ${index}`)).id);
  for (const id of ids) await service.finished(id);
  // Update the third again, so that the three sort orders differ.
  const third = ids[2] ?? 0;
  await service.call('POST', `/${third}/questions`, { question: 'Where is it used?' });
  await service.finished(third);
});

afterAll(async () => {
  await service.stop();
  repository.remove();
});

const idsOf = async (parameters: string): Promise<number[]> =>
  (await service.list(parameters)).conversations.map(({ id }) => id);

test('the reply contains the conversations and where the page ends', async () => {
  const list = await service.list();
  expect(Object.keys(list)).toEqual(['conversations', 'page_info']);
  expect(list.conversations).toHaveLength(7);
  expect(list.page_info).toEqual({ end_cursor: expect.any(String), has_next_page: false });
  expect(list.conversations[0]?.questions[0]).toHaveProperty('status', 'completed');
});

test('the newest change comes first by default', async () => {
  expect((await idsOf(''))[0]).toBe(ids[2]);
  expect(await idsOf('?sort=id')).toEqual(ids);
  expect(await idsOf('?sort=-id')).toEqual(ids.toReversed());
  expect(await idsOf('?sort=created_at')).toEqual(ids);
  expect(await idsOf('?sort=-created_at')).toEqual(ids.toReversed());
  expect((await idsOf('?sort=updated_at')).at(-1)).toBe(ids[2]);
});

test.each(['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'])(
  'pages by %s contain every conversation once',
  async (sort) => {
    const seen: number[] = [];
    let cursor = '';
    for (let page = 0; page < 5; page += 1) {
      const list = await service.list(
        `?sort=${sort}&page_first=3${cursor === '' ? '' : `&page_after=${encodeURIComponent(cursor)}`}`,
      );
      seen.push(...list.conversations.map(({ id }) => id));
      cursor = list.page_info.end_cursor ?? '';
      if (!list.page_info.has_next_page) break;
    }
    expect(seen).toEqual(await idsOf(`?sort=${sort}`));
  },
);

test('filters narrow the list', async () => {
  const first = (await service.list('?sort=id')).conversations[0];
  expect(await idsOf(`?filter_id=${first?.id}`)).toEqual([first?.id]);
  expect(await idsOf(`?filter_read_token=${first?.read_token}`)).toEqual([first?.id]);
  expect(await idsOf(`?filter_user_id=${first?.user_id}`)).toHaveLength(7);
  expect(await idsOf('?filter_user_id=4711')).toEqual([]);
  expect(await idsOf('?filter_is_starred=true')).toEqual([]);
  expect(await idsOf('?filter_is_starred=false')).toHaveLength(7);
  expect(await idsOf('?filter_id=')).toHaveLength(7);
});

test('an empty page has no cursor', async () => {
  expect((await service.list('?filter_id=4711')).page_info).toEqual({ end_cursor: null, has_next_page: false });
});

test.each(['sort=name', 'page_first=0', 'page_first=ten', 'page_after=nonsense', 'filter_id=x', 'filter_is_starred=1'])(
  'the query ?%s is refused',
  async (parameters) => {
    const response = await service.call('GET', `?${parameters}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: expect.any(String),
      error: { status: 400, message: expect.any(String) },
    });
  },
);
