import { escapeHtml } from '../escape.ts';

/** The object of the type `Markdown` for a link to a page of this service. */
export function createLink(label: string, path: string) {
  const text = label.replaceAll(/[\\`*_{}[\]<>()#+!|-]/g, '\\$&');
  return { text: `[${text}](${path})`, html: `<a href="${escapeHtml(path)}">${escapeHtml(label)}</a>` };
}

/** The object of the type `Markdown` for a block of code. */
export function createCodeBlock(code: string, language: string) {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return { text: `${fence}${language}\n${code}\n${fence}`, html: `<pre>${escapeHtml(code)}</pre>` };
}
