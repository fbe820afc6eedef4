import { realpathSync } from 'node:fs';
import { git } from './git.ts';

/** What to ask about this project itself. */
const ABOUT_THIS_PROJECT = [
  'How is a Slack event acknowledged?',
  'Where is `nextPollMs` used?',
  'Where is the data directory locked?',
];

/** What can be asked of any repository; they fill up what was not found in this one. */
const ABOUT_ANY = ['What changed recently?', 'What is this project about?', 'How is this project structured?'];

/** Definitions whose use is counted: each costs one search of the repository. */
const mostCounted = 16;
const asked = 3;

/** Three questions that fit the repository in `folder`; `projectFolder` is where this project is. */
export async function suggestQuestions(folder: string, projectFolder: string): Promise<string[]> {
  if (realpathSync(folder) === realpathSync(projectFolder)) return ABOUT_THIS_PROJECT;
  const [first, second] = await mostUsedNames(folder);
  const derived = [
    ...(first === undefined ? [] : [`How does \`${first}\` work?`]),
    ...(second === undefined ? [] : [`Where is \`${second}\` used?`]),
  ];
  return [...derived, ...ABOUT_ANY].slice(0, asked);
}

/** Lines that define something, in the languages that say so with a word; git reads this as a POSIX expression. */
const definitionLine =
  '^[[:space:]]*((export|default|public|private|abstract|static|async|pub|final) )*(class|interface|struct|trait|enum|func|function|def|fn|module)[[:space:]]+[A-Za-z_]';

const definedName = /\b(?:class|interface|struct|trait|enum|func|function|def|fn|module)\s+([A-Za-z_]\w*)/;

/** Tests, examples and other people's code say little about what a project is for. */
const notAsked = ['test', 'spec', 'example', 'vendor', 'third_party', 'node_modules', 'generated', 'docs'].map(
  (part) => `:(exclude,icase)*${part}*`,
);

/** Names defined once, named in the most files first. */
async function mostUsedNames(folder: string): Promise<string[]> {
  const lines = await git(folder, 'grep', '-h', '-I', '-E', definitionLine, 'HEAD', '--', '.', ...notAsked);
  const counts = new Map<string, number>();
  for (const line of lines?.split('\n') ?? []) {
    const name = definedName.exec(line)?.[1];
    // Short names are too common, and those with a leading underscore are not meant to be asked about.
    if (name !== undefined && name.length > 5 && !name.startsWith('_')) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const once = [...counts].filter(([, count]) => count === 1).map(([name]) => name);
  const stride = Math.max(1, Math.floor(once.length / mostCounted));
  const candidates = once.filter((_, index) => index % stride === 0).slice(0, mostCounted);
  const used = await Promise.all(
    candidates.map(async (name) => {
      const files = await git(folder, 'grep', '-l', '-I', '-w', '-F', '-e', name, 'HEAD');
      return { name, files: files?.split('\n').length ?? 0 };
    }),
  );
  return used.sort((a, b) => b.files - a.files).map(({ name }) => name);
}
