import { copyFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { nowhere } from '../support/nowhere.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { projectFolder, run, runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

const mainFile = await builtProgram('src/main.ts');
const dist = dirname(mainFile);

it('the built app refuses to start without its settings, and names them all', async () => {
  const app = runProgram(mainFile, [], { PORT: 'many' });
  expect(await app.ended).toBe(2);
  for (const setting of ['SLACK_BOT_TOKEN', 'SRC_ENDPOINT', 'SRC_ACCESS_TOKEN', 'SLACK_APP_TOKEN', 'PORT']) {
    expect(app.output()).toContain(setting);
  }
});

it.each(['SIGTERM', 'SIGHUP'] as const)('the built app drains at %s', async (signal) => {
  const data = await createTempDir();
  onTestFinished(() => data.remove());
  const app = runProgram(mainFile, [], {
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    SLACK_API_URL: `${nowhere}/api/`,
    SRC_ENDPOINT: nowhere,
    SRC_ACCESS_TOKEN: 'sgp_1',
    DATA_DIR: data.path,
    PORT: '0',
    METRICS_PORT: '0',
  });
  onTestFinished(() => app.stop());
  await eventually(() => expect(app.output()).toContain('slack_not_reachable'));
  app.child.kill(signal);
  expect(await app.ended).toBe(0);
  expect(app.output()).toContain('"event":"app_stopping"');
});

it('the built code search service has the style and the scripts of its pages', async () => {
  const service = runProgram(join(dist, 'codesearch/main.js'), ['--help']);
  expect(await service.ended).toBe(0);
  const assets = await readdir(join(dist, 'codesearch/pages/assets'));
  expect(assets).toEqual(expect.arrayContaining(['style.css', 'page.js']));
});

describe('npm start', () => {
  /** The settings that `npm start` reports as wrong, in a folder with the built app and this `.env` file. */
  async function complaints(file: string | undefined, environment: Record<string, string> = {}): Promise<string[]> {
    const folder = await createTempDir();
    onTestFinished(() => folder.remove());
    await copyFile(join(projectFolder, 'package.json'), join(folder.path, 'package.json'));
    await symlink(dist, join(folder.path, 'dist'));
    await symlink(join(projectFolder, 'node_modules'), join(folder.path, 'node_modules'));
    if (file !== undefined) await writeFile(join(folder.path, '.env'), file);
    const app = run('npm', ['start'], environment, folder.path);
    expect(await app.ended).toBe(2);
    expect(app.output()).toContain('the configuration has problems');
    return [...app.output().matchAll(/^ {2}- ([A-Z_]+|neither)/gm)].map(([, name = '']) => name);
  }

  const file = [
    '# The settings of a team, two of them wrong.',
    'SLACK_BOT_TOKEN=xoxb-1',
    'SLACK_APP_TOKEN="xapp-1"',
    'SRC_ENDPOINT=https://code.example  # of the service',
    'SRC_ACCESS_TOKEN=sgp_1',
    'PORT=many',
    'SHUTDOWN_SECONDS=few',
  ].join('\n');

  it('reads the file .env of its folder, also one that begins with a byte order mark', async () => {
    expect(await complaints(`\ufeffPORT=many\n${file.replace('PORT=many\n', '')}`)).toEqual([
      'PORT',
      'SHUTDOWN_SECONDS',
    ]);
  });

  it('prefers the environment to the file', async () => {
    expect(await complaints(file, { PORT: '0', SLACK_BOT_TOKEN: 'ö' })).toEqual([
      'SLACK_BOT_TOKEN',
      'SHUTDOWN_SECONDS',
    ]);
  });

  it('works without the file', async () => {
    const wrong = ['PORT', 'SLACK_BOT_TOKEN', 'SRC_ACCESS_TOKEN', 'SRC_ENDPOINT', 'neither'];
    expect((await complaints(undefined, { PORT: 'many' })).toSorted()).toEqual(wrong);
  });
});
