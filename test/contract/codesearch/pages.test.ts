import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestRepository } from '../../support/codesearch/repository.ts';
import { startTestService } from '../../support/codesearch/service.ts';

const NASTY = '<img src=x onerror=alert(1)>';
const repository = createTestRepository({
  'src/greet.ts': `// ${NASTY}\nexport function greetPeople() {\n  return '</td><script>alert(1)</script>';\n}\n`,
  'über uns/a (copy) [1].md': '# Hello\n\nWords about greeting.\n',
  [`odd/${NASTY}.txt`]: 'greetings\n',
  'image.bin': Buffer.from([0, 1, 2, 3]),
  'long.txt': `${Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n')}\n`,
});
repository.write('untracked.txt', 'secret');
repository.write('.gitignore', 'untracked.txt\n');
repository.link('/etc/hostname', 'outside');
repository.link('..', 'up');
repository.commit(`Greet ${NASTY}`);
let service: Awaited<ReturnType<typeof startTestService>>;
let name = '';

beforeAll(async () => {
  service = await startTestService({ repos: [repository.path], sharing: true });
  name = service.repositories[0] ?? '';
});

afterAll(async () => {
  await service.stop();
  repository.remove();
});

async function open(path: string): Promise<{ status: number; text: string; policy: string }> {
  const response = await fetch(`${service.url}${path}`);
  return {
    status: response.status,
    text: await response.text(),
    policy: response.headers.get('content-security-policy') ?? '',
  };
}

describe('the page of a file', () => {
  test('shows its lines, marks the requested ones and scrolls to the first', async () => {
    const { status, text } = await open(`/${name}/-/blob/long.txt?L10-20`);
    expect(status).toBe(200);
    expect([...text.matchAll(/<tr id="L(\d+)" class="marked">/g)].map(([, line]) => Number(line))).toEqual([
      10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
    expect(text).toContain('getElementById("L10")');
    expect((await open(`/${name}/-/blob/long.txt`)).text).not.toContain('class="marked"');
    expect((await open(`/${name}/-/blob/long.txt?L900-901`)).status).toBe(200);
  });

  test('executes nothing of its content', async () => {
    const { text, policy } = await open(`/${name}/-/blob/src/greet.ts?L1`);
    expect(text).not.toContain('<img');
    expect(text.match(/<script/g)).toHaveLength(1);
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    expect(text).toContain(`<script nonce="${nonce}">`);
    expect(policy).toContain("default-src 'none'");
    expect((await open(`/${name}/-/blob/src/greet.ts`)).policy).not.toContain(nonce);
  });

  test('opens for names with spaces, brackets, umlauts and markup', async () => {
    expect(
      (await open(`/${name}/-/blob/${encodeURIComponent('über uns')}/${encodeURIComponent('a (copy) [1].md')}`)).text,
    ).toContain('Words about greeting.');
    const odd = await open(`/${name}/-/blob/odd/${encodeURIComponent(`${NASTY}.txt`)}`);
    expect(odd.status).toBe(200);
    expect(odd.text).not.toContain('<img');
  });

  test('says where the file is not text', async () => {
    expect((await open(`/${name}/-/blob/image.bin`)).text).toContain('not text');
  });

  test.each([
    'untracked.txt',
    'outside',
    'up/etc/hostname',
    '.git/config',
    '../../../etc/hostname',
    '%2e%2e/%2e%2e/etc/hostname',
    '..%2f..%2f..%2fetc%2fhostname',
    '/etc/hostname',
    '%00',
    'src',
    '',
  ])('does not show a file that git does not track: %s', async (path) => {
    expect((await open(`/${name}/-/blob/${path}`)).status).toBe(404);
  });

  test('refuses a malformed path', async () => {
    expect((await open(`/${name}/-/blob/%E0%A4%A`)).status).toBe(400);
  });
});

test('the pages of folders and of the repository list the tracked files', async () => {
  const root = await open(`/${name}`);
  expect(root.text).toContain('>src/</a>');
  expect(root.text).not.toContain('untracked');
  expect(root.text).not.toContain('outside');
  const odd = await open(`/${name}/-/tree/odd`);
  expect(odd.text).toContain('&#60;img');
  expect(odd.text).not.toContain('<img');
  expect((await open(`/${name}/-/tree/nothing`)).status).toBe(404);
  expect((await open('/')).text).toContain(`href="/${name}"`);
});

test('the page of a commit shows its message and patch as text', async () => {
  const head = repository.git('rev-parse', 'HEAD').trim();
  const { status, text } = await open(`/${name}/-/commit/${head}`);
  expect(status).toBe(200);
  expect(text).toContain('greetPeople');
  expect(text).not.toContain('<img');
  for (const id of ['0000000', 'HEAD', '--help', '-abcdef0'])
    expect((await open(`/${name}/-/commit/${id}`)).status).toBe(404);
});

test('the page of a conversation shows questions, answers and sources, and none of their markup', async () => {
  const { id, read_token } = await service.create(`Where is greetPeople? ${NASTY}<script>alert(2)</script>`);
  await service.finished(id);
  const { status, text, policy } = await open(`/deepsearch/${read_token}`);
  expect(status).toBe(200);
  expect(text).toContain('<h3>Sources</h3>');
  expect(text).toMatch(new RegExp(`<a href="/${name}/-/blob/src/greet.ts\\?L2-4"`));
  expect(text).not.toMatch(/<img|<script/);
  expect(policy).toContain("default-src 'none'");
  expect((await open(`/deepsearch/${'0'.repeat(36)}`)).status).toBe(404);
});

test('pages only answer reads', async () => {
  expect((await fetch(`${service.url}/${name}`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${service.url}/${name}`, { method: 'HEAD' })).status).toBe(200);
});
