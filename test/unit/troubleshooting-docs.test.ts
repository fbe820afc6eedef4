import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkNames, statusOf } from '../../src/core/doctor.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/troubleshooting.md');
const [symptoms = '', list = ''] = page.split('\n## From a line of the doctor to its cause\n');

/** The last table: what each line of the doctor can find. `any line` stands for what every check can find. */
const listed = [...list.matchAll(/^\| (?!Line)([A-Za-z ]+) \| (.*) \| (.*) \|$/gm)].map(
  ([, line = '', fails = '', warns = '']) => ({ line, fail: codeSpans(fails), warn: codeSpans(warns) }),
);

/** `Bot token: tokenRefused` and the like, in the rows of symptoms. */
const told = [...symptoms.matchAll(/`([A-Z][A-Za-z ]+): ([a-z][A-Za-z]+)`/g)].map(([, line = '', finding = '']) => ({
  line,
  finding,
}));

function codeSpans(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, text = '']) => text);
}

function filesUnder(folder: string): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`);
}

function findingsWith(status: 'fail' | 'warn'): string[] {
  return Object.entries(statusOf).flatMap(([code, each]) => (each === status ? [code] : []));
}

describe('the lines of the doctor in docs/troubleshooting.md', () => {
  it('are all of them, by their names and in their order', () => {
    expect(listed.map(({ line }) => line)).toEqual([...Object.values(checkNames), 'any line']);
  });

  it.each(['fail', 'warn'] as const)('list each finding that can %s once', (status) => {
    expect(listed.flatMap((row) => row[status]).toSorted()).toEqual(findingsWith(status).toSorted());
  });

  it('belong to the findings that the symptoms name', () => {
    const unknown = told.filter(({ line, finding }) => {
      const rows = listed.filter((row) => row.line === line || row.line === 'any line');
      return !rows.some((row) => [...row.fail, ...row.warn].includes(finding));
    });
    expect(unknown).toEqual([]);
  });

  it('each have a symptom, and so does each finding that fails', () => {
    const lines = new Set(told.map(({ line }) => line));
    expect(Object.values(checkNames).filter((line) => !lines.has(line))).toEqual([]);
    const named = new Set(told.map(({ finding }) => finding));
    const fails = listed.filter(({ line }) => line !== 'any line').flatMap(({ fail }) => fail);
    expect(fails.filter((finding) => !named.has(finding))).toEqual([]);
  });
});

/** A source of texts as people read them: without the backslashes before quotation marks. */
const plain = (source: string): string => source.replace(/\\(['"`])/g, '$1');

/** The parts of each quotation between the names and numbers that it leaves out, by the section it stands in. */
function quotationsIn(text: string): string[][] {
  return [...text.matchAll(/“([^”]+)”/g)].map(([, quoted = '']) =>
    quoted
      .split('…')
      .map((part) => part.replace(/^[\s,.]+|[\s,.]+$/g, ''))
      .filter((part) => part !== ''),
  );
}

describe('the quotations in docs/troubleshooting.md', () => {
  const german = /\nconst de\w* = .*?(?=\nexport )/gs;
  const strings = filesUnder('src/render/strings').map((path) => plain(read(path)).replaceAll(german, ''));
  const programs = ['src/app', 'src/observability', 'src/storage', 'src/slack']
    .flatMap(filesUnder)
    .concat('src/config.ts')
    .map((path) => plain(read(path)));
  const [, atStart = '', inSlack = ''] = /(## The app does not start.*?)(\n## .*)/s.exec(symptoms) ?? [];

  it.each([
    ['in Slack and on pages', inSlack, strings],
    ['of the log', atStart, programs],
  ])('%s are words of the app', (_, text, sources) => {
    // What Slack itself says follows `Slack:` on the page.
    const quotations = quotationsIn(text.replace(/Slack: “[^”]+”/g, ''));
    expect(quotations.length).toBeGreaterThan(8);
    const unknown = quotations.filter(
      (parts) => !sources.some((source) => parts.every((part) => source.includes(part))),
    );
    expect(unknown).toEqual([]);
  });

  it('name events that are in the log', () => {
    const sources = filesUnder('src').map(read).join('\n');
    const events = [
      ...symptoms.matchAll(/(?:the log has|in the log \(|look at `\/readyz` and at the log \() ?`(\w+)`/g),
    ];
    expect(events.length).toBeGreaterThan(1);
    expect(events.map(([, event]) => event).filter((event) => !sources.includes(`'${event}'`))).toEqual([]);
  });

  it('name alerts that exist', () => {
    const rules = read('docs/observability/prometheus-alerts.yaml');
    const alerts = [...page.matchAll(/`(DeepSearch[A-Za-z]+)`/g)].map(([, alert = '']) => alert);
    expect(alerts.length).toBeGreaterThan(3);
    expect(alerts.filter((alert) => !rules.includes(`alert: ${alert}`))).toEqual([]);
  });
});
