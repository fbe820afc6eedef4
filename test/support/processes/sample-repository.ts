import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTempDir } from './temp-dir.ts';

const run = promisify(execFile);

const FILES: Record<string, string> = {
  'README.md':
    '# Till\n\nTakes payments and retries those that fail.\n\n## Retries\n\nA failed charge is tried again, see `src/payments/retry-policy.ts`.\n',
  'src/payments/retry-policy.ts': `/** How often a failed charge is tried again. */
export const MAX_PAYMENT_RETRIES = 5;

/** Milliseconds to wait before the given retry of a payment: doubles each time, at most a minute. */
export function paymentRetryDelay(attempt: number): number {
  return Math.min(60_000, 500 * 2 ** attempt);
}
`,
  'src/payments/charge.ts': `import { MAX_PAYMENT_RETRIES, paymentRetryDelay } from '../retry-policy';
import type { Gateway } from '../../gateway/client';

/** Charges a card and retries while the gateway says that the failure may pass. */
export async function chargeCard(gateway: Gateway, cents: number): Promise<string> {
  for (let attempt = 0; attempt < MAX_PAYMENT_RETRIES; attempt += 1) {
    const result = await gateway.charge(cents);
    if (result.ok) return result.id;
    await new Promise((resolve) => setTimeout(resolve, paymentRetryDelay(attempt)));
  }
  throw new Error('payment failed');
}
`,
  'src/gateway/client.ts': `/** The payment gateway's HTTP client. */
export interface Gateway {
  charge(cents: number): Promise<{ ok: boolean; id: string }>;
}

/** Signs a request for the gateway with the merchant's key. */
export function signGatewayRequest(body: string, merchantKey: string): string {
  return \`\${merchantKey}:\${body.length}\`;
}
`,
  'src/reports/daily-report.ts': `/** Sums the charges of one day into the report that is mailed at night. */
export function buildDailyReport(charges: { cents: number }[]): number {
  return charges.reduce((sum, { cents }) => sum + cents, 0);
}
`,
};

/** Creates a small git repository with one commit: payments, retries, a gateway and a report. */
export async function createSampleRepository(): Promise<{ path: string; remove(): Promise<void> }> {
  const { path: parent, remove } = await createTempDir();
  const path = join(parent, 'till');
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const identity = ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.com', '-c', 'commit.gpgsign=false'];
  await run('git', ['init', '-q', path]);
  await run('git', ['-C', path, 'add', '.']);
  await run('git', ['-C', path, ...identity, 'commit', '-q', '-m', 'Retry failed payments']);
  return { path, remove };
}
