import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

/** Fields that public clients read beside their main question; one that is missing fails their whole query. */

const NAME = 'github.com/harbour-org/pier';
const pier = createTestRepository({
  'README.md': '# Pier\n',
  'src/crane.ts': 'export class Crane {\n  lift(): string {\n    return "<up>";\n  }\n}\n',
  'src/lamp.go': 'package pier\n\ntype Lamp struct {\n\tOn bool\n}\n',
  'src/rope.ts': 'export const rope = 1;\nexport const knot = rope;',
  'only/child/file.txt': 'alone\n',
  'icon.bin': '\0\x01',
});
let service: Awaited<ReturnType<typeof startTestService>>;
let head: string;

beforeAll(async () => {
  pier.origin(`https://${NAME}.git`);
  pier.commit('Build the pier');
  pier.git('branch', 'base');
  pier.write('src/crane.ts', 'export class Crane {\n  lift(): string {\n    return "<high>";\n  }\n}\n');
  pier.write('src/rope.ts', 'export const rope = 2;\nexport const knot = rope;\n');
  pier.write('src/anchor.ts', 'export class Anchor {}\n');
  pier.write('icon.bin', '\0\x02');
  head = pier.commit('Lift higher');
  service = await startTestService({ repos: [pier.path] });
});

afterAll(async () => {
  await service.stop();
  pier.remove();
});

async function read(query: string): Promise<Record<string, unknown>> {
  const response = await service.call('POST', '/.api/graphql', { query });
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
  expect([response.status, errors]).toEqual([200, undefined]);
  return data;
}

const atHead = (fields: string): string => `{ repository(name: "${NAME}") { commit(rev: "HEAD") { ${fields} } } }`;
const ofHead = (commit: unknown) => ({ repository: { commit } });

