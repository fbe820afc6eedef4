import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoProblem } from './problem.ts';

/** The package that contains the program, an optional dependency: npm installs it on Linux x64 only. */
const packageName = 'local-slack-linux-x64';

/** Path of the local-slack program: the given one, or else the one in the package. Throws a `DemoProblem` if there is none. */
export function findLocalSlack(given: string | undefined): string {
  if (given !== undefined) {
    if (!isExecutable(given)) throw new DemoProblem(`${given} is not a program that can be run as the local Slack`);
    return given;
  }
  const packaged = findPackaged();
  if (packaged !== undefined) return packaged;
  const place = `${process.platform} ${process.arch}`;
  throw new DemoProblem(
    [
      `The demo needs a local Slack, and the package that brings one (${packageName}) is not installed here (${place}).`,
      '  - On Linux x64: run `npm ci` without leaving out optional dependencies.',
      '  - Elsewhere: get the local-slack program for your system from https://github.com/parvalabs/local-slack,',
      '    and name it by `npm run demo -- --local-slack <path>` or LOCAL_SLACK_BIN=<path>;',
      '    or run the demo in a Linux x64 container.',
    ].join('\n'),
  );
}

function findPackaged(): string | undefined {
  try {
    const manifest = fileURLToPath(import.meta.resolve(`${packageName}/package.json`));
    const program = join(dirname(manifest), 'bin', 'local-slack');
    return isExecutable(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
