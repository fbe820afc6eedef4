import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionIn, upstreamText } from '../../../src/core/question/prompt.ts';
import { decideScope, isRepositoryName, readScope } from '../../../src/core/question/scope.ts';
import { mostRepositories } from '../../../src/core/settings.ts';

describe('the repositories that a text names', () => {
  it.each<[string, string[], string]>([
    ['in:repo acme/web where is main?', ['acme/web'], 'where is main?'],
    ['where is main? in:repo acme/web', ['acme/web'], 'where is main?'],
    ['In:Repo: web where?', ['web'], 'where?'],
    ['in:repo a/b, c/d where?', ['a/b', 'c/d'], 'where?'],
    ['in:repo a,b, c where?', ['a', 'b', 'c'], 'where?'],
    ['in:repo a in:repo b where?', ['a', 'b'], 'where?'],
    ['in:repo a, in:repo b where?', ['a', 'b'], 'where?'],
    ['in:repo a where? in:repo b in:repo c', ['a', 'b', 'c'], 'where?'],
    ['where is it in:repo acme/web?', ['acme/web'], 'where is it'],
    ['in:github.com/acme/web where?', ['github.com/acme/web'], 'where?'],
    ['where? in:repo:web', ['web'], 'where?'],
    ['in:repo a two\n\nparagraphs', ['a'], 'two\n\nparagraphs'],
    ['in:repo `billing` where?', ['billing'], 'where?'],
    ['`in:repo billing` where?', ['billing'], 'where?'],
    ['in:repo "billing" where?', ['billing'], 'where?'],
    ['in:repo “my service” where?', ['my service'], 'where?'],
    ['in:repo „my service“, «b c»: where?', ['my service', 'b c'], 'where?'],
    ["in:repo 'a b' where?", ['a b'], 'where?'],
    ['where? in:repo “my service”.', ['my service'], 'where?'],
    ['in:repo *billing* where?', ['billing'], 'where?'],
    ['in:repo\u00a0billing\u00a0where?', ['billing'], 'where?'],
    ['in:repo:   billing where?', ['billing'], 'where?'],
    ['in: repo billing where?', ['billing'], 'where?'],
    ['in:repo \u200bbilling\u200b where?', ['billing'], 'where?'],
    ['in:repository billing where?', ['billing'], 'where?'],
    ['in:repo https://github.com/acme/x/ where?', ['github.com/acme/x'], 'where?'],
    ['where in:repo billing is it?', ['billing'], 'where is it?'],
    ['where? in:repo a b', ['a'], 'where? b'],
    ['in:repo a', ['a'], 'in:repo a'],
    ['in:repo a,', ['a'], 'in:repo a,'],
    ['in:repo a\n> in:repo b fails\nwhy?', ['a'], '> in:repo b fails\nwhy?'],
    ['in:repo <script> where?', ['script'], 'where?'],
    ['in：repo billing，web、shop where?', ['billing', 'web', 'shop'], 'where?'],
    ['说明，in:repo：billing？where?', ['billing'], '说明， where?'],
    ['in:repo 「my service」 where?', ['my service'], 'where?'],
    ['in:repo »billing«, ‚web‘, ›shop‹ where?', ['billing', 'web', 'shop'], 'where?'],
    ['in:repo=[billing] where?', ['billing'], 'where?'],
    ['in:repo #billing, @acme/web where?', ['billing', 'acme/web'], 'where?'],
    ['```in:repo billing``` where?', ['billing'], 'where?'],
    ['in:repo billing – where?', ['billing'], 'where?'],
    ['in:repo billing—where?', ['billing'], 'where?'],
    ['in:repo https://github.com/acme/x.git where?', ['github.com/acme/x'], 'where?'],
    ['in:repo git@github.com:acme/x.git where?', ['github.com/acme/x'], 'where?'],
    ['in:repo https://github.com/acme/x/tree/main/src where?', ['github.com/acme/x'], 'where?'],
    ['in:repo https://gitlab.com/a/b/c/-/blob/main/x.ts#L3 where?', ['gitlab.com/a/b/c'], 'where?'],
    ['in:repo acme/tree/x where?', ['acme/tree/x'], 'where?'],
  ])('of %j are %j, and the question is %j', (text, repositories, rest) => {
    expect(readScope(text)).toEqual({ repositories, rest });
  });

  it.each([
    ['where is main?'],
    ['what does `in:repo a` mean here?'],
    ['is it in src/a or in:src/b here?'],
    ['where in: report.ts is it?'],
    ['what is in:repository.ts?'],
    ['in:repo'],
    ['where? in:repo'],
    ['in:prod what happens?'],
    ['Forwarded message from Ben:\n> in:repo billing is slow\n> in:acme/web too'],
    ['why?\n  > see in:repo billing'],
    ['>in:repo billing\nwhy?'],
    [''],
    [' \n '],
  ])('of %j are none', (text) => {
    expect(readScope(text)).toEqual({ repositories: [], rest: text });
  });

  it('are read from any text, without losing a word of the question', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const { repositories, rest } = readScope(text);
        if (repositories.length === 0) expect(rest).toBe(text);
      }),
    );
    expect(readScope('in:repo a, '.repeat(900)).repositories).toEqual(['a']);
    expect(readScope(`in:repo ${'a,'.repeat(5_000)}`).repositories).toEqual(['a']);
  });
});

