import { describe, expect, test } from 'vitest';
import { createPatient } from '../support/doctor/patient.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';

const program = await builtProgram('src/cli/doctor.ts');

async function run(settings: Record<string, string>, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const doctor = runProgram(program, args, settings);
  return { code: await doctor.ended, output: doctor.output() };
}

describe('npm run doctor', () => {
  test('ends with 0 when nothing fails, and prints one line for each finding', async () => {
    const { settings } = await createPatient();
    const { code, output } = await run(settings);
    expect(output).toMatch(/^pass {2}Configuration {6}The settings have no problem\.\n/);
    expect(output).toMatch(/\n0 fail, 1 warn, \d+ pass\n$/);
    expect(code).toBe(0);
  });

  test('ends with 1 when something fails, and writes JSON for programs', async () => {
    const { settings } = await createPatient();
    const { code, output } = await run({ ...settings, SLACK_BOT_TOKEN: 'xoxb-wrong' }, '--json');
    expect(code).toBe(1);
    const report: unknown = JSON.parse(output);
    expect(report).toMatchObject({
      status: 'fail',
      findings: expect.arrayContaining([
        { check: 'account', status: 'pass', finding: 'accountKnown', message: expect.any(String) },
        {
          check: 'token',
          status: 'fail',
          finding: 'refused',
          message: 'auth.test: invalid_auth.',
          mend: expect.stringContaining('SLACK_BOT_TOKEN'),
        },
      ]),
    });
  });

  test('ends with 2 for wrong settings, with every problem at once', async () => {
    const { settings } = await createPatient();
    const { SLACK_APP_TOKEN: _, ...rest } = settings;
    const { code, output } = await run({ ...rest, PORT: 'many' });
    expect(code).toBe(2);
    expect(output).toContain('PORT must be a whole number.');
    expect(output).toContain('neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set.');
    expect(output).toMatch(/\n2 fail, 0 warn, 0 pass\n$/);
  });

  test('ends with 2 for wrong arguments, and prints its help', async () => {
    const { settings } = await createPatient();
    const { code, output } = await run(settings, '--url', 'ftp://x', '--fix');
    expect(code).toBe(2);
    expect(output).toBe('there is no option --fix\n--url must be an http or https address\n');
    const help = await run({}, '--help');
    expect(help.code).toBe(0);
    expect(help.output).toContain('Exit codes: 0 nothing fails, 1 something fails, 2 wrong arguments or settings.');
  });
});
