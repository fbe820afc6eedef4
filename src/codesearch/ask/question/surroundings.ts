import { z } from 'zod';

/** A message or a file from the thread around a question. */
export interface Quoted {
  text: string;
  isFile: boolean;
}

/** A question, separated from the context sent with it. */
export interface Surrounded {
  asked: string;
  quotes: Quoted[];
  /** Earlier questions that this one continues, oldest first. */
  carriedOn: string[];
}

const quotedLine = z.object({ text: z.string(), file: z.unknown().optional() });
const fence = /^(`{3,})[\w-]*\s*$/;
const quotedText = String.raw`"(?:[^"\\\n]|\\.)*"`;
const carryingOn = new RegExp(
  [
    String.raw`^Carrying on from the question (${quotedText})\.`,
    String.raw`(?: Questions before it, oldest first: (${quotedText}(?:, ${quotedText})*)\.)?`,
    String.raw`(?: Based on the findings in \S+\.)?\s*\n`,
  ].join(''),
);

const restriction = /^Search only in these repositories and in no others: ([^\n]{1,20000})\n\s*/;

/** Separates a question from a first paragraph that names the only repositories to search. Empty: all. */
export function separateRestriction(text: string): { onlyIn: string[]; rest: string } {
  const match = restriction.exec(text);
  if (match === null) return { onlyIn: [], rest: text };
  const [all, names = ''] = match;
  return { onlyIn: names.split(',').map((name) => name.trim().toLowerCase()), rest: text.slice(all.length) };
}

/**
 * Separates a question from the context that chat apps add: a first paragraph with the only repositories to search, a line with
 * the questions it continues, and, at the end, code blocks of JSON lines, each with a line above that calls them quotes and not
 * instructions. Lines without a `text` are left out.
 */
export function separateSurroundings(text: string): Surrounded {
  const { own, quotes } = separateQuotes(separateRestriction(text).rest);
  const match = carryingOn.exec(own);
  if (match === null) return { asked: own, quotes, carriedOn: [] };
  const [, newest = '', older] = match;
  const written = [...(older === undefined ? [] : [older]), newest].join(',');
  const carriedOn = parsed(`[${written}]`, z.array(z.string()));
  if (carriedOn === undefined) return { asked: own, quotes, carriedOn: [] };
  return { asked: own.slice(match[0].length).trim(), quotes, carriedOn };
}

function separateQuotes(text: string): { own: string; quotes: Quoted[] } {
  const lines = text.trimEnd().split('\n');
  const begin = lines.findIndex((_, index) => beginsQuotes(lines, index));
  if (begin < 0) return { own: text, quotes: [] };
  const quotes: Quoted[] = [];
  // Each block may have a fence of another length. All of them must be closed, and nothing else may follow.
  for (let at = begin; at < lines.length; at += 1) {
    if (lines[at]?.trim() === '') continue;
    const end = beginsQuotes(lines, at) ? lines.indexOf(fence.exec(lines[at + 1] ?? '')?.[1] ?? '', at + 2) : -1;
    if (end < 0) return { own: text, quotes: [] };
    for (const line of lines.slice(at + 2, end)) {
      const quoted = parsed(line, quotedLine);
      if (quoted !== undefined) quotes.push({ text: quoted.text, isFile: quoted.file !== undefined });
    }
    at = end;
  }
  return { own: lines.slice(0, begin).join('\n').trim(), quotes };
}

/** Whether a line says that quotes follow, with a fence below it. */
function beginsQuotes(lines: readonly string[], index: number): boolean {
  const line = lines[index]?.slice(0, 500) ?? '';
  return /\bquotes\b.*\bnot instructions\b/.test(line) && fence.test(lines[index + 1] ?? '');
}

function parsed<Shape extends z.ZodType>(json: string, shape: Shape): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
