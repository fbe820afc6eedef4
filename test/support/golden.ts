import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { renderBlocks } from '../../src/local-slack/page/blocks.ts';

/** With `UPDATE_GOLDEN=1` the files are written and not compared. Read the difference before you commit it. */
const isUpdate = process.env.UPDATE_GOLDEN === '1';
const folder = new URL('../fixtures/', import.meta.url);
const reader = {
  person: 'U0ADA',
  channel: 'C0GENERAL',
  nameOf: (id: string) => id,
  choicesOf: () => [],
  locale: 'en-US',
  timeZone: 'Europe/Berlin',
  nowMs: Date.UTC(2026, 10, 27, 12),
  origin: 'http://127.0.0.1:4000',
};

/**
 * Compares a text, or what is sent to Slack, with the golden file of this name below `test/fixtures`. The local Slack has
 * to show every block of it.
 */
export function expectGolden(name: string, value: unknown): void {
  for (const block of blocksIn(value)) {
    expect(renderBlocks([block], reader).text, JSON.stringify(block)).not.toContain('class="unknown"');
  }
  const file = new URL(name, folder);
  const sent: unknown = JSON.parse(JSON.stringify(value));
  const written = typeof sent === 'string' ? sent : `${printed(sent).trimStart()}\n`;
  if (isUpdate) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, written);
  }
  expect(existsSync(file)).toBe(true);
  expect(written).toBe(readFileSync(file, 'utf8'));
}

/** Everything that stands in a list of blocks. */
function blocksIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'blocks' && Array.isArray(each) ? each : blocksIn(each),
  );
}

const widest = 150;

/**
 * What is sent to Slack as a text that people can read, with every field of it: an object with its short fields in one
 * line, and its long ones below. `"…"` is a plain text without emoji, `mrkdwn "…"` a verbatim one.
 */
function printed(value: unknown, indent = ''): string {
  const short = inOneLine(value);
  if (short !== undefined && (short.length <= widest || !isContainer(value))) return short;
  const inner = `${indent}  `;
  if (typeof value === 'string' || isMrkdwn(value)) {
    const [sign, text] = typeof value === 'string' ? ['|', value] : ['mrkdwn |', value.text];
    return [sign, ...text.split('\n').map((line) => (line === '' ? '' : inner + line))].join('\n');
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : value.map((each) => `\n${indent}-${after(printed(each, inner))}`).join('');
  }
  const fields = Object.entries(value ?? {});
  const isShort = ([, each]: [string, unknown]): boolean => (inOneLine(each)?.length ?? widest) < widest;
  const head = fields.filter(isShort).map(([key, each]) => pair(key, each));
  const below = fields
    .filter((field) => !isShort(field))
    .map(([key, each]) => `\n${indent}${key}:${after(printed(each, inner))}`);
  return head.join('  ') + below.join('');
}

function after(text: string): string {
  return text.startsWith('\n') ? text : ` ${text}`;
}

function pair(key: string, value: unknown): string {
  return key === 'type' && typeof value === 'string' ? value : `${key}: ${inOneLine(value)}`;
}

/** Undefined for a text of several lines, and for what holds one. */
function inOneLine(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\n') ? undefined : JSON.stringify(value).replaceAll('\\"', '"');
  if (isMrkdwn(value)) return value.text.includes('\n') ? undefined : `mrkdwn ${inOneLine(value.text)}`;
  if (isPlain(value)) return inOneLine(value.text);
  if (!isContainer(value)) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map(inOneLine)
    : Object.entries(value).map(([key, each]) => (inOneLine(each) === undefined ? undefined : pair(key, each)));
  if (parts.includes(undefined)) return undefined;
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join('  ')}}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isMrkdwn(value: unknown): value is { text: string } {
  return isText(value, { type: 'mrkdwn', verbatim: true });
}

function isPlain(value: unknown): value is { text: string } {
  return isText(value, { type: 'plain_text', emoji: false });
}

function isText(value: unknown, others: Record<string, unknown>): value is { text: string } {
  if (!isContainer(value)) return false;
  const { text, ...rest } = value as Record<string, unknown>;
  return typeof text === 'string' && JSON.stringify(rest) === JSON.stringify(others);
}
