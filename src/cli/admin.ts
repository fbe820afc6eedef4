import { type AdminCommand, exitCodeOf, UsageError } from './program.ts';

interface Listed {
  /** One line for the list of all commands. */
  about: string;
  load: () => Promise<AdminCommand>;
}

/** Every command by its name, in the order of the list that `--help` prints. Only the one that runs is loaded. */
const commands: Record<string, Listed> = {
  'rotate-keys': {
    about: "encrypts people's accounts and workspaces' tokens with the first key of ENCRYPTION_KEYS",
    load: async () => (await import('./rotate-keys.ts')).rotateKeys,
  },
  export: {
    about: 'writes everything that is stored about a person as JSON',
    load: async () => (await import('./export-person.ts')).exportCommand,
  },
  forget: {
    about: 'erases everything that is stored about a person',
    load: async () => (await import('./forget-person.ts')).forgetCommand,
  },
  usage: {
    about: 'shows questions, answers, times, credits and votes by channel, person, repository and week',
    load: async () => (await import('./usage.ts')).usageCommand,
  },
  backup: {
    about: 'copies the embedded storage to a folder',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    about: 'puts a backup into the embedded storage, while the app is stopped',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  migrate: {
    about: 'moves all records from the embedded storage to Redis or back, while the app is stopped',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
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
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed === undefined) {
    throw new UsageError(`there is no command "${name}"; the commands are: ${Object.keys(commands).join(', ')}`);
  }
  const command = await listed.load();
  if (args.some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  return await command.run(args, process.env);
}

process.exitCode = await exitCodeOf(main);
