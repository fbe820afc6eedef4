import type { AdminCommand } from './admin-command.ts';
import { backupCommand } from './backup.ts';
import { exportCommand } from './export-person.ts';
import { forgetCommand } from './forget-person.ts';
import { migrateCommand } from './migrate.ts';
import { exitCodeOf, UsageError } from './program.ts';
import { restoreCommand } from './restore.ts';
import { rotateKeys } from './rotate-keys.ts';
import { usageCommand } from './usage.ts';
import { workspaceCommand } from './workspace.ts';

/** Every command by its name, in the order of the list that `--help` prints. */
const commands: Record<string, AdminCommand> = {
  'rotate-keys': rotateKeys,
  export: exportCommand,
  forget: forgetCommand,
  usage: usageCommand,
  workspace: workspaceCommand,
  backup: backupCommand,
  restore: restoreCommand,
  migrate: migrateCommand,
};

const usage = `What an administrator of the app does on its storage. The app may run meanwhile, except for restore and migrate.

  npm run admin -- <command> [options]
  node dist/cli/admin.js <command> [options]

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join('\n')}

  <command> --help prints its options.

Reads the settings of the app: REDIS_URL or DATA_DIR, and what the command needs.
Exit codes: 0 done, 1 the storage or a file can't be used, 2 wrong arguments or settings.
`;

/** Returns the exit code, as the usage text describes. */
async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2);
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(usage);
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw new UsageError(`there is no command "${name}"; the commands are: ${Object.keys(commands).join(', ')}`);
  }
  if (args.some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  return await command.run(args, process.env);
}

process.exitCode = await exitCodeOf(main);
