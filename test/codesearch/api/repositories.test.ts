import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHarbourRepository, createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

async function serve(
  repositories: TestRepository[],
  use: (service: Service) => Promise<void>,
  paths = repositories.map(({ path }) => path),
): Promise<void> {
  try {
    const service = await startTestService({ repos: paths });
    try {
      await use(service);
      expect(service.problems).toEqual([]);
    } finally {
      await service.stop();
    }
  } finally {
    for (const repository of repositories) repository.remove();
  }
}

test('a folder without a repository is refused with its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'codesearch-plain-'));
  try {
    await expect(startTestService({ repos: [folder] })).rejects.toThrow(`${folder} is not a git repository`);
    await expect(startTestService({ repos: [join(folder, 'missing')] })).rejects.toThrow('is not a folder');
    writeFileSync(join(folder, 'file'), '');
    await expect(startTestService({ repos: [join(folder, 'file')] })).rejects.toThrow('is not a folder');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an empty repository gives an answer in words to every kind of question', () =>
  serve([createTestRepository()], async (service) => {
    for (const question of [
      'what is this repository about?',
      'what changed recently?',
      'where is foo?',
      'who wrote it?',
      'what options are there?',
      'which tests cover foo?',
    ]) {
      const { answer, status, error } = await service.answer(question);
      expect([status, error]).toEqual(['completed', undefined]);
      expect(answer?.length).toBeGreaterThan(20);
    }
  }));

test('staged files are found before the first commit', async () => {
  const repository = createTestRepository({ 'a.py': 'def load_ships():\n    pass\n' });
  repository.git('add', '-A');
  await serve([repository], async (service) => {
    expect((await service.answer('where is load_ships defined?')).answer).toContain('a.py:1-2');
  });
});

test('a commit made while the service runs is in the next answer, and a removed file is not', async () => {
  const repository = createHarbourRepository();
  await serve([repository], async (service) => {
    expect((await service.answer('Where is unloadShip defined?')).answer).toContain('I found nothing about');
    repository.write('src/crane.ts', 'export function unloadShip() {\n  return 1;\n}\n');
    repository.commit('Add a crane');
    expect((await service.answer('Where is unloadShip defined?')).answer).toContain('src/crane.ts');
    expect((await service.answer('When was unloadShip added?')).answer).toContain('Add a crane');
    repository.git('rm', '-q', 'src/crane.ts');
    repository.commit('Remove the crane');
    expect((await service.answer('Where is unloadShip defined?')).answer).not.toContain('src/crane.ts');
    expect((await fetch(`${service.url}/github.com/harbour-org/harbour/-/blob/src/crane.ts`)).status).toBe(404);
  });
});

test('several repositories are searched together, also with the same name', async () => {
  const first = createHarbourRepository();
  const second = createHarbourRepository();
  second.write('only.ts', 'export const lighthouse = 1;\n');
  second.commit('Build a lighthouse');
  await serve([first, second], async (service) => {
    expect(service.repositories).toEqual(['github.com/harbour-org/harbour', 'github.com/harbour-org/harbour-2']);
    const { sources = [] } = await service.answer('Where is lighthouse defined?');
    expect(sources[0]?.link).toMatch(/^\/github\.com\/harbour-org\/harbour-2@[0-9a-f]{40}\/-\/blob\/only\.ts\?L1$/);
    expect((await fetch(`${service.url}${sources[0]?.link}`)).status).toBe(200);
  });
});

test('rules of access are refused when two repositories have the same name, because a rule would protect one of them only', async () => {
  const [first, second] = [createHarbourRepository(), createHarbourRepository()];
  try {
    const options = { repos: [first.path, second.path], repoAccess: { 'github.com/harbour-org/harbour': ['bob'] } };
    await expect(startTestService(options)).rejects.toThrow(
      'Two repositories are named github.com/harbour-org/harbour',
    );
  } finally {
    for (const repository of [first, second]) repository.remove();
  }
});

test('a repository that git can’t read is refused at the start by its folder, and later holds up no other', async () => {
  const broken = createTestRepository({ 'a.ts': 'export const a = 1;\n' });
  broken.commit('Start');
  const harbour = createHarbourRepository();
  const blob = Buffer.from(broken.git('rev-parse', 'HEAD:a.ts').trim(), 'hex');
  broken.write('tree', Buffer.concat([Buffer.from('100644 \0'), blob]));
  const tree = broken.git('hash-object', '-t', 'tree', '-w', '--literally', 'tree').trim();
  try {
    const service = await startTestService({ repos: [broken.path, harbour.path] });
    try {
      const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
      broken.git('update-ref', 'HEAD', broken.git(...identity, 'commit-tree', '-m', 'Break', tree).trim());
      for (const question of ['Where is retryDelay?', 'Who wrote retryDelay?']) {
        expect((await service.answer(question)).answer).toContain('src/retry.ts');
      }
      expect(service.problems).toEqual([
        expect.objectContaining({ message: expect.stringContaining('empty filename') }),
      ]);
    } finally {
      await service.stop();
    }
    await expect(startTestService({ repos: [harbour.path, broken.path] })).rejects.toThrow(`${broken.path}: git`);
  } finally {
    for (const repository of [broken, harbour]) repository.remove();
  }
});

test('a damaged folder of a repository leaves the results of the others, and its pages say that git can’t read it', async () => {
  const harbour = createHarbourRepository();
  const broken = createTestRepository({ 'src/a.ts': 'export const retryDelay = 1;\n' });
  broken.commit('Start');
  const [folder = '', file = ''] = broken
    .git('rev-parse', 'HEAD:src')
    .trim()
    .split(/(?<=^..)/);
  const service = await startTestService({ repos: [broken.path, harbour.path] });
  try {
    rmSync(join(broken.path, '.git', 'objects', folder, file));
    const query = '{ search(query: "rev:HEAD /retryDela./") { results { matchCount alert { description } } } }';
    const { data } = (await service.read('POST', '/.api/graphql', { query })) as {
      data: { search: { results: { matchCount: number; alert: { description: string } } } };
    };
    expect(data.search.results.matchCount).toBeGreaterThan(0);
    expect(data.search.results.alert.description).toContain('git could not read');
    const page = await fetch(`${service.url}/${service.repositories[0]}@HEAD/-/blob/src/a.ts`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('git can’t read this repository')]);
    expect(service.problems).toContainEqual(expect.objectContaining({ name: 'GitError' }));
  } finally {
    await service.stop();
    for (const repository of [broken, harbour]) repository.remove();
  }
});

