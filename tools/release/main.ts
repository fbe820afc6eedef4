import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { changedPaths, planRelease, release } from './release.ts';

const usage = `Usage: npm run release -- [<version>] [--dry-run]

Checks that everything is ready for a release, then writes the version and the date, commits and tags. It pushes nothing.
Without a version it takes the next one, by the kinds of changes in CHANGELOG.md.

  --dry-run  only check, and say what would be done
`;

/** Exit codes: 0 done, or ready; 1 something speaks against it; 2 wrong arguments. */
function main(): number {
  const { values, positionals, wrong } = readArguments();
  if (values.help || wrong !== undefined || positionals.length > 1) {
    process.stderr.write(wrong === undefined ? usage : `${wrong}\n\n${usage}`);
    return values.help ? 0 : 2;
  }
  const root = pathToFileURL(`${process.cwd()}/`);
  const plan = planRelease(root, positionals[0]);
  if (plan.problems.length > 0) {
    process.stderr.write(
      `${plan.version} can't be released:\n${plan.problems.map((each) => `  - ${each}\n`).join('')}`,
    );
    return 1;
  }
  const isTrial = values['dry-run'];
  if (!isTrial) release(root, plan, new Date().toISOString().slice(0, 10));
  process.stdout.write(`${isTrial ? 'This would release' : 'Released'} ${plan.version} after ${plan.current}:
  - the version in ${changedPaths.join(', ')}
  - the commit "Release ${plan.version}" and the tag ${plan.tag}
Nothing is pushed.${isTrial ? '' : ` To publish it: git push origin HEAD ${plan.tag}`}\n`);
  return 0;
}

function readArguments(): { values: { help: boolean; 'dry-run': boolean }; positionals: string[]; wrong?: string } {
  const none = { values: { help: false, 'dry-run': false }, positionals: [] };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return { values, positionals };
  } catch (error) {
    return { ...none, wrong: error instanceof Error ? error.message : String(error) };
  }
}

process.exitCode = main();