describe('a public client', () => {
  test('reads the address, the settings and the site of its user', async () => {
    const subject = '__typename settingsURL viewerCanAdminister latestSettings { contents }';
    const data = await read(`{
      site { siteID hasCodeIntelligence }
      currentUser { session { canSignOut } tosAccepted primaryEmail { email } hasVerifiedEmail settingsCascade { final subjects { __typename } } }
      viewerSettings { final subjects { ${subject} ... on User { username } } }
      organization(name: "nowhere") { members { totalCount } }
    }`);
    const admin = { viewerCanAdminister: true, latestSettings: null };
    expect(data).toEqual({
      site: { siteID: 'codesearch', hasCodeIntelligence: true },
      currentUser: {
        session: { canSignOut: false },
        tosAccepted: true,
        primaryEmail: null,
        hasVerifiedEmail: false,
        settingsCascade: { final: '{}', subjects: [{ __typename: 'User' }] },
      },
      viewerSettings: {
        final: '{}',
        subjects: [
          { __typename: 'Site', settingsURL: null, ...admin },
          { __typename: 'User', settingsURL: '/settings/tokens', username: expect.any(String), ...admin },
        ],
      },
      organization: null,
    });
    const { currentUser } = (await read('{ currentUser { id } }')) as { currentUser: { id: string } };
    expect(await read(`{ settingsSubject(id: "${currentUser.id}") { settingsCascade { final } } }`)).toEqual({
      settingsSubject: { settingsCascade: { final: '{}' } },
    });
    expect(await read('{ settingsSubject(id: "UmVwb3NpdG9yeTox") { id } }')).toEqual({ settingsSubject: null });
  });

  test('reads the state of the mirror of a repository', async () => {
    const fields = 'cloned cloneInProgress cloneProgress remoteURL updatedAt lastError isCorrupted';
    expect(await read(`{ repository(name: "${NAME}") { mirrorInfo { ${fields} } } }`)).toEqual({
      repository: {
        mirrorInfo: {
          cloned: true,
          cloneInProgress: false,
          cloneProgress: null,
          remoteURL: null,
          updatedAt: null,
          lastError: null,
          isCorrupted: false,
        },
      },
    });
  });

  test('finds a repository by a redirect, also by the hash of its name', async () => {
    const found = (from: string) =>
      `repositoryRedirect(${from}) { __typename ... on Repository { name } ... on Redirect { url } }`;
    const hash = createHash('sha256').update(NAME).digest('hex');
    const unknown = createHash('sha256').update('nowhere').digest('hex');
    const repository = { __typename: 'Repository', name: NAME };
    expect(
      await read(`{ a: ${found(`name: "${NAME}"`)} b: ${found(`cloneURL: "git@github.com:harbour-org/pier.git"`)}
        c: ${found(`hashedName: "${hash}"`)} d: ${found(`hashedName: "${unknown}"`)} }`),
    ).toEqual({ a: repository, b: repository, c: repository, d: null });
  });

  test('reads a file as a table of its lines, without colors and escaped', async () => {
    const line = (number: number, code: string): string =>
      `<tr><td class="line" data-line="${number}"></td><td class="code"><div>${code}</div></td></tr>`;
    const data = await read(
      atHead(`file(path: "src/crane.ts") { richHTML
          highlight(disableTimeout: false, startLine: 3, endLine: 4) { aborted html lsif }
          rows: highlight(disableTimeout: true) { lineRanges(ranges: [{ startLine: 0, endLine: 1 }, { startLine: 9, endLine: 12 }]) } }
        blob(path: "icon.bin") { highlight(disableTimeout: false) { html } }`),
    );
    const html = `<table><tbody>${line(3, '    return &quot;&lt;high&gt;&quot;;')}${line(4, '  }')}</tbody></table>`;
    expect(data).toEqual(
      ofHead({
        file: {
          richHTML: '',
          highlight: { aborted: true, html, lsif: '' },
          rows: { lineRanges: [[line(1, 'export class Crane {')], []] },
        },
        blob: { highlight: { html: '' } },
      }),
    );
  });

  test('asks for a precise index of a file and learns that there is none', async () => {
    const places = '{ nodes { resource { path repository { name } commit { oid } } range { start { line } } } }';
    const query = atHead(`blob(path: "src/crane.ts") { lsif {
      definitions(line: 0, character: 13) ${places} references(line: 0, character: 13, first: 9) ${places}
      hover(line: 0, character: 13) { markdown { text } range { end { character } } } } }`);
    expect(await read(query)).toEqual(ofHead({ blob: { lsif: null } }));
  });

  test('asks which folder is alone in its folder', async () => {
    const entries = '{ entries { name isSingleChild } }';
    expect(await read(atHead(`root: tree ${entries} only: tree(path: "only") ${entries}`))).toEqual(
      ofHead({
        root: {
          entries: [
            { name: 'only', isSingleChild: false },
            { name: 'src', isSingleChild: false },
            { name: 'README.md', isSingleChild: false },
            { name: 'icon.bin', isSingleChild: false },
          ],
        },
        only: { entries: [{ name: 'child', isSingleChild: true }] },
      }),
    );
  });

  test('reads the hunks of a comparison, also of some of its files', async () => {
    const hunks = 'hunks { oldRange { startLine lines } newRange { startLine lines } oldNoNewlineAt section body }';
    const data = await read(`{ repository(name: "${NAME}") { comparison(base: "base", head: "HEAD") {
      fileDiffs { nodes { newPath ${hunks} } } one: fileDiffs(paths: ["src/rope.ts"]) { nodes { newPath hunks { body } } } } } }`);
    const range = (startLine: number, lines: number) => ({ startLine, lines });
    const ropeBody =
      '-export const rope = 1;\n-export const knot = rope;\n+export const rope = 2;\n+export const knot = rope;\n';
    const nodes = [
      { newPath: 'icon.bin', hunks: [] },
      {
        newPath: 'src/anchor.ts',
        hunks: [
          {
            oldRange: range(0, 0),
            newRange: range(1, 1),
            oldNoNewlineAt: false,
            section: null,
            body: '+export class Anchor {}\n',
          },
        ],
      },
      {
        newPath: 'src/crane.ts',
        hunks: [
          {
            oldRange: range(1, 5),
            newRange: range(1, 5),
            oldNoNewlineAt: false,
            section: null,
            body: ' export class Crane {\n   lift(): string {\n-    return "<up>";\n+    return "<high>";\n   }\n }\n',
          },
        ],
      },
      {
        newPath: 'src/rope.ts',
        hunks: [{ oldRange: range(1, 2), newRange: range(1, 2), oldNoNewlineAt: true, section: null, body: ropeBody }],
      },
    ];
    expect(data).toEqual({
      repository: {
        comparison: { fileDiffs: { nodes }, one: { nodes: [{ newPath: 'src/rope.ts', hunks: [{ body: ropeBody }] }] } },
      },
    });
  });

  test('reads symbols of a file and of a commit, stars, and that there is no code graph', async () => {
    const symbols = (of: string) => `symbols(${of}) { nodes { name kind location { resource { path } } } }`;
    const data = await read(`{ repository(name: "${NAME}") { stars commit(rev: "HEAD") {
      blob(path: "src/crane.ts") { ${symbols('first: 9')} codeGraphData { provenance } } ${symbols('query: "Lamp"')} } } }`);
    const symbol = (name: string, kind: string, path: string) => ({ name, kind, location: { resource: { path } } });
    expect(data).toEqual({
      repository: {
        stars: 0,
        commit: {
          blob: {
            symbols: {
              nodes: [symbol('Crane', 'CLASS', 'src/crane.ts'), symbol('lift', 'METHOD', 'src/crane.ts')],
            },
            codeGraphData: null,
          },
          symbols: { nodes: [symbol('Lamp', 'CLASS', 'src/lamp.go')] },
        },
      },
    });
  });

  test('writes paths in several ways', async () => {
    const data = await read(
      atHead(`a: file(path: "./src/rope.ts") { path } b: blob(path: "/src//rope.ts") { path } c: tree(path: "./src/") { path }
        d: tree(path: ".") { isRoot } e: path(path: "/") { ... on GitTree { isRoot } } f: tree(path: "src/../only") { path }`),
    );
    const [file, folder, root] = [{ path: 'src/rope.ts' }, { path: 'src' }, { isRoot: true }];
    expect(data).toEqual(ofHead({ a: file, b: file, c: folder, d: root, e: root, f: null }));
  });

  test('reads commits of a search, with a preview of changes, which are not searched', async () => {
    const commit = 'commit { repository { name url } oid abbreviatedOID url subject body }';
    const data = await read(`{ search(query: "type:commit Lift") { results { results { ... on CommitSearchResult {
      label { html } url matches { body { text html } highlights { line character length } } messagePreview { value } diffPreview { value } ${commit}
    } } } } }`);
    const highlights = [{ line: 1, character: 1, length: 4 }];
    const body = { text: expect.stringContaining('Lift higher'), html: '<pre>Lift higher</pre>' };
    const found = { messagePreview: { value: 'Lift higher' }, diffPreview: null, matches: [{ body, highlights }] };
    expect(data).toMatchObject({
      search: { results: { results: [{ ...found, commit: { oid: head, subject: 'Lift higher', body: null } }] } },
    });
  });

  test('reads the names of all files, of languages and of what a submodule is', async () => {
    expect(
      await read(atHead('fileNames languages tree(path: "src") { entries { submodule { url commit } } }')),
    ).toEqual(
      ofHead({
        fileNames: [
          'README.md',
          'icon.bin',
          'only/child/file.txt',
          'src/anchor.ts',
          'src/crane.ts',
          'src/lamp.go',
          'src/rope.ts',
        ],
        languages: expect.arrayContaining(['TypeScript', 'Go', 'Markdown']),
        tree: { entries: Array(4).fill({ submodule: null }) },
      }),
    );
  });

  test('reads where a symbol stands, and asks for filters, of which there are none', async () => {
    const symbols = `search(query: "type:symbol Crane OR Lamp") { results { results { ... on FileMatch {
      symbols { name kind fileLocal location { resource { path commit { oid } } range { start { line } } } } } } } }`;
    const filters = `search(query: "rope", patternType: lucky) { results { dynamicFilters { value label count limitHit kind } } }`;
    const data = await read(`{ symbols: ${symbols} filters: ${filters} }`);
    const symbol = (name: string, path: string, line: number) => ({
      symbols: [
        {
          name,
          kind: 'CLASS',
          fileLocal: false,
          location: { resource: { path, commit: { oid: head } }, range: { start: { line } } },
        },
      ],
    });
    expect(data).toEqual({
      symbols: { results: { results: [symbol('Crane', 'src/crane.ts', 0), symbol('Lamp', 'src/lamp.go', 2)] } },
      filters: {
        results: {
          dynamicFilters: [],
        },
      },
    });
  });
});
