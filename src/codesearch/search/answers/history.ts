import { directoryPath } from '../addresses.ts';
import { blockEnd, firstSentence } from '../blocks.ts';
import { blameAuthors, type Commit, countAuthors } from '../commits.ts';
import { coverage } from '../weighing.ts';
import { commitLine, commitLink, reasonOf } from './commit-lines.ts';
import { commitSource, type Draft, type Findings, fileSource } from './draft.ts';
import { endSentence } from './explain.ts';
import { bullets, code, count, fileLink, joinWords, link, prose } from './markdown.ts';
import { questionTitle } from './titles.ts';

interface HistorySection {
  repository: string;
  commits: Commit[];
  opening: string;
}

/** Answers "when/why was X changed" and "who wrote X" from commits; undefined when no commit matches. */
export async function explainHistory(findings: Findings): Promise<Draft | undefined> {
  const { question, targets, investigation, passages } = findings;
  await investigation.step('Looking through commit messages and the history of what was found');
  const definition = targets.names[0]?.definitions[0];
  const file = targets.files[0] ?? definition?.file;
  const directory = targets.directories[0];
  const found: HistorySection[] = [];
  if (definition !== undefined && targets.files.length === 0) found.push(...(await ofName(findings)));
  else if (file !== undefined) found.push(...(await ofPath(findings, file.repository, file.path, fileLink(file))));
  else if (directory !== undefined) {
    const label = link(`${directory.path}/`, directoryPath(directory.repository, directory.path));
    found.push(...(await ofPath(findings, directory.repository, directory.path, label)));
  } else found.push(...(await ofIdentifier(findings)));
  found.push(...matching(findings));
  const best = passages[0];
  if (found.length === 0 && best !== undefined && best.covered >= 0.5) {
    found.push(...(await ofPath(findings, best.file.repository, best.file.path, fileLink(best.file))));
  }
  const strong = question.subjects.filter(({ weight }) => weight >= 0.5);
  if (found.length === 0 && strong.length === 0) found.push(...recent(findings));
  if (found.length === 0) return undefined;
  const shown = new Set<string>();
  const sections: string[] = [];
  for (const { opening, commits, repository } of found) {
    const fresh = commits.filter(({ id }) => !shown.has(id)).slice(0, 8);
    if (fresh.length === 0 && commits.length > 0) continue;
    for (const { id } of fresh) shown.add(id);
    sections.push(
      opening,
      ...(fresh.length > 0 ? [bullets(fresh.map((commit) => commitLine(repository, commit)))] : []),
    );
  }
  const touched = file ?? passages[0]?.file;
  const first = found[0]?.commits[0];
  const name = targets.names[0]?.name;
  return {
    title: questionTitle(question, name ?? file?.path),
    sections,
    sources: [
      ...(file === undefined ? [] : [fileSource(file, definition?.symbol.line)]),
      ...found.flatMap(({ repository, commits }) =>
        commits.slice(0, 6).map(({ id, subject }) => commitSource(repository, id, subject)),
      ),
    ],
    followUps: [
      ...(name === undefined ? [] : [`How does \`${name}\` work?`]),
      ...(touched === undefined ? [] : [`What is in \`${touched.path}\`?`]),
      ...(question.intent === 'authors' || touched === undefined ? [] : [`Who wrote \`${touched.path}\`?`]),
      ...(first === undefined || touched !== undefined
        ? []
        : [`Which files have to do with ${firstSentence(first.subject, 50)}?`]),
      'What changed recently?',
    ],
    symbols: targets.names.map((target) => target.name),
    files: touched === undefined ? [] : [touched],
  };
}

/** The history of a definition: the authors of its lines, and the commits that added or removed its name. */
async function ofName({ targets, investigation, question }: Findings): Promise<HistorySection[]> {
  const target = targets.names[0];
  const definition = target?.definitions[0];
  if (target === undefined || definition === undefined) return [];
  const { file, symbol } = definition;
  const lines = await investigation.lines(file);
  const end = blockEnd(lines, symbol);
  const place = fileLink(file, symbol.line, end);
  const introduced = await investigation.commitsOf(file.repository, 20, { changing: target.name, path: file.path });
  const touched = await investigation.commitsOf(file.repository, 8, {
    path: file.path,
    lines: { start: symbol.line, end },
  });
  const commits = touched.length > 0 ? touched : introduced;
  const newest = commits[0];
  const oldest = introduced.at(-1);
  if (newest === undefined) return [];
  const repository = investigation.corpus.repository(file.repository);
  const authors = repository === undefined ? [] : await blameAuthors(repository, file.path, symbol.line, end);
  const by =
    authors.length === 0
      ? ''
      : ` Its lines today are by ${joinWords(authors.slice(0, 3).map(({ author, lines: amount }) => `${prose(author)} (${amount})`))}.`;
  const since =
    oldest === undefined
      ? ''
      : ` The name first came into that file on ${oldest.date} with ${commitLink(file.repository, oldest)}.`;
  const opening =
    question.intent === 'authors'
      ? `${code(target.name)} (${place}) was last changed by ${prose(newest.author)} on ${newest.date}.${by}${since}`
      : `${code(target.name)} (${place}) was last changed on ${newest.date} by ${prose(newest.author)}, in ${commitLink(file.repository, newest)}: ${prose(newest.subject)}.${since}${by}`;
  return [{ repository: file.repository, commits: [...commits.slice(0, 6), ...introduced.slice(-1)], opening }];
}

