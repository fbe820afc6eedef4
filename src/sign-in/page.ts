import { createHash } from 'node:crypto';
import type { Say } from '../render/say.ts';

/** What one page shows. All texts are plain and are escaped here. */
export interface Page {
  status: number;
  heading: string;
  paragraphs: readonly string[];
  /** A form with one button, sent to `action`. */
  form?: { action: string; fields: Record<string, string>; button: string };
  link?: { href: string; label: string };
}

const STYLE = `:root{color-scheme:light dark;--back:#f6f6f7;--card:#fff;--text:#1d1c1d;--soft:#5c5a5e;--line:#dcdce0;--accent:#4a4ad8;--on:#fff}
@media (prefers-color-scheme:dark){:root{--back:#17171a;--card:#222226;--text:#ececf0;--soft:#a9a8b0;--line:#3a3a40;--accent:#9d9dff;--on:#17171a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{width:100%;max-width:30rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.375rem;line-height:1.25}
p{margin:0 0 1rem}
p:last-of-type{color:var(--soft)}
button,a{display:inline-block;padding:.625rem 1.125rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The headers of every page. Without a form no referrer is sent; with one the browser has to send its origin. */
export function pageHeaders({ form }: Page, authorizeOrigin: string): Record<string, string> {
  // Chrome applies form-action to the redirects after a form too, and the service may redirect to a company's sign-in.
  const action = form === undefined ? "'none'" : `'self' https: ${authorizeOrigin}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${action}; base-uri 'none'; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': form === undefined ? 'no-referrer' : 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
  };
}

export function pageHtml({ heading, paragraphs, form, link }: Page, language: string, say: Say): string {
  const fields = Object.entries(form?.fields ?? {}).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const parts = [
    `<h1>${escaped(heading)}</h1>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    form === undefined
      ? ''
      : `<form method="post" action="${escaped(form.action)}">${fields.join('')}<button>${escaped(form.button)}</button></form>`,
    link === undefined ? '' : `<a href="${escaped(link.href)}">${escaped(link.label)}</a>`,
  ];
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(heading)} · ${escaped(say.signIn.title())}</title>
<style>${STYLE}</style>
</head>
<body><main>${parts.filter((part) => part !== '').join('\n')}</main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