test('files with the same content in thousands of places are indexed, the first hundred with their content', async () => {
  const repository = createTestRepository({ 'a.ts': 'export function moorBoat() {}\n' });
  const blob = repository.git('hash-object', '-w', 'a.ts').trim();
  const files = Array.from({ length: 20_000 }, (_, index) => `100644 ${blob}\td${index % 50}/f${index}.ts`);
  execFileSync('git', ['-C', repository.path, 'update-index', '--index-info'], { input: files.join('\n') });
  await serve([repository], async (service) => {
    expect(service.files).toBe(20_000);
    expect((await service.answer('Where is moorBoat defined?')).answer).toContain('moorBoat');
  });
});

test('a clone without a checkout shows its newest commit', async () => {
  const repository = createHarbourRepository();
  rmSync(join(repository.path, '.git', 'index'));
  await serve([repository], async (service) => {
    expect(service.files).toBe(7);
    expect((await service.answer('Where is retryDelay?')).answer).toContain('src/retry.ts');
  });
});

test('a file whose content a partial clone lacks does not exist', async () => {
  const repository = createTestRepository({ 'a.ts': 'export const a = 1;\n', 'b.ts': 'export const b = 1;\n' });
  repository.commit('Start');
  const [folder = '', file = ''] = repository
    .git('rev-parse', 'HEAD:b.ts')
    .trim()
    .split(/(?<=^..)/);
  rmSync(join(repository.path, '.git', 'objects', folder, file));
  await serve([repository], async ({ url, repositories: [name] }) => {
    for (const path of ['-/raw/b.ts', '-/blob/b.ts', '@HEAD/-/raw/b.ts', '@HEAD/-/blob/b.ts?blame=1']) {
      const response = await fetch(`${url}/${name}${path.startsWith('@') ? '' : '/'}${path}`);
      expect([200, 404], path).toContain(response.status);
    }
    expect((await fetch(`${url}/${name}/-/raw/b.ts`)).status).toBe(404);
  });
});

test('a folder inside a repository, and a bare repository, serve the whole repository', async () => {
  const repository = createHarbourRepository();
  const bare = mkdtempSync(join(tmpdir(), 'codesearch-bare-'));
  execFileSync('git', ['clone', '-q', '--bare', repository.path, join(bare, 'harbour.git')], { stdio: 'pipe' });
  try {
    await serve(
      [repository],
      async (service) => expect((await service.answer('Where is retryDelay?')).answer).toContain('src/retry.ts'),
      [join(repository.path, 'src')],
    );
    const service = await startTestService({ repos: [join(bare, 'harbour.git')] });
    try {
      expect((await service.answer('Where is retryDelay?')).answer).toContain('src/retry.ts');
      const body = { query: '{ search(query: "retryCapMs") { results { matchCount } } }' };
      expect(await service.read('POST', '/.api/graphql', body)).toEqual({
        data: { search: { results: { matchCount: 2 } } },
      });
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(bare, { recursive: true });
  }
});

test('binary, huge, minified and odd files cause no failure', async () => {
  const repository = createTestRepository({
    'ok.ts': 'export function steerShip() {\n  return 1;\n}\n',
    'a.bin': Buffer.from([0, 255, 0, 115, 116, 101, 101, 114]),
    'latin1.txt': Buffer.from([0x73, 0x74, 0x65, 0x65, 0x72, 0xe4, 0x0a]),
    'huge.txt': 'steerShip '.repeat(150_000),
    'app.min.js': `var steerShip=1;${'x=1;'.repeat(20_000)}`,
    'package-lock.json': '{ "steerShip": 1 }',
    'empty.txt': '',
    'crlf.py': 'def steer_boat():\r\n    return 1\r\n',
  });
  mkdirSync(join(repository.path, 'nested'));
  repository.link('ok.ts', 'linked.ts');
  repository.commit('Everything at once');
  await serve([repository], async (service) => {
    const { answer, sources = [] } = await service.answer('Where is steerShip defined?');
    expect(answer).toContain('ok.ts:1-3');
    expect(sources.map(({ label }) => label).join(' ')).not.toMatch(/linked|huge|min\.js|lock/);
    expect((await service.answer('Where is steer_boat?')).answer).not.toContain('\r');
  });
});