/** The history of a name without a definition (a property, a setting): the commits that first added it and last changed its count. */
async function ofIdentifier({ question, investigation }: Findings): Promise<HistorySection[]> {
  const name = question.identifiers[0];
  if (name === undefined || name.length < 3) return [];
  const found: HistorySection[] = [];
  for (const { name: repository } of investigation.corpus.repositories) {
    const commits = await investigation.commitsOf(repository, 100, { withoutMerges: true, changing: name });
    const oldest = commits.at(-1);
    const newest = commits[0];
    if (oldest === undefined || newest === undefined) continue;
    const last =
      newest === oldest
        ? ''
        : ` The last commit that added or removed it is ${commitLink(repository, newest)} of ${newest.date}.`;
    const reason = reasonOf(oldest);
    found.push({
      repository,
      commits: [oldest, ...commits.slice(0, 5)].filter((commit, index, all) => all.indexOf(commit) === index),
      opening: `${code(name)} first came in on ${oldest.date} with ${commitLink(repository, oldest)} by ${prose(oldest.author)}: ${endSentence(prose(oldest.subject))}${reason === '' ? '' : ` ${endSentence(prose(reason))}`}${last}`,
    });
  }
  return found;
}

async function ofPath(
  { investigation, question }: Findings,
  repository: string,
  path: string,
  label: string,
): Promise<HistorySection[]> {
  const commits = await investigation.commitsOf(repository, 200, { path });
  const newest = commits[0];
  if (newest === undefined) return [];
  const authors = countAuthors(commits.map(({ author }) => author));
  const by = joinWords(authors.slice(0, 4).map(({ author, lines }) => `${prose(author)} (${lines})`));
  const amount = commits.length === 200 ? 'more than 200 commits' : count(commits.length, 'commit');
  const opening =
    question.intent === 'authors'
      ? `${label} has ${amount}, by ${by}${authors.length > 4 ? ` and ${authors.length - 4} more` : ''}. The last one, on ${newest.date}, is by ${prose(newest.author)}.`
      : `${label} was last changed on ${newest.date} by ${prose(newest.author)}: ${prose(newest.subject)}. It has ${amount}, by ${by}.`;
  return [{ repository, commits: commits.slice(0, 8), opening }];
}

/** Commits whose messages match most of the question. */
function matching({ weighed, investigation, targets, question }: Findings): HistorySection[] {
  const wantsFirst = /\b(?:introduced?|added?|created?|first|original(?:ly)?|begin|began|start(?:ed)?)\b/i.test(
    question.text,
  );
  const subjects = weighed.subjects.filter(({ weight }) => weight >= 0.3);
  if (subjects.length === 0) return [];
  const terms = new Map(subjects.map(({ stem, gain }) => [stem, gain]));
  const total = subjects.reduce((sum, { gain }) => sum + gain, 0);
  const hits = investigation
    .findCommits(terms)
    .map((hit) => ({ ...hit, covered: coverage(subjects, new Set(hit.terms)) / total }))
    .filter(({ covered }) => covered >= 0.5);
  const best = Math.max(0, ...hits.map(({ covered }) => covered));
  const close = hits.filter(({ covered }) => covered >= best * 0.8).slice(0, 6);
  const first = close[0];
  if (first === undefined) return [];
  const words = joinWords(subjects.slice(0, 4).map(({ word }) => code(word)));
  const byRepository = new Map<string, Commit[]>();
  for (const { repository, commit } of close)
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), commit]);
  return [...byRepository].map(([repository, commits]) => {
    const direction = wantsFirst ? -1 : 1;
    const ordered = commits.toSorted((a, b) => direction * (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
    const lead = ordered[0] ?? first.commit;
    const alone = targets.names.length === 0 && targets.files.length === 0 && targets.directories.length === 0;
    return {
      repository,
      commits: ordered,
      opening: alone
        ? `The ${wantsFirst ? 'first' : 'newest'} commit about ${words} is ${commitLink(repository, lead)} of ${lead.date} by ${prose(lead.author)}: ${prose(lead.subject)}.`
        : `**Commits whose message mentions ${words}**`,
    };
  });
}

function recent({ investigation }: Findings): HistorySection[] {
  return investigation.corpus.repositories.flatMap(({ name }) => {
    const commits = investigation.corpus.commits(name)?.newest(10) ?? [];
    const newest = commits[0];
    if (newest === undefined) return [];
    const authors = countAuthors(commits.map(({ author }) => author));
    const opening = `The last change in ${prose(name)} was made on ${newest.date} by ${prose(newest.author)}: ${prose(newest.subject)}. The last ${count(commits.length, 'commit')} are by ${joinWords(authors.slice(0, 4).map(({ author, lines }) => `${prose(author)} (${lines})`))}.`;
    return [{ repository: name, commits, opening }];
  });
}
