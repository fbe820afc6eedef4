import { randomBytes } from 'node:crypto';
import type { Viewer } from '../accounts/viewer.ts';

/** Escaped HTML; only {@link html} and the Markdown renderer create it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A template that escapes its values unless they are {@link Html}; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  return new Html(
    parts.reduce((text, part, index) => {
      const value = values[index - 1] ?? '';
      const safe =
        value instanceof Html
          ? value.text
          : Array.isArray(value)
            ? value.map((item) => item.text).join('')
            : escapeHtml(String(value));
      return `${text}${safe}${part}`;
    }),
  );
}

const STYLE = `
:root { color-scheme: light dark; --edge: #d8dee4; --soft: #f6f8fa; --mark: #fff3bf; --dim: #656d76; --link: #0b5cad }
@media (prefers-color-scheme: dark) { :root { --edge: #30363d; --soft: #161b22; --mark: #4d3f0a; --dim: #8b949e; --link: #6cb6ff } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif }
header { padding: 14px 24px; border-bottom: 1px solid var(--edge); background: var(--soft); overflow-wrap: anywhere }
header h1 { font-size: 17px; margin: 0 } header p { margin: 2px 0 0; color: var(--dim); font-size: 13px }
main { padding: 20px 24px; max-width: 980px } main.wide { max-width: none; padding: 0 }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
pre, code { font: 13px/1.5 ui-monospace, monospace }
code { background: var(--soft); padding: 1px 4px; border-radius: 4px } pre code { padding: 0; background: none }
pre { background: var(--soft); border: 1px solid var(--edge); border-radius: 6px; padding: 12px; overflow-x: auto }
blockquote { margin: 0 0 12px; padding-left: 14px; border-left: 3px solid var(--edge); color: var(--dim) }
table { border-collapse: collapse } article table td, article table th { border: 1px solid var(--edge); padding: 4px 10px }
table.code { font: 13px/1.5 ui-monospace, monospace; width: 100% } table.code td { padding: 0 14px; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top }
table.code td.n { text-align: right; color: var(--dim); user-select: none; white-space: nowrap; width: 1% }
table.code td.n a { color: inherit } table.code tr.marked td { background: var(--mark) }
section { border-bottom: 1px solid var(--edge); padding-bottom: 20px; margin-bottom: 24px } section > h2 { font-size: 17px; overflow-wrap: anywhere }
ul.plain { list-style: none; padding: 0 } .dim { color: var(--dim) }
`;

export interface PageContent {
  title: string;
  heading: Html;
  detail?: Html;
  body: Html;
  /** The user of the page. */
  viewer?: Viewer | undefined;
  /** The entry of the settings menu that is current. */
  settingsEntry?: string;
  /** Where forms may lead, beside this service: origins, or schemes such as `app:`. */
  formTargets?: readonly string[];
  /** Uses the full width, for code. */
  wide?: boolean;
  /** Id of the element to scroll to. Always an id written by the server, never user text. */
  scrollTo?: string;
}

/** A whole page and its Content Security Policy. */
export interface Page {
  html: string;
  contentSecurityPolicy: string;
}

/** Builds a page. The policy allows only its own style and script, by a nonce: no requests, no frames. */
export function page(content: PageContent): Page {
  const nonce = randomBytes(16).toString('base64');
  const script =
    content.scrollTo === undefined
      ? html``
      : html`<script nonce="${nonce}">document.getElementById("${content.scrollTo}")?.scrollIntoView({ block: "center" });</script>`;
  const document = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${content.title}</title><style nonce="${nonce}">${new Html(STYLE)}</style></head><body><header><h1>${content.heading}</h1>${content.detail === undefined ? html`` : html`<p>${content.detail}</p>`}</header><main class="${content.wide === true ? 'wide' : ''}">${content.body}</main>${script}</body></html>`;
  return {
    html: document.text,
    contentSecurityPolicy: `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action ${["'self'", ...(content.formTargets ?? [])].join(' ')}; frame-ancestors 'none'`,
  };
}
