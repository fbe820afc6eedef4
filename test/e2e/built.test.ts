import { expect, it } from 'vitest';
import { run, runProgram } from '../support/processes/processes.ts';

it('builds, and what is built refuses to start without its settings, naming them all', {
  timeout: 90_000,
}, async () => {
  const build = run('npm', ['run', 'build']);
  expect(`${await build.ended}: ${build.output()}`).toMatch(/^0:/);

  const app = runProgram('dist/main.js', [], { PORT: 'many' });
  expect(await app.ended).toBe(2);
  for (const setting of ['SLACK_BOT_TOKEN', 'SRC_ENDPOINT', 'SRC_ACCESS_TOKEN', 'SLACK_APP_TOKEN', 'PORT']) {
    expect(app.output()).toContain(setting);
  }
});
