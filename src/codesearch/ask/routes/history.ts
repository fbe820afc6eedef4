import { type Commit, lastChange } from '../../index/commits.ts';
import { atOrBefore, commitLink, reasonOf } from '../commit-lines.ts';
import { CLEAR, CLOSE, closestCommits } from '../commit-messages.ts';
import { type Asked, type Draft, pointTo, pointToCommit } from '../draft.ts';
import { code, endSentence, fileLink, prose, shorten } from '../markdown.ts';

const MOST_COMMITS = 3;
/** Of a name or a text. Where there are more, the first one is not known. */
const PICKAXE_COMMITS = 100;
/** Of a path, where the first one is asked for. */
const PATH_COMMITS = 4_000;
const ASKS_FIRST =
  /\b(?:introduced?|add(?:ed)?|created?|first|original(?:ly)?|begin|began|start(?:ed)?|since|appear\w*|come|get)\b/i;
const ASKS_LAST = /\b(?:last|latest|recent\w*|newest|lately)\b/i;
const ASKS_REMOVAL = /\b(?:removed?|deleted?|dropp?(?:ed)?|gone|taken out|got rid of|stop(?:ped)?)\b/i;

interface Told {
  repository: string;
  commits: Commit[];
  sentence: string;
}

/** "When", "since when", "why was": the closest commits. Undefined where none is close. */
export async function history(asked: Asked): Promise<Draft | undefined> {
  const { question, targets, investigation } = asked;
  await investigation.step('Looking through the commits');
  const told =
    recent(asked) ??
    (await ofPlace(asked)) ??
    ofMessages(asked, CLEAR) ??
    (await ofText(asked)) ??
    ofMessages(asked, CLOSE) ??
    (await ofLines(asked));
  if (told === undefined) return undefined;
  const { repository, commits, sentence } = told;
  const unique = [...new Map(commits.map((commit) => [commit.id, commit])).values()];
  const name = targets.names[0]?.name ?? targets.files[0]?.path;
  const [best] = asked.passages;
  const isAboutSomething = question.subjects.some(({ weight }) => weight >= 0.5);
  return {
    title:
      name === undefined
        ? `Closest commits: ${shorten(unique[0]?.subject ?? question.text, 50)}`
        : `History of ${name}`,
    sentence,
    pointers: [
      ...unique.slice(0, MOST_COMMITS).map((commit) => pointToCommit(repository, commit)),
      // What the commits are about stands there today.
      ...(name === undefined && isAboutSomething && best !== undefined
        ? [pointTo(best.file, '', best.start, best.end)]
        : []),
    ],
    followUps: name === undefined ? [] : [`How does \`${name}\` work?`, `Who worked on \`${name}\`?`],
    symbols: targets.names.map((target) => target.name),
    files: [...targets.files, ...(targets.names[0]?.definitions.slice(0, 1).map(({ file }) => file) ?? [])],
  };
}

/** What the question names: for "last" the commits that changed its lines or its file, else those that brought or removed the name. */
async function ofPlace({ targets, question, investigation }: Asked): Promise<Told | undefined> {
  const [target] = targets.names;
  const [definition] = target?.definitions ?? [];
  const [file] = targets.files;
  const [directory] = targets.directories;
  if (file === undefined && target !== undefined && definition !== undefined) {
    const { repository, path, commit: revision } = definition.file;
    const place = `${code(target.name)} (${fileLink(definition.file, definition.symbol.line)})`;
    if (ASKS_LAST.test(question.text) && revision !== undefined) {
      const lines = { start: definition.symbol.line, end: definition.symbol.end };
      const touched = await investigation.commitsOf(repository, MOST_COMMITS, { revision, path, lines });
      const [newest] = touched;
      if (newest !== undefined)
        return { repository, commits: touched, sentence: `${place} was last changed ${told(repository, newest)}` };
    }
    return byPickaxe(investigation, repository, target.name, question.text, place);
  }
  const place = file ?? directory;
  if (place === undefined) return undefined;
  const wantsFirst = ASKS_FIRST.test(question.text) && !ASKS_LAST.test(question.text);
  const most = wantsFirst ? PATH_COMMITS : PICKAXE_COMMITS;
  const commits = await investigation.commitsOf(place.repository, most + 1, { path: place.path });
  const oldest = commits.length > most ? undefined : commits.at(-1);
  const isFirst = wantsFirst && oldest !== undefined;
  const chosen = isFirst ? oldest : commits[0];
  if (chosen === undefined) return undefined;
  const label = file === undefined ? code(place.path) : fileLink(file);
  return {
    repository: place.repository,
    commits: isFirst ? [chosen, ...commits.slice(0, 2)] : commits,
    sentence: `${label} ${isFirst ? 'came in' : 'was last changed'} ${told(place.repository, chosen)}`,
  };
}

