import { describe, expect, it } from 'vitest';
import { renderAttachment, renderBlocks } from '../../src/local-slack/page/blocks.ts';
import { renderMrkdwn } from '../../src/local-slack/page/rich-text.ts';

const origin = 'http://127.0.0.1:4000';
const names: Record<string, string> = { U0ADA: 'Ada', U0BOT: 'deepsearch', C0GENERAL: 'general', S0DEV: 'devs' };
const reader = {
  person: 'U0ADA',
  channel: 'C0GENERAL',
  nameOf: (id: string) => names[id],
  choicesOf: (kind: string, include: readonly string[]) => [{ id: 'C0GENERAL', name: `#general ${kind} ${include}` }],
  locale: 'en-US',
  timeZone: 'Europe/Berlin',
  nowMs: Date.UTC(2026, 10, 27, 12),
  origin,
};
const at = Date.UTC(2026, 10, 27, 9, 30) / 1000;
const out = 'target="_blank" rel="noopener noreferrer"';

const html = (...blocks: object[]): string => renderBlocks(blocks, reader).text;
const mrkdwn = (text: string): string => renderMrkdwn(text, reader).text;
const markdown = (text: string): string =>
  html({ type: 'markdown', text }).replace(/^<div class="markdown">|<\/div>$/g, '');
const rich = (...elements: object[]): string =>
  html({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }).replace(
    /^<div class="rich"><div>|<\/div><\/div>$/g,
    '',
  );

/** Slack's escaping, then the page's. */
const hostile = '<img src=x onerror=alert(1)>"\'&';
const harmless = '&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;';

describe('mrkdwn in the page of the local Slack', () => {
  it.each([
    ['*bold* _italic_ ~struck~ `code`', '<strong>bold</strong> <em>italic</em> <s>struck</s> <code>code</code>'],
    ['*a _b_ c* and *open', '<strong>a </strong><em><strong>b</strong></em><strong> c</strong> and *open'],
    ['*a _b* c_', '<strong>a _b</strong> c_'],
    ['2*3*4 snake_case_name * no *', '2*3*4 snake_case_name * no *'],
    ['`*not* &lt;T&gt; :mag:`', '<code>*not* &#60;T&#62; :mag:</code>'],
    ['a\n```\n&lt;b&gt; *c*\n```\nd', 'a<pre tabindex="0"><code>&#60;b&#62; *c*</code></pre>d'],
    ['a ```open', 'a ```open'],
    ['&gt; one\n> two\nthree', '<blockquote>one\ntwo</blockquote>three'],
    [
      '<@U0ADA> <@U0BOT|bot> <@U0NONE>',
      '<span class="mention me">@Ada</span> <span class="mention">@deepsearch</span> <span class="mention">@U0NONE</span>',
    ],
    [
      '<#C0GENERAL> <#C0NONE>',
      `<a class="mention" href="${origin}/archives/C0GENERAL">#general</a> <span class="mention">a private channel</span>`,
    ],
    ['<!here> <!subteam^S0DEV|@devs>', '<span class="mention me">@here</span> <span class="mention">@devs</span>'],
    ['<https://a.example/?b&amp;c|the *page*>', `<a href="https://a.example/?b&#38;c" ${out}>the *page*</a>`],
    ['_<https://a.example/b_c>_', `<em><a href="https://a.example/b_c" ${out}>https://a.example/b_c</a></em>`],
    ['*<https://a.example>*', `<strong><a href="https://a.example" ${out}>https://a.example</a></strong>`],
    [`<${origin}/archives/C0GENERAL/p1|here>`, `<a href="${origin}/archives/C0GENERAL/p1">here</a>`],
    ['<javascript:alert(1)|x>', '&#60;javascript:alert(1)|x&#62;'],
    [`<!date^${at}^{date_short_pretty} at {time}|then>`, '<time>today at 10:30 AM</time>'],
    [
      `<!date^${at - 86400 * 9}^{date_short}, {date_num}^https://a.example|x>`,
      `<a href="https://a.example" ${out}><time>Nov 18, 2026, 2026-11-18</time></a>`,
    ],
    [':mag: :+1::skin-tone-3: :flag-de: :large_green_circle: :nope: 10:30:15', '🔍 👍🏼 🇩🇪 🟢 :nope: 10:30:15'],
    [hostile, harmless],
    ['\u{0}0\u{0} *\u{0}1\u{0}*', '0 <strong>1</strong>'],
  ])('%j', (text, expected) => {
    expect(mrkdwn(text)).toBe(expected);
  });

  it.each(['*a ', '_', '`', '<', ':a', '```', '~ ~', '&gt;\n', '*_~`'])('takes linear time for many %j', (part) => {
    // A pattern that is not linear takes minutes for this.
    expect(mrkdwn(part.repeat(100_000)).length).toBeGreaterThan(0);
  });
});

