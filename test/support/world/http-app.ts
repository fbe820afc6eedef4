import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { team } from '../../../src/local-slack/people.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createAuditLines } from '../audit-lines.ts';
import { serviceToken, startFakeService } from '../fake-service/fake-service.ts';
import { startFakeSlack } from '../fake-slack/fake-slack.ts';
import { createTempDir } from '../processes/temp-dir.ts';

export const signingSecret = 'a-signing-secret';

/** Starts the whole app with its HTTP receiver, a fake Slack, and a fake service that answers everything. */
export async function startHttpApp() {
  const slack = await startFakeSlack();
  const service = await startFakeService();
  service.answerEverything();
  const data = await createTempDir();
  const configWith = (settings: Record<string, string>) =>
    parseConfig({
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_API_URL: slack.url,
      SRC_ENDPOINT: service.url,
      SRC_ACCESS_TOKEN: serviceToken,
      PORT: '0',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ...settings,
    });
  const audit = createAuditLines();
  const app = createApp(configWith({ DATA_DIR: data.path }), createLogger('fatal', { write: audit.onLogLine }), {
    settings: { readEveryMs: 50 },
  });
  const { port, metricsPort } = await app.start();
  return {
    slack,
    service,
    audit,
    port,
    metricsPort,
    /** The settings of another app with the same Slack and service. */
    configWith,
    stop: async () => {
      await app.stop();
      await service.stop();
      await slack.stop();
      await data.remove();
    },
  };
}
