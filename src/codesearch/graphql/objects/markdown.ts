import { escapeHtml } from '../../escape.ts';

/** The object of the type `Markdown` for text without any markup. */
export function plain(text: string) {
  return { text: text.replaceAll(/[\\`*_{}[\]<>()#+!|-]/g, '\\$&'), html: escapeHtml(text) };
}

/** The object of the type `Markdown` for a link to a page of this service. */
export function link(label: string, path: string) {
  const { text, html } = plain(label);
  return { text: `[${text}](${path})`, html: `<a href="${escapeHtml(path)}">${html}</a>` };
}

/** The object of the type `Markdown` for a block of code. */
export function codeBlock(code: string, language: string) {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return { text: `${fence}${language}\n${code}\n${fence}`, html: `<pre>${escapeHtml(code)}</pre>` };
}