describe('markdown blocks in the page of the local Slack', () => {
  it.each([
    [
      '# Title\n\n**b** *i* ~~s~~ `c`',
      '<p role="heading" aria-level="1"><strong>Title</strong></p><p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>',
    ],
    ['```ts\na < b\n```', '<pre tabindex="0"><span class="language">ts</span><code>a &#60; b</code></pre>'],
    [
      '- [x] done\n- [ ] open',
      '<ul><li class="task"><input type="checkbox" disabled aria-label="Done" checked><p>done</p></li><li class="task"><input type="checkbox" disabled aria-label="Open"><p>open</p></li></ul>',
    ],
    ['3. c\n   - d', '<ol start="3"><li><p>c</p><ul><li><p>d</p></li></ul></li></ol>'],
    [
      '| a | b |\n| :-: | -: |\n| 1 | `2` |',
      '<div class="table" tabindex="0"><table><thead><tr><th class="center">a</th><th class="right">b</th></tr></thead><tbody><tr><td class="center">1</td><td class="right"><code>2</code></td></tr></tbody></table></div>',
    ],
    ['> q\n\n---', '<blockquote><p>q</p></blockquote><hr>'],
    [
      '[a](https://a.example) ![b](https://b.example) [c](javascript:x)',
      `<p><a href="https://a.example" ${out}>a</a> <a href="https://b.example" ${out}>b</a> c</p>`,
    ],
    [
      '[a][1] x[^1]\n\n[1]: https://a.example\n[^1]: note',
      `<p><a href="https://a.example" ${out}>a</a> x<sup>1</sup></p><div class="quiet"><sup>1</sup><p>note</p></div>`,
    ],
    [
      `<@U0ADA> :mag: <!date^${at}^{time}|x> \`<@U0ADA> :mag:\``,
      '<p><span class="mention me">@Ada</span> 🔍 <time>10:30 AM</time> <code>&#60;@U0ADA&#62; :mag:</code></p>',
    ],
    [hostile, `<p>${harmless}</p>`],
    ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
  ])('%j', (text, expected) => {
    expect(markdown(text)).toBe(expected);
  });

  // A parser takes seconds for these, or more stack than there is.
  it.each(['> ', '1) ', '- > ', '*_', '[', '![', '\\', '&'])('shows %j, repeated, as it is', (part) => {
    expect(markdown(part.repeat(12_000 / part.length))).toMatch(/^<pre tabindex="0"><code>/);
  });

  it.each(['- a\n', 'a\n', '| a |\n', '**bold** ', '[a](https://a.example) ', '> a\n'])(
    'parses %j, repeated',
    (part) => {
      expect(markdown(part.repeat(200))).not.toMatch(/^<pre/);
    },
  );
});

describe('rich text in the page of the local Slack', () => {
  it.each([
    [{ type: 'text', text: hostile, style: { bold: true, code: true } }, `<code><strong>${harmless}</strong></code>`],
    [{ type: 'link', url: 'https://a.example', text: 'a' }, `<a href="https://a.example" ${out}>a</a>`],
    [{ type: 'link', url: 'javascript:alert(1)' }, 'javascript:alert(1)'],
    [{ type: 'user', user_id: 'U0ADA' }, '<span class="mention me">@Ada</span>'],
    [{ type: 'usergroup', usergroup_id: 'S0DEV' }, '<span class="mention">@devs</span>'],
    [{ type: 'broadcast', range: 'channel' }, '<span class="mention me">@channel</span>'],
    [
      { type: 'channel', channel_id: 'C0GENERAL' },
      `<a class="mention" href="${origin}/archives/C0GENERAL">#general</a>`,
    ],
    [{ type: 'emoji', name: '+1', unicode: '1f44d-1f3fb', skin_tone: 2 }, '👍🏻'],
    [{ type: 'emoji', name: 'wave::skin-tone-2' }, '👋🏻'],
    [{ type: 'emoji', name: 'our-logo' }, ':our-logo:'],
    [{ type: 'date', timestamp: at, format: '{date_long}' }, '<time>Friday, November 27, 2026</time>'],
    [
      { type: 'color', value: '#36a64f' },
      '<svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" fill="#36a64f"/></svg><code>#36a64f</code>',
    ],
    [
      { type: 'message_mention', url: `${origin}/archives/C0GENERAL/p1`, text: 'said' },
      `<a href="${origin}/archives/C0GENERAL/p1">said</a>`,
    ],
    [{ type: 'canvas', file_id: 'F1' }, '<span class="unknown">canvas</span>'],
  ])('%j', (element, expected) => {
    expect(rich(element)).toBe(expected);
  });

  it('has lists, quotations and code', () => {
    const item = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });
    expect(
      html({
        type: 'rich_text',
        elements: [
          { type: 'rich_text_list', style: 'ordered', offset: 2, elements: [item('a')] },
          { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [item('b')] },
          { type: 'rich_text_quote', elements: [{ type: 'text', text: 'c' }] },
          { type: 'rich_text_preformatted', language: 'ts', elements: [{ type: 'text', text: '<d>' }] },
        ],
      }),
    ).toBe(
      '<div class="rich"><ol class="indent-0" start="3"><li><div>a</div></li></ol><ul class="indent-1"><li><div>b</div></li></ul><blockquote>c</blockquote><pre tabindex="0"><span class="language">ts</span><code>&#60;d&#62;</code></pre></div>',
    );
  });
});