describe('the scope of a question', () => {
  const allowed = ['github.com/acme/Billing', 'github.com/acme/web', 'gitlab.com/acme/web'];

  it('is everything where neither the text nor the channel limits it', () => {
    expect(decideScope('where?', [])).toEqual({ kind: 'all' });
  });

  it('is what the channel allows where the text names nothing', () => {
    expect(decideScope('where?', allowed)).toEqual({ kind: 'limited', scope: { repositories: allowed } });
  });

  it.each<[string, string[]]>([
    ['in:repo billing where?', ['github.com/acme/Billing']],
    ['in:repo GITHUB.com/acme/billing where?', ['github.com/acme/Billing']],
    ['in:repo web where?', ['github.com/acme/web', 'gitlab.com/acme/web']],
    ['in:repo web, billing where?', ['github.com/acme/web', 'gitlab.com/acme/web', 'github.com/acme/Billing']],
  ])('of %j is what it names, as the channel writes it', (text, repositories) => {
    expect(decideScope(text, allowed)).toEqual({ kind: 'limited', scope: { repositories, isFromText: true } });
  });

  it.each([
    ['in:repo secret where?'],
    ['in:repo web, secret where?'],
    ['in:repo eb where?'],
    ['in:repo constructor where?'],
  ])('of %j is refused, because the channel does not allow all of it', (text) => {
    expect(decideScope(text, allowed)).toEqual({ kind: 'refused', allowed });
  });

  it.each<[string, string[]]>([
    ['in:repo billing where?', ['github.com/acme/Billing']],
    ['in:repo “Web” where?', ['github.com/acme/web', 'gitlab.com/acme/web']],
  ])('of %j is what the service has under that name', (text, repositories) => {
    expect(decideScope(text, [], allowed)).toEqual({ kind: 'limited', scope: { repositories, isFromText: true } });
  });

  it('is unknown where the service has no such name, with the most similar ones first', () => {
    expect(decideScope('in:repo bilings where?', [], [...allowed].reverse())).toEqual({
      ...{ kind: 'unknown', name: 'bilings', total: 3 },
      nearest: ['github.com/acme/Billing', 'gitlab.com/acme/web', 'github.com/acme/web'],
    });
    // Without a list no one knows that it is wrong.
    for (const known of [undefined, []]) expect(decideScope('in:repo bilings where?', [], known).kind).toBe('limited');
  });

  it.each([
    ['What changed in: repository settings page?'],
    ['log in: repos are empty'],
    ['in:src/app why does it fail'],
    ['in: repo bilings where?'],
  ])('does not follow from the sentence %j, which names no repository', (text) => {
    expect(decideScope(text, [], allowed)).toEqual({ kind: 'all' });
    expect(decideScope(text, allowed)).toEqual({ kind: 'limited', scope: { repositories: allowed } });
    const decision = decideScope(`in:repo billing ${text}`, [], allowed);
    const scope = { repositories: ['github.com/acme/Billing'], isFromText: true };
    expect(decision).toEqual({ kind: 'limited', scope });
    expect(upstreamText({ text: `in:repo billing ${text}`, scope })).toMatch(new RegExp(`${text.slice(0, -1)}.$`));
  });

  it.each([['in: repo billing where?'], ['in:acme/billing where?']])(
    'follows from %j, a name that there is',
    (text) => {
      const scope = { repositories: ['github.com/acme/Billing'], isFromText: true };
      expect(decideScope(text, [], allowed)).toEqual({ kind: 'limited', scope });
      expect(upstreamText({ text, scope })).toMatch(/\n\nwhere\?$/);
    },
  );

  it('has at most as many repositories as the settings can have', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `a/r${index}`).join(',');
    expect(decideScope(`in:repo ${names(mostRepositories)} where?`, []).kind).toBe('limited');
    expect(decideScope(`in:repo ${names(mostRepositories + 1)} where?`, [])).toEqual({ kind: 'refused', allowed: [] });
  });
});

describe('a name of a repository', () => {
  it.each([['a'], ['github.com/acme/web'], ['検索'], ['_x'], ['host:7990/scm/~ada/x.git'], ['__proto__']])(
    'can be %s',
    (name) => expect(isRepositoryName(name)).toBe(true),
  );

  it.each([[''], ['a b'], ['a\nb'], ['a,b'], ['<!here>'], ['`a`'], ['"a"'], ['-a'], ['a'.repeat(201)], ['a\u2028b']])(
    'can not be %j',
    (name) => expect(isRepositoryName(name)).toBe(false),
  );
});

describe('the text for the service', () => {
  const scope = { repositories: ['acme/billing', 'acme/web'] };
  const head = 'Search only in these repositories and in no others: acme/billing, acme/web';

  const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'about' };

  it('states the repositories at its head, before what it continues', () => {
    expect(upstreamText({ text: 'Why?', scope, follows: { text: 'Where?' }, context })).toBe(
      `${head}\n\nCarrying on from the question "Where?".\n\nWhy?\n\nabout`,
    );
  });

  it('leaves out the words that chose them', () => {
    expect(upstreamText({ text: 'in:repo web Why?', scope: { ...scope, isFromText: true } })).toBe(`${head}\n\nWhy?`);
    expect(upstreamText({ text: 'in:repo web Why?', scope })).toBe(`${head}\n\nin:repo web Why?`);
  });

  it('lets the question be found in it', () => {
    const follows = { text: 'Where?' };
    expect(questionIn(upstreamText({ text: 'Why?', scope, context }))).toBe('Why?');
    expect(questionIn(upstreamText({ text: 'Why?', scope, follows }))).toBe('Why?');
    expect(questionIn(head)).toBe(head);
  });
});
