import { html } from './html.ts';
import { type Page, page } from './page.ts';
import type { PageRequest } from './request.ts';

/** The console for GraphQL queries. Its script does all the work: this page has the places it fills. */
export function consolePage({ viewer, formToken }: PageRequest): Page {
  const isSignedIn = viewer.credential === 'session';
  return page({
    title: 'API console',
    section: 'settings',
    settingsEntry: '/api/console',
    viewer,
    formToken,
    wide: true,
    scripts: ['api-console.js'],
    detail: html`GraphQL at <code>/.api/graphql</code>. <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs the query, <kbd>Ctrl</kbd>+<kbd>Space</kbd> completes.`,
    body: html`<noscript><p class="notice">The console needs JavaScript. Without it, send queries with <code>POST</code> to <code>/.api/graphql</code>.</p></noscript>
<div class="console" id="console">
<div class="console-bar"><button type="button" class="primary" id="run">Run</button>
<select id="history" aria-label="Earlier queries"><option value="">History</option></select>
<label>Access token <input type="password" id="token" autocomplete="off" spellcheck="false" placeholder="${
      isSignedIn ? `not needed: you are ${viewer.username}` : 'needed: you are not signed in'
    }"></label><span id="status" role="status" class="dim"></span></div>
<div class="console-panes">
<section class="console-input" aria-label="Query"><div class="editor"><pre aria-hidden="true"></pre><textarea id="query" aria-label="Query" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"></textarea><ul id="completions" role="listbox" aria-label="Completions" hidden></ul></div>
<label class="variables">Variables (JSON)<textarea id="variables" rows="4" spellcheck="false" placeholder="{ }"></textarea></label></section>
<section class="console-output" aria-label="Result"><div id="errors" hidden></div><pre id="result" tabindex="0"><span class="dim">The result appears here.</span></pre></section>
<aside class="console-docs" id="docs" aria-label="Documentation"></aside>
</div></div>`,
  });
}