describe('blocks in the page of the local Slack', () => {
  const plain = (text: string) => ({ type: 'plain_text', text });
  const option = (value: string) => ({ text: plain(value.toUpperCase()), value });
  const use = 'data-block="b" data-action="a"';
  const input = (element: object, more: object = {}) => ({
    type: 'input',
    block_id: 'b',
    label: plain('Label'),
    element: { action_id: 'a', ...element },
    ...more,
  });

  it.each([
    [{ type: 'header', text: plain(':mag: T') }, '<h3>🔍 T</h3>'],
    [{ type: 'divider' }, '<hr>'],
    [{ type: 'section', text: { type: 'mrkdwn', text: '*a*' } }, '<strong>a</strong>'],
    [{ type: 'section', fields: [plain(hostile)] }, `<div class="fields"><div>${harmless}</div></div>`],
    [
      {
        type: 'context',
        elements: [
          { type: 'mrkdwn', text: '_a_' },
          { type: 'image', image_url: 'https://a.example/b.png', alt_text: 'B' },
        ],
      },
      `<span class="picture">🖼 <a href="https://a.example/b.png" ${out}>B</a></span>`,
    ],
    [
      { type: 'image', image_url: 'https://a.example/b.png', alt_text: 'B', title: plain('T') },
      `🖼 <a href="https://a.example/b.png" ${out}>T</a>`,
    ],
    [
      {
        type: 'actions',
        block_id: 'b',
        elements: [
          {
            type: 'button',
            action_id: 'a',
            text: plain('Go'),
            style: 'danger',
            confirm: { title: plain('Sure'), text: { type: 'mrkdwn', text: 'a &amp; b' } },
          },
        ],
      },
      `<button type="button" class="button danger" aria-label="Go" ${use} data-confirm="Sure\na &#38; b">Go</button>`,
    ],
    [
      {
        type: 'actions',
        block_id: 'b',
        elements: [{ type: 'button', action_id: 'a', text: plain('Open'), url: 'https://a.example' }],
      },
      `<a role="button" href="https://a.example" ${out} class="button " aria-label="Open" ${use}>Open</a>`,
    ],
    [
      {
        type: 'actions',
        block_id: 'b',
        elements: [{ type: 'button', action_id: 'a', text: plain('Open'), url: 'javascript:x' }],
      },
      '<button type="button"',
    ],
    [
      { type: 'actions', block_id: 'b', elements: [{ type: 'overflow', action_id: 'a', options: [option('x')] }] },
      `aria-label="More" ${use}><option value="">⋯</option><option value="x">X</option></select>`,
    ],
    [
      {
        type: 'actions',
        block_id: 'b',
        elements: [
          {
            type: 'conversations_select',
            action_id: 'a',
            filter: { include: ['public'] },
            initial_conversation: 'C0GENERAL',
          },
        ],
      },
      '<option value="C0GENERAL" selected>#general conversations public</option>',
    ],
    [
      {
        type: 'actions',
        block_id: 'b',
        elements: [{ type: 'users_select', action_id: 'a', placeholder: plain('Who?') }],
      },
      `<select name="b/a" aria-label="Who?" ${use}><option value="">Who?</option>`,
    ],
    [
      {
        type: 'context_actions',
        block_id: 'b',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'a',
            positive_button: { text: plain('Good'), value: '1' },
            negative_button: { text: plain('Bad'), value: '0', accessibility_label: 'Not helpful' },
          },
        ],
      },
      `title="Bad" aria-label="Not helpful" ${use} data-choice="negative">👎</button>`,
    ],
    [
      {
        type: 'context_actions',
        block_id: 'b',
        elements: [{ type: 'icon_button', icon: 'trash', action_id: 'a', text: plain('Delete') }],
      },
      `aria-label="Delete" ${use}>🗑 Delete</button>`,
    ],
    [
      input({ type: 'plain_text_input', initial_value: '"<' }),
      '<input type="text" class="bk-plain-input" name="b/a" minlength="0" maxlength="3000" aria-label="Label" placeholder="" value="&#34;&#60;">',
    ],
    [
      input({ type: 'plain_text_input', multiline: true, initial_value: '</textarea>' }),
      '>\n&#60;/textarea&#62;</textarea>',
    ],
    [
      input({ type: 'checkboxes', options: [option('x'), option('y')], initial_options: [option('y')] }),
      '<input type="hidden" name="b/a[]" value=""><label><input type="checkbox" name="b/a[]" value="x"><span>X <small></small></span></label><label><input type="checkbox" name="b/a[]" value="y" checked>',
    ],
    [
      input({ type: 'radio_buttons', options: [option('x')], initial_option: option('x') }),
      '<input type="radio" name="b/a" value="x" checked>',
    ],
    [
      input({ type: 'static_select', options: [option('x')], initial_option: option('x') }),
      '<option value="x" selected>X</option>',
    ],
    [
      input({ type: 'multi_static_select', options: [option('x')] }),
      '<select name="b/a[]" aria-label="Label" multiple>',
    ],
    [
      input({ type: 'conversations_select', default_to_current_conversation: true }, { dispatch_action: true }),
      `<select name="b/a" aria-label="Label" ${use}><option value="">Choose…</option><option value="C0GENERAL" selected>`,
    ],
    [input({ type: 'plain_text_input' }, { optional: true, hint: plain('Hint') }), '<small>(optional)</small></span>'],
    [
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: hostile },
            { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }] },
          ],
        ],
      },
      `<tr><td>${harmless}</td><td><div class="rich"><div>x</div></div></td></tr>`,
    ],
    [
      {
        type: 'data_table',
        caption: 'Sums',
        rows: [[{ type: 'raw_text', text: 'a' }], [{ type: 'raw_number', value: 3 }]],
      },
      '<caption>Sums</caption><tr><th>a</th></tr><tr><td>3</td></tr>',
    ],
    [{ type: 'carousel' }, '<span class="unknown">carousel</span>'],
    [input({ type: 'datepicker' }), '<span class="unknown">datepicker</span>'],
  ])('%j', (block, expected) => {
    expect(html(block)).toContain(expected);
  });

  it('has room for what is wrong with an input', () => {
    expect(html(input({ type: 'plain_text_input' }))).toContain('role="alert" data-key="b"');
  });

  it.each([
    [
      {
        color: '#36a64f',
        pretext: '*p*',
        title: 'T',
        title_link: 'https://a.example',
        text: 'x',
        fields: [{ title: 'F', value: '1' }],
        footer: 'f',
      },
      ['<strong>p</strong>', `<a href="https://a.example" ${out}>T</a>`, '<strong>F</strong> 1', '<small>f</small>'],
    ],
    [
      {
        is_share: true,
        author_name: 'Bob',
        from_url: `${origin}/archives/C0GENERAL/p1`,
        text: 'x',
        files: [{ id: 'F1', name: 'a.log' }],
      },
      ['<strong>Bob</strong>', 'x', 'href="/page/files/F1"', 'View message'],
    ],
    [
      {
        is_share: true,
        text: 'x',
        message_blocks: [{ message: { blocks: [{ type: 'header', text: plain('copied') }] } }],
      },
      ['<h3>copied</h3>'],
    ],
    [
      { fallback: '[no preview available]', blocks: [{ type: 'table', rows: [[{ type: 'raw_text', text: 'cell' }]] }] },
      ['<td>cell</td>'],
    ],
  ])('of an attachment: %j', (attachment, parts) => {
    const shown = renderAttachment(attachment, reader).text;
    for (const part of parts) expect(shown).toContain(part);
  });
});