/** A quoted text or a setting of the question: the commits that brought or removed it. */
async function ofText({ literals, question, investigation }: Asked): Promise<Told | undefined> {
  for (const { text, words } of literals.slice(0, 2)) {
    if (words.length < 2 && !/^-|[_A-Z]/.test(text)) continue;
    for (const { name } of investigation.corpus.repositories) {
      const found = await byPickaxe(investigation, name, text, question.text, code(shorten(text, 60)));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function byPickaxe(
  investigation: Asked['investigation'],
  repository: string,
  text: string,
  asked: string,
  label: string,
): Promise<Told | undefined> {
  const all = await investigation.commitsOf(repository, PICKAXE_COMMITS + 1, { withoutMerges: true, changing: text });
  const [newest] = all;
  const oldest = all.length > PICKAXE_COMMITS ? undefined : (all.find(({ isBoundary }) => isBoundary) ?? all.at(-1));
  if (newest === undefined) return undefined;
  const isLast = oldest === undefined || ASKS_REMOVAL.test(asked) || (ASKS_LAST.test(asked) && !ASKS_FIRST.test(asked));
  const commits =
    isLast || oldest === undefined ? all.slice(0, MOST_COMMITS) : [oldest, ...all.slice(-MOST_COMMITS, -1).reverse()];
  const sentence = isLast
    ? `${label} was last added or removed ${told(repository, newest)}`
    : `${label} first came in ${told(repository, oldest)}`;
  return { repository, commits, sentence };
}

/** Commits whose messages have most of the question. */
function ofMessages(asked: Asked, least: number): Told | undefined {
  const { text } = asked.question;
  const hits = closestCommits(asked, least);
  const [best] = hits;
  if (best === undefined) return undefined;
  const close = hits
    .filter(({ worth, repository }) => worth >= best.worth * 0.8 && repository === best.repository)
    .slice(0, 2 * MOST_COMMITS);
  const direction = ASKS_FIRST.test(text) ? 1 : ASKS_LAST.test(text) ? -1 : 0;
  const commits = close.map(({ commit }) => commit);
  const same = close.filter(({ worth }) => worth >= best.worth * 0.95).map(({ commit }) => commit);
  if (direction !== 0) same.sort((a, b) => direction * (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const lead = same[0] ?? best.commit;
  const isClear = best.isExact || (best.covered >= CLEAR && best.inSubject >= CLEAR / 2);
  const which = 'The closest commit came';
  return {
    repository: best.repository,
    commits: [lead, ...commits],
    sentence: `${isClear ? '' : `I'm not sure. `}${which} ${told(best.repository, lead)}`,
  };
}

/** The commit that wrote the line that matches best (blame). */
async function ofLines({ passages, investigation }: Asked): Promise<Told | undefined> {
  const [passage] = passages;
  if (passage === undefined || passage.signs.words < CLOSE) return undefined;
  const { file } = passage;
  const repository = investigation.corpus.repository(file.repository);
  const key = passage.keyLines[0] ?? passage.start;
  const commit = repository === undefined ? undefined : await lastChange(repository, file, key, key);
  if (commit === undefined) return undefined;
  return {
    repository: file.repository,
    commits: [commit],
    sentence: `I'm not sure. The closest line, ${fileLink(file, key)}, came in ${told(file.repository, commit)}`,
  };
}

/** For a question about nothing in particular: "What changed recently?". */
function recent({ question, investigation }: Asked): Told | undefined {
  if (question.subjects.some(({ weight }) => weight >= 0.5) || question.identifiers.length + question.paths.length > 0)
    return undefined;
  const { corpus } = investigation;
  const all = corpus.repositories.flatMap(({ name }) => {
    const commits = corpus.commits(name)?.newest(MOST_COMMITS) ?? [];
    return commits[0] === undefined ? [] : [{ repository: name, commits, newest: commits[0] }];
  });
  const [latest] = all.sort((a, b) => (a.newest.date < b.newest.date ? 1 : -1));
  if (latest === undefined) return undefined;
  const { repository, commits, newest } = latest;
  return {
    repository,
    commits,
    sentence: `The last change in ${prose(repository)} was made ${told(repository, newest)}`,
  };
}

/** "on 2024-05-01 with 1234abcd by Ada: Subject. Reason." */
function told(repository: string, commit: Commit): string {
  if (commit.isBoundary) return `${atOrBefore(commit)}.`;
  const reason = reasonOf(commit);
  const because = reason === '' ? '' : ` ${endSentence(prose(reason))}`;
  return `on ${commit.date} with ${commitLink(repository, commit)} by ${prose(commit.author)}: ${endSentence(prose(commit.subject))}${because}`;
}
