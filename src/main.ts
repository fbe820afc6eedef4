import { createApp } from './app.ts';
import { ConfigError, parseConfig } from './config.ts';
import { createLogger } from './observability/logger.ts';

/** Exit codes: 0 after a clean stop, 1 when the app could not start or crashed, 2 for a wrong configuration. */
async function main(): Promise<void> {
  const config = readConfig();
  if (config === undefined) return;
  const logger = createLogger(config.LOG_LEVEL);
  process.on('uncaughtException', (error) => {
    logger.fatal({ event: 'process_broken', err: error });
    process.exit(1);
  });
  const app = createApp(config, logger);
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info({ event: 'app_stopping', signal });
    await app.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  // A terminal that is closed, and some process managers, send it in place of SIGTERM.
  process.on('SIGHUP', () => void stop('SIGHUP'));
  try {
    await app.start();
  } catch (error) {
    // A signal during the start closes what the start needs, so the start fails. `stop` ends the process.
    if (stopping) return;
    logger.fatal({ event: 'app_not_started', err: error });
    process.exit(1);
  }
}

function readConfig(): ReturnType<typeof parseConfig> | undefined {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

await main();
