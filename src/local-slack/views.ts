import { randomBytes } from 'node:crypto';
import { slackProblems } from './limits.ts';
import type { SlackBlock } from './messages.ts';
import { appId, type SlackPeople, team } from './people.ts';
import { type Args, type Methods, type Reply, refused } from './wire.ts';

/** A modal or a Home tab as the app sent it, with the fields Slack adds. */
export interface SlackView {
  id: string;
  hash: string;
  type: 'modal' | 'home';
  blocks: SlackBlock[];
  callback_id?: string;
  private_metadata?: string;
  external_id?: string;
  title?: { text: string };
  submit?: { text: string };
  close?: { text: string };
  notify_on_close?: boolean;
  clear_on_close?: boolean;
  root_view_id: string;
  previous_view_id: string | null;
}

/** A trigger opens a modal for so long (docs.slack.dev/interactivity/handling-user-interaction). */
const triggerLifeMs = 3_000;

/** The open modals and the Home tabs. */
export function createViews(slackPeople: SlackPeople, violations: string[]) {
  const stack: SlackView[] = [];
  const homes = new Map<string, SlackView>();
  /** The last version of each view before its present one, by id: a person may use what they still see of it. */
  const earlier = new Map<string, SlackView>();
  /** The triggers that were given out, and whose views are whose. */
  const triggers = new Map<unknown, { person: string; untilMs: number; isUsed?: boolean }>();
  const owners = new Map<string, string>();
  let serial = 0;

  const methods: Methods = {
    'views.open': opens('views.open'),
    'views.push': opens('views.push'),
    'views.update': (args) => {
      const known = stack.find(({ id, external_id: externalId }) =>
        args.view_id === undefined
          ? args.external_id !== undefined && externalId === args.external_id
          : id === args.view_id,
      );
      if (known === undefined) return refused('not_found');
      if (args.hash !== undefined && args.hash !== known.hash) return refused('hash_conflict');
      const refusal = refusedForm('views.update', args, 'modal', known.external_id);
      return refusal ?? shown(replace(known, args.view));
    },
    'views.publish': (args) => {
      const user = slackPeople.find(args.user_id);
      if (user === undefined) return refused('user_not_found');
      const known = homes.get(user.id);
      if (args.hash !== undefined && args.hash !== known?.hash) return refused('hash_conflict');
      const refusal = refusedForm('views.publish', args, 'home', known?.external_id);
      if (refusal !== undefined) return refusal;
      if (known !== undefined) earlier.set(known.id, known);
      const home = made(args.view, known?.id, { root: undefined, previous: null });
      homes.set(user.id, home);
      return shown(home);
    },
  };

  return {
    methods,
    /** The open modals, the topmost last. */
    stack,
    homes,
    earlier,
    /** A person's open modals, the topmost last. */
    of,
    triggers,
    /** A new trigger of a person. */
    trigger: (person: string): string => {
      for (const [id, { untilMs }] of triggers) if (untilMs < Date.now() - 60_000) triggers.delete(id);
      const id = `${Date.now()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
      triggers.set(id, { person, untilMs: Date.now() + triggerLifeMs });
      return id;
    },
    /** The person closes a modal and those above it. */
    close: (view: SlackView) => {
      const own = of(owners.get(view.id) ?? '');
      drop(own.slice(own.findIndex(({ id }) => id === view.id)));
    },
    /** Does what Slack does with the reply to a submission. Returns what is wrong with the input, by block id. */
    afterSubmission: (view: SlackView, answer: unknown): Record<string, string> | undefined => {
      const person = owners.get(view.id) ?? '';
      const { response_action: action, view: next, errors } = (answer ?? {}) as Args;
      if (action === undefined) drop(of(person).slice(-1));
      else if (action === 'clear') drop(of(person));
      else if (action === 'errors') {
        checkErrors(view, errors);
        return errors as Record<string, string>;
      } else if (action === 'update' || action === 'push') {
        const refusal = refusedForm(`views.${action}`, { view: next }, 'modal', view.external_id);
        if (refusal !== undefined) violations.push(`view_submission: ${JSON.stringify(refusal)}`);
        else if (action === 'push') add(next, person);
        else replace(view, next);
      } else violations.push(`view_submission: unknown response_action ${String(action)}`);
      return undefined;
    },
    /** The view and its input values, as payloads contain them. */
    payloadOf,
  };

  function of(person: string): SlackView[] {
    return stack.filter(({ id }) => owners.get(id) === person);
  }

  function opens(method: 'views.open' | 'views.push') {
    return (args: Args): Reply => {
      const { trigger_id: id, view } = args;
      const trigger = triggers.get(id);
      if (typeof id !== 'string' || id === '') return refused('invalid_arguments');
      if (trigger === undefined || trigger.untilMs < Date.now()) return refused('expired_trigger_id');
      if (trigger.isUsed === true) return refused('exchanged_trigger_id');
      const open = of(trigger.person);
      const refusal = refusedForm(method, args, 'modal');
      if (refusal !== undefined) return refusal;
      if (method === 'views.open') drop(open);
      else if (open.length >= 3) return refused('push_limit_reached');
      trigger.isUsed = true;
      return shown(add(view, trigger.person));
    };
  }

  function drop(views: SlackView[]): void {
    for (const view of views) {
      stack.splice(stack.indexOf(view), 1);
      earlier.delete(view.id);
    }
  }

  function checkErrors(view: SlackView, errors: unknown): void {
    const inputs = view.blocks.filter(({ type }) => type === 'input').map(({ block_id: id }) => id);
    const named = Object.entries((errors ?? {}) as Args);
    if (named.length === 0) violations.push('view_submission: errors without any');
    for (const [blockId, error] of named) {
      if (!inputs.includes(blockId)) violations.push(`view_submission: no input ${blockId} to put an error at`);
      if (typeof error !== 'string' || error === '') violations.push('view_submission: an error without a text');
    }
  }

  function refusedForm(method: string, args: Args, type: string, ownExternalId?: string): Reply | undefined {
    const problems = slackProblems(method, args);
    const view = (args.view ?? {}) as Partial<SlackView>;
    if (problems.length === 0 && view.type !== type)
      problems.push(`a ${String(view.type)} view where a ${type} belongs`);
    const { external_id: externalId } = view;
    if (externalId && externalId !== ownExternalId && stack.some(({ external_id: id }) => id === externalId))
      problems.push('duplicate_external_id');
    if (problems.length === 0) return undefined;
    violations.push(...problems.map((problem) => `${method}: ${problem}`));
    return refused('invalid_arguments');
  }

  function add(view: unknown, person: string): SlackView {
    const below = of(person);
    const added = made(view, undefined, { root: below[0]?.id, previous: below.at(-1)?.id ?? null });
    owners.set(added.id, person);
    stack.push(added);
    return added;
  }

  function replace(known: SlackView, view: unknown): SlackView {
    earlier.set(known.id, known);
    const next = made(view, known.id, { root: known.root_view_id, previous: known.previous_view_id });
    const index = stack.findIndex(({ id }) => id === known.id);
    if (index >= 0) stack[index] = next;
    return next;
  }

  /** Gives ids to blocks without one, as Slack does. */
  function made(raw: unknown, id: string | undefined, place: { root: string | undefined; previous: string | null }) {
    serial += 1;
    const view = raw as SlackView;
    const ownId = id ?? `V0${serial}`;
    const blocks = view.blocks.map((block, index) => ({ ...block, block_id: block.block_id ?? `b${serial}${index}` }));
    return {
      ...view,
      blocks,
      id: ownId,
      hash: `${1_700_000_000 + serial}.hash`,
      root_view_id: place.root ?? ownId,
      previous_view_id: place.previous,
    };
  }

  function shown(view: SlackView): Reply {
    return { ok: true, view: payloadOf(view) };
  }

  function payloadOf(view: SlackView, values: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      callback_id: '',
      private_metadata: '',
      external_id: '',
      notify_on_close: false,
      clear_on_close: false,
      submit: null,
      close: null,
      ...view,
      team_id: team.id,
      app_id: appId,
      app_installed_team_id: team.id,
      bot_id: team.botId,
      state: { values },
    };
  }
}
