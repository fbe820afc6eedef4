import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBreaches, importsOf, type Sources } from './support/import-law.ts';

const root = new URL('../', import.meta.url);

function readSources(): Sources {
  return new Map(
    ['src', 'test', 'tools'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `${folder}/${path}`)
        .map((path) => [path, readFileSync(new URL(path, root), 'utf8')] as const),
    ),
  );
}

describe('the source tree', () => {
  const sources = readSources();

  it('is read completely', () => {
    expect([...sources.keys()]).toEqual(
      expect.arrayContaining(['src/main.ts', 'src/core/lifecycle/advance.ts', 'src/slack/routing.ts']),
    );
    const appFiles = [...sources].filter(([path]) => /^src\/app[./]/.test(path));
    expect(appFiles.flatMap(([, text]) => importsOf(text)).length).toBeGreaterThan(75);
  });

  it('keeps the import law', () => {
    expect(findBreaches(sources)).toEqual([]);
  });

  // A function as the condition compiles, and such a test never skips.
  it('skips a test by the result of a check, not by the check itself', () => {
    const uncalled = [...sources].filter(([, text]) => /\b(?:skipIf|runIf)\(!?has\w+\)/.test(text));
    expect(uncalled.map(([path]) => path)).toEqual([]);
  });
});

describe('the check of the source tree', () => {
  const breaches = (path: string, text: string): string[] =>
    findBreaches(new Map([[path, text]])).map((breach) => breach.slice(path.length + 1));

  it.each([
    ['src/core/lifecycle/advance.ts', "import { LRUCache } from 'lru-cache';", 'imports lru-cache'],
    ['src/core/lifecycle/advance.ts', "import type { LRUCache } from 'lru-cache';", 'imports lru-cache'],
    ['src/core/lifecycle/advance.ts', "import { join } from 'node:path';", 'imports node:path'],
    ['src/core/lifecycle/advance.ts', "import 'node:path';", 'imports node:path'],
    ['src/core/lifecycle/advance.ts', "const path = await import('node:path');", 'imports node:path'],
    ['src/core/lifecycle/advance.ts', "export { join } from 'node:path';", 'imports node:path'],
    [
      'src/core/lifecycle/advance.ts',
      "import {\n  type Sentence,\n} from '../../render/strings.ts';",
      'imports src/render/strings.ts',
    ],
    ['src/core/lifecycle/advance.ts', "import { version } from '../../version.ts';", 'imports src/version.ts'],
    ['src/render/card.ts', "import { Button } from '@slack/types';", 'imports more than types of @slack/types'],
    [
      'src/render/card.ts',
      "import { type Button, Card } from '@slack/types';",
      'imports more than types of @slack/types',
    ],
    ['src/render/card.ts', "import type { App } from '@slack/bolt';", 'imports @slack/bolt'],
    ['src/render/card.ts', "import { call } from '../slack/web-client.ts';", 'imports src/slack/web-client.ts'],
    ['src/render/card.ts', "import { join } from 'node:path';", 'imports node:path'],
    ['src/slack/messenger.ts', "import { request } from 'undici';", 'imports undici'],
    [
      'src/slack/messenger.ts',
      "import { open } from '../storage/open-storage.ts';",
      'imports src/storage/open-storage.ts',
    ],
    ['src/slack/messenger.ts', "import { createApp } from '../app.ts';", 'imports src/app.ts'],
    ['src/slack/listeners/desk.ts', "import { open } from '../../main.ts';", 'imports src/main.ts'],
    ['src/service/http.ts', "import { call } from '../slack/web-client.ts';", 'imports src/slack/web-client.ts'],
    ['src/service/http.ts', "import Keyv from 'keyv';", 'imports keyv'],
    ['src/service/http.ts', "import { quote } from '../render/quote.ts';", 'imports src/render/quote.ts'],
    ['src/storage/records.ts', "import { pino } from 'pino';", 'imports pino'],
    ['src/scheduler/timers.ts', "import { open } from 'lmdb';", 'imports lmdb'],
    ['src/storage/records.ts', "import { Queue } from 'bullmq';", 'imports bullmq'],
    ['src/observability/metrics.ts', "import { createClient } from 'redis';", 'imports redis'],
    ['src/observability/metrics.ts', "import { open } from 'lmdb';", 'imports lmdb'],
    ['src/core/tracing.ts', "import { trace } from '@opentelemetry/api';", 'imports @opentelemetry/api'],
    ['src/service/http.ts', "import { trace } from '@opentelemetry/api';", 'imports @opentelemetry/api'],
    ['src/app.ts', "import { pino } from 'pino';", 'imports more than types of pino'],
    ['src/app/workspace.ts', "import { start } from '../demo/start.ts';", 'imports src/demo/start.ts'],
    ['src/app.ts', "import { serve } from './codesearch/http/server.ts';", 'imports src/codesearch/http/server.ts'],
    ['src/codesearch/main.ts', "import { AppError } from '../core/errors.ts';", 'imports src/core/errors.ts'],
    ['src/codesearch/main.ts', "import { version } from '../version.ts';", 'imports src/version.ts'],
    [
      'src/codesearch/git/git.ts',
      "import { HttpError } from '../http/http-error.ts';",
      'imports src/codesearch/http/http-error.ts',
    ],
    [
      'src/codesearch/git/blobs.ts',
      "import type { Finding } from '../conversations/runner.ts';",
      'imports src/codesearch/conversations/runner.ts',
    ],
    [
      'src/codesearch/conversations/list.ts',
      "import { HttpError } from '../http/http-error.ts';",
      'imports src/codesearch/http/http-error.ts',
    ],
    [
      'src/codesearch/graphql/execute.ts',
      "import { isObject } from '../http/body.ts';",
      'imports src/codesearch/http/body.ts',
    ],
    [
      'src/codesearch/pages/html.ts',
      "import type { Reply } from '../http/reply.ts';",
      'imports src/codesearch/http/reply.ts',
    ],
    [
      'src/codesearch/conversations/list.ts',
      "import { page } from '../pages/html.ts';",
      'imports src/codesearch/pages/html.ts',
    ],
    [
      'src/codesearch/http/routes/rest-conversations.ts',
      "import { start } from '../../service.ts';",
      'imports src/codesearch/service.ts',
    ],
    ['src/codesearch/main.ts', "import { GitError } from './git/git.ts';", 'imports src/codesearch/git/git.ts'],
    [
      'src/codesearch/index/corpus.ts',
      "import { execFile } from 'node:child_process';",
      'starts programs beside the git wrapper',
    ],
    ['src/codesearch/extras/thing.ts', "import { LIMITS } from '../limits.ts';", 'imports src/codesearch/limits.ts'],
    ['src/demo/main.ts', "import { createApp } from '../app.ts';", 'imports src/app.ts'],
    ['src/demo/main.ts', "import { serve } from '../codesearch/main.ts';", 'imports src/codesearch/main.ts'],
    ['src/local-slack/views.ts', "import { limits } from '../render/limits.ts';", 'imports src/render/limits.ts'],
    ['src/local-slack/main.ts', "if (process.platform === 'linux') start();", 'depends on the machine'],
    ['src/local-slack/main.ts', "import { spawn } from 'node:child_process';", 'depends on the machine'],
    ['src/local-slack/views.ts', "import { one } from '../../test/support/one.ts';", 'imports test/support/one.ts'],
    ['src/app.ts', "import { startServer } from './local-slack/server.ts';", 'imports src/local-slack/server.ts'],
    ['src/command-line.ts', "import { version } from './version.ts';", 'imports src/version.ts'],
    ['src/app.ts', "import { readCommandLine } from './command-line.ts';", 'imports src/command-line.ts'],
    ['src/extras/thing.ts', "import { join } from 'node:path';", 'belongs to no part of the house'],
    ['src/core/index.ts', 'export const one = 1;', 'is a barrel'],
    ['src/slack/all.ts', "export { call } from './web-client.ts';", 'only re-exports'],
    ['src/slack/all.ts', "import { call } from './web-client.ts';\nexport * from './names.ts';\n", 'has export *'],
    ['src/slack/all.ts', "export type * from './names.ts';\nexport const one = 1;", 'has export *'],
    ['src/core/lifecycle/steps.ts', 'export default function line() {}', 'has a default export'],
    ['src/core/lifecycle/steps.ts', 'const line = 1;\nexport { line as default };', 'has a default export'],
    ['src/app.ts', 'const port = process.env.PORT;', 'reads process.env'],
    ['src/app.ts', "const port = process['env'].PORT;", 'reads process.env'],
    ['src/app.ts', "import { env } from 'node:process';", 'imports node:process'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the planted source has a template
    ['src/app.ts', 'const port = `${process.env.PORT}`;', 'reads process.env'],
    ['src/slack/names.ts', "console.log('x');", 'writes to the console'],
    ['src/slack/messenger.ts', 'const reply = await fetch(url);', 'calls fetch past the proxy'],
    ['src/slack/names.ts', "const path = require('node:path');", 'requires'],
    ['test/unit/a.test.ts', "vi.mock('../src/app.ts');", 'mocks a module'],
    ['test/unit/a.test.ts', "vi.doMock('../src/app.ts');", 'mocks a module'],
  ])('in %s refuses %j', (path, text, breach) => {
    expect(breaches(path, text)).toContain(breach);
  });

  it.each([
    ['src/core/lifecycle/advance.ts', "import { decide } from './lifecycle.ts';\ndecide();"],
    [
      'src/render/card.ts',
      "import type { Button } from '@slack/types';\nimport { fromMarkdown } from 'mdast-util-from-markdown';\none();",
    ],
    ['src/render/card.ts', "import { type Button, type Card } from '@slack/types';\none();"],
    [
      'src/slack/messenger.ts',
      "import { WebClient } from '@slack/web-api';\nimport { card } from '../render/card.ts';\none();",
    ],
    ['src/service/http.ts', "import { request } from 'undici';\nimport { AppError } from '../core/errors.ts';\none();"],
    ['src/app.ts', "import type { Logger } from 'pino';\nimport { card } from './slack/messenger.ts';\none();"],
    ['src/codesearch/git/git.ts', "import { spawn } from 'node:child_process';\none();"],
    ['src/codesearch/arguments.ts', "import { readCommandLine } from '../command-line.ts';\none();"],
    ['src/codesearch/http/routes/rest-conversations.ts', "import { list } from '../../conversations/list.ts';\none();"],
    ['src/codesearch/ask/routes/who.ts', "import { stem } from '../stem.ts';\none();"],
    ['src/slack/messenger.ts', 'const reply = await outbound.fetch(url);'],
    ['src/main.ts', 'const config = parseConfig(process.env);'],
    ['src/demo/main.ts', 'spawn(process.execPath, [], { env: process.env });'],
    ['src/codesearch/git/git.ts', 'spawn("git", [], { env: { PATH: process.env.PATH } });'],
    [
      'src/core/lifecycle/advance.ts',
      "/** Not `process.env`, not `console.log`, no import('zod'). */\nconst text = 'https://a.example/console.log';",
    ],
    [
      'src/core/lifecycle/advance.ts',
      "const slash = /['`/]+/g; // import from 'zod'\nconst quote = \"it's\";\nconst one = 1; // console.log\n",
    ],
    ['test/unit/a.test.ts', "import { createApp } from '../../src/app.ts';\nvi.useFakeTimers();"],
  ])('in %s allows %j', (path, text) => {
    expect(breaches(path, text)).toEqual([]);
  });

  it('finds import cycles, also of types and over several files', () => {
    const sources: Sources = new Map([
      ['src/core/a.ts', "import type { B } from './b.ts';\none();"],
      ['src/core/b.ts', "import { c } from './c.ts';\none();"],
      ['src/core/c.ts', "import { a } from './a.ts';\none();"],
    ]);
    expect(findBreaches(sources)).toEqual(['cycle: src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts']);
  });
});
