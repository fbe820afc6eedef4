import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { examine } from '../../../src/app/doctor.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Finding } from '../../../src/core/doctor.ts';
import { team } from '../../../src/local-slack/people.ts';
import { doctorReport, doctorText } from '../../../src/render/doctor.ts';
import { type FakeSlack, startFakeSlack } from '../fake-slack/fake-slack.ts';
import { createTempDir } from '../processes/temp-dir.ts';
import { createRecordingLog } from '../recording-log.ts';
import { startRoutedService } from './healthy-service.ts';

/** With `UPDATE_GOLDEN=1` the files are written and not compared. Read the difference before you commit it. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';
const FOLDER = new URL('../../fixtures/doctor/', import.meta.url);

/** Secrets and texts of the set-ups. No report may contain one of them. */
const secrets = [team.botToken, team.appToken, 'sgp_patient', 'signing-secret', 'redis-password', 'proxy-password'];

/** A set-up that the doctor examines. Without changes it is healthy. */
export interface Patient {
  slack: FakeSlack;
  settings: Record<string, string>;
}

/** A healthy set-up with Socket Mode and the embedded storage; ended at the end of the test. */
export async function createPatient(endpoint?: string): Promise<Patient> {
  const slack = await startFakeSlack();
  onTestFinished(() => slack.stop());
  const data = await createTempDir();
  onTestFinished(() => data.remove());
  const address = endpoint ?? (await startRoutedService()).origin;
  return {
    slack,
    settings: {
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_APP_TOKEN: team.appToken,
      SLACK_API_URL: slack.url,
      SRC_ENDPOINT: address,
      SRC_ACCESS_TOKEN: 'sgp_patient',
      DATA_DIR: data.path,
    },
  };
}

/** What the doctor finds, as a program beside the app. */
export async function examinePatient(
  { slack, settings }: Patient,
  options: { now?: () => number; requestUrl?: string } = {},
): Promise<Finding[]> {
  const { log, lines } = createRecordingLog();
  const findings = await examine(parseConfig(settings), {
    now: Date.now,
    random: () => 0.5,
    log,
    ...options,
  });
  const said = `${doctorText(findings)}${JSON.stringify(doctorReport(findings))}${JSON.stringify(lines)}`;
  for (const secret of secrets) expect(said).not.toContain(secret);
  expect(slack.violations).toEqual([]);
  expect(slack.messages).toEqual([]);
  return findings;
}

/** Compares a report with its golden file. What differs from run to run has a fixed form there. */
export function expectGolden(name: string, report: string): void {
  const text = report.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT').replaceAll(/\d+ GiB free/g, 'N GiB free');
  const file = new URL(`${name}.txt`, FOLDER);
  if (UPDATE || !existsSync(file)) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
    expect(UPDATE, `${name}.txt was missing and is written now`).toBe(true);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}
