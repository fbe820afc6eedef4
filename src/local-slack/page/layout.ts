import type { Act } from '../act.ts';
import type { LocalSlack } from '../control.ts';
import { kindOf } from '../people.ts';
import type { Conversation, Shown } from '../workspace.ts';
import { plainOf, renderAttachment, renderBlocks, renderFiles } from './blocks.ts';
import { Html, html } from './html.ts';
import { renderMrkdwn } from './rich-text.ts';
import { type Reader, renderDate } from './text.ts';

/** What the address of the page says: who acts, and what is open. */
export interface Place {
  person: string;
  channel: string;
  thread?: string;
  /** The key of the message that is being edited, and the timestamp of one that is being forwarded or that a link leads to. */
  edit?: string;
  forward?: string;
  at?: string;
  /** Whether the app's Home is open in place of its messages, and on a phone the list of channels. */
  home?: string;
  list?: string;
}

/** The address of a place; `changes` override it. */
export function addressOf(
  { person, ...place }: Place,
  changes: Partial<Record<keyof Place, string | undefined>> = {},
): string {
  const given = Object.entries({ as: person, ...place, ...changes }).filter(([, value]) => value !== undefined);
  return `/?${new URLSearchParams(given as [string, string][])}`;
}

interface Context {
  local: LocalSlack;
  place: Place;
  reader: Reader;
  conversation: Conversation;
}

/** The whole page for one person at one place. */
export function renderPage(local: LocalSlack, place: Place, reader: Reader): Html {
  const { workspace } = local;
  const conversations = workspace.conversationsOf(place.person);
  const conversation = conversations.find(({ id }) => id === place.channel);
  if (conversation === undefined)
    return renderFrame(
      'Not here',
      html`<p>This place is not there, or not for you. <a href="/">To the first channel</a></p>`,
    );
  const context = { local, place, reader, conversation };
  const mentions = conversations.reduce((sum, each) => sum + each.mentions, 0);
  const names = [...workspace.people.values()].filter(({ id }) => id !== place.person).map(({ name }) => `@${name}`);
  const completions = [
    ...names,
    ...conversations.filter(isChannel).map(({ name }) => `#${name}`),
    ...workspace.app.commands.map(({ command }) => command),
  ];
  const open = place.thread !== undefined ? 'in-thread' : place.list !== undefined ? 'in-list' : 'in-channel';
  const by = html`data-by="${JSON.stringify({ person: place.person, channel: place.channel })}"`;
  return renderFrame(
    `${mentions > 0 ? `(${mentions}) ` : ''}${titleOf(context, conversation)} · ${workspace.team.name}`,
    html`
      <div class="app ${open}" ${by} data-completions="${completions.join(' ')}">
        ${renderSidebar(context, conversations)}
        ${renderMain(context)}
        ${place.thread !== undefined && renderThread(context, place.thread)}
      </div>
      ${renderModal(context)}
      ${renderForward(context, conversations)}
      <p id="toast" role="status" data-own hidden></p>`,
  );
}

function renderFrame(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/page/style.css">
        <script type="module" src="/page/page.js"></script>
      </head>
      <body>${body}</body>
    </html>`;
}

function isChannel({ kind }: Conversation): boolean {
  return kind === 'channel' || kind === 'private';
}

/** Whether this is a person's direct messages with the app, which have its Home beside them. */
function isWithApp({ local }: Pick<Context, 'local'>, { kind, members }: Conversation): boolean {
  return kind === 'direct' && members.includes(local.workspace.team.botUserId);
}

function titleOf({ reader }: Pick<Context, 'reader'>, { kind, name, members }: Conversation): string {
  if (kind === 'channel' || kind === 'private') return `#${name}`;
  // Slack's name of a conversation of several people is made of their handles.
  if (kind !== 'group') return name;
  return members.flatMap((id) => (id === reader.person ? [] : (reader.nameOf(id) ?? id))).join(', ');
}

function renderSidebar(context: Context, conversations: readonly Conversation[]): Html {
  const { local, place } = context;
  const { team, app, people } = local.workspace;
  const persons = [...people.values()].filter((person) => !['app', 'deactivated'].includes(kindOf(person)));
  const options = persons.map((person) => {
    const kind = kindOf(person);
    const label = `${person.real_name ?? person.name}${kind === 'guest' || kind === 'outsider' ? ` (${kind})` : ''}`;
    const chosen = person.id === place.person && new Html(' selected');
    return html`<option value="${addressOf({ person: person.id, channel: place.channel })}"${chosen}>${label}</option>`;
  });
  const listed = (title: string, keep: (each: Conversation) => boolean) => {
    const items = conversations.filter(keep).map((each) => renderItem(context, each));
    return items.length > 0 && html`<h2>${title}</h2><ul>${items}</ul>`;
  };
  const isDirect = (each: Conversation) => !isChannel(each) && !isWithApp(context, each);
  const shortcuts = app.shortcuts
    .filter(({ type }) => type === 'global')
    .map(({ name, callbackId }) => {
      return html`<button class="sidebar-item" ${act('globalShortcut', { callbackId })}>⚡ ${name}</button>`;
    });
  return html`
    <nav class="sidebar" aria-label="Workspace">
      <strong class="team">${team.name}</strong>
      <label class="actas">Acting as<select aria-label="Acting as" data-go>${options}</select></label>
      ${listed('Apps', (each) => isWithApp(context, each))}
      ${listed('Channels', isChannel)}
      ${listed('Direct messages', isDirect)}
      ${shortcuts.length > 0 && html`<h2>Shortcuts</h2>${shortcuts}`}
      ${!app.isConnected && html`<p role="status">The app is not connected.</p>`}
    </nav>`;
}

function renderItem(context: Context, each: Conversation): Html {
  const { person, channel } = context.place;
  const isApp = isWithApp(context, each);
  const href = addressOf({ person, channel: each.id }, isApp ? { home: '1' } : {});
  const sign = isApp ? '✦' : each.kind === 'channel' ? '#' : each.kind === 'private' ? '🔒' : '●';
  const state = each.isMember ? (each.unread > 0 ? 'unread' : '') : 'outside';
  const current = each.id === channel && new Html(' aria-current="page"');
  const count = html`<span class="badge" aria-label="${each.mentions} new for you">${each.mentions}</span>`;
  return html`
    <li data-key="${each.id}">
      <a class="sidebar-item ${state}" href="${href}"${current}>
        <span aria-hidden="true">${sign}</span>${titleOf(context, each).replace('#', '')}${each.mentions > 0 && count}
      </a>
    </li>`;
}

function renderMain(context: Context): Html {
  const { local, place, conversation, reader } = context;
  const { person, channel } = place;
  const { team, homeOf, timeline } = local.workspace;
  const isOfApp = isWithApp(context, conversation);
  const tab = (label: string, home: string | undefined) => {
    const current = place.home === home && new Html(' aria-current="page"');
    return html`<a href="${addressOf({ person, channel }, { home })}"${current}>${label}</a>`;
  };
  const details = [
    isChannel(conversation) && `${conversation.members.length} members`,
    conversation.isShared && 'shared with another organization',
    conversation.topic,
  ];
  const isAppMissing =
    conversation.isMember && isChannel(conversation) && !conversation.members.includes(team.botUserId);
  const add = html`<button class="button" ${act('invite', { added: team.botUserId })}>Add @${reader.nameOf(team.botUserId)}</button>`;
  const view = homeOf(person);
  const shown = timeline(person, channel);
  const home = html`
    <div class="home" data-key="home" data-view="${view?.id}">
      ${view === undefined ? html`<p class="quiet">Nothing here yet.</p>` : renderBlocks(view.blocks, reader)}
    </div>`;
  const messages = html`
    <div class="messages" role="log" aria-label="Messages" data-key="${channel}" data-scrolls>
      ${renderMessages(shown, context)}
    </div>
    ${shown.length === 0 && renderPrompts(context)}
    ${renderComposer(context)}`;
  return html`
    <main ${isOfApp && act(place.home === undefined ? 'openDirect' : 'openHome')}>
      <header>
        <a class="back" href="${addressOf({ person, channel }, { list: '1' })}" aria-label="All channels">☰</a>
        <h1 class="channel-title">${titleOf(context, conversation)}</h1>
        <small>${details.filter((each) => each).join(' · ')}</small>
        ${isAppMissing && add}
        ${isOfApp && html`<nav class="tabs" aria-label="App">${tab('Home', '1')}${tab('Messages', undefined)}</nav>`}
      </header>
      ${isOfApp && place.home !== undefined ? home : messages}
    </main>`;
}

function renderPrompts({ local, place }: Context): Html | false {
  const prompts = (local.workspace.promptsOf(place.channel)?.prompts ?? []).map(({ title, message }) => {
    return html`<button class="button" ${act('post', { text: message })}>${title}</button>`;
  });
  return prompts.length > 0 && html`<p class="prompts">${prompts}</p>`;
}

function renderThread(context: Context, root: string): Html {
  const { local, place, reader, conversation } = context;
  const { thread, agentSession, team } = local.workspace;
  const close = addressOf(place, { thread: undefined, edit: undefined, at: undefined });
  const working = html`
    <p class="working" data-key="working" role="status">
      ${reader.nameOf(team.botUserId)} is working… <button class="button" ${act('stop', { threadTs: root })}>Stop</button>
    </p>`;
  return html`
    <aside class="thread-pane" aria-label="Thread" data-key="thread">
      <header>
        <h1>Thread</h1>
        <small>${titleOf(context, conversation)}</small>
        <a class="close" href="${close}" aria-label="Close thread" data-escape>✕</a>
      </header>
      <div class="thread-body" role="log" aria-label="Replies" data-key="${root}" data-scrolls>
        ${renderMessages(thread(place.person, place.channel, root), context, root)}
        ${agentSession(place.channel, root)?.status === 'processing' && working}
      </div>
      ${renderComposer(context, root)}
    </aside>`;
}

/** Most messages of a list, the newest: each change renders them all. */
const mostMessages = 200;

function renderMessages(all: readonly Shown[], context: Context, thread?: string): Html[] {
  let day = '';
  return all.slice(-mostMessages).map((shown) => {
    const its = renderDate(Number(shown.message.ts), '{date_long_pretty}', context.reader);
    const isNew = its !== day;
    day = its;
    return html`${isNew && html`<p class="day" data-key="${its}"><span>${its}</span></p>`}${renderMessage(shown, context, thread)}`;
  });
}

function renderMessage({ message, isPrivate, replies }: Shown, context: Context, thread: string | undefined): Html {
  const { local, place, reader } = context;
  const { ts, user } = message;
  const author = local.workspace.people.get(user);
  const name = author?.real_name ?? author?.name ?? user;
  const kind = author === undefined ? 'member' : kindOf(author);
  const whole = renderDate(Number(ts), '{date_long} {time_secs}', reader);
  const isEdited = message.edited !== undefined && message.bot_id === undefined;
  const summary =
    thread === undefined &&
    replies !== undefined &&
    html`<a class="thread-summary" href="${addressOf(place, { thread: ts, home: undefined })}">${replies.count} ${replies.count === 1 ? 'reply' : 'replies'}</a>`;
  return html`
    <article class="msg${isPrivate && ' private'}${place.at === ts && ' marked'}" data-key="${ts}" data-ts="${ts}" aria-label="${name}">
      <span class="avatar" aria-hidden="true">${[...name][0]}</span>
      <div>
        <p class="by">
          <strong>${name}</strong>
          ${kind !== 'member' && kind !== 'admin' && html` <span class="kind">${kind}</span>`} <a class="time" href="${local.workspace.permalinkOf(message)}">
            <time title="${whole}">${renderDate(Number(ts), '{time}', reader)}</time>
          </a>
          ${isEdited && html` <small>(edited)</small>`}
          ${isPrivate && html` <small>only visible to you</small>`}
        </p>
        ${place.edit === keyOf(ts, thread) ? renderEditor(context, message) : renderContent(message, reader)}
        ${summary}
      </div>
      ${renderMenu({ message, isPrivate }, context, thread)}
    </article>`;
}

type Message = Shown['message'];

/** A root is shown in its channel and in its thread. */
function keyOf(ts: string, thread: string | undefined): string {
  return `${thread === undefined ? '' : 'thread-'}${ts}`;
}

/** The body of a message. Slack shows its text only where it has no blocks. */
function renderContent(message: Message, reader: Reader): Html {
  if (message.subtype === 'tombstone') return html`<p class="quiet">This message was deleted.</p>`;
  const body =
    (message.blocks ?? []).length > 0
      ? renderBlocks(message.blocks, reader)
      : html`<div class="text">${renderMrkdwn(message.text, reader)}</div>`;
  const attachments = (message.attachments ?? []).map((each) => renderAttachment(each, reader));
  return html`<div class="body">${body}${attachments}${renderFiles(message.files)}</div>`;
}

function renderEditor({ local, place }: Context, message: Message): Html {
  const back = addressOf(place, { edit: undefined });
  return html`
    <form class="composer" ${act('edit', { ts: message.ts })} data-go="${back}" data-key="edit">
      <textarea class="msg-edit-input" name="text" aria-label="Edit message">\n${local.act.typed(message)}</textarea>
      <p class="tools">
        <a class="button" href="${back}" data-escape>Cancel</a>
        <button class="button primary">Save</button>
      </p>
    </form>`;
}

/** What a person can do with a message. */
function renderMenu(
  { message, isPrivate }: Pick<Shown, 'message' | 'isPrivate'>,
  { local, place }: Context,
  thread: string | undefined,
): Html | false {
  const { ts, user } = message;
  if (message.subtype === 'tombstone') return false;
  const key = keyOf(ts, thread);
  const id = `menu-${key}`;
  const goes = (label: string, changes: Partial<Place>) =>
    html`<a role="menuitem" href="${addressOf(place, changes)}">${label}</a>`;
  const does = (label: string, does: Html, more = html``) =>
    html`<button role="menuitem" ${does}${more}>${label}</button>`;
  const confirm = html` data-confirm="Delete this message?\nThis can't be undone."`;
  const own = html`${goes('Edit message', { edit: key })}${does('Delete message…', act('remove', { ts }), confirm)}`;
  const shortcuts = local.workspace.app.shortcuts.filter(({ type }) => type === 'message');
  const entries = html`
    ${goes('Reply in thread', { thread: message.thread_ts ?? ts })}
    ${goes('Forward…', { forward: ts })}
    ${shortcuts.map(({ name, callbackId }) => does(name, act('messageShortcut', { ts, callbackId })))}
    ${user === place.person && own}`;
  return html`
    <button class="more" popovertarget="${id}" aria-label="More actions">⋮</button>
    <div class="menu" id="${id}" data-key="${id}" popover role="menu">
      ${isPrivate ? does('Dismiss', act('remove', { ts })) : entries}
    </div>`;
}

function renderComposer(context: Context, thread?: string): Html {
  const { place, conversation } = context;
  const name = titleOf(context, conversation);
  if (conversation.isArchived) return html`<p class="composer quiet">This channel is archived.</p>`;
  if (!conversation.isMember)
    return html`<p class="composer">You are looking at ${name}. <button class="button" ${act('join')}>Join</button></p>`;
  const label = thread === undefined ? `Message ${name}` : 'Reply…';
  const hints = html`<small class="hints">*bold* _italic_ \`code\` &gt; quote · Shift+Enter for a new line</small>`;
  const also = html`<label><input type="checkbox" name="broadcast" value="1"> Also send to ${name}</label>`;
  const key = `composer-${place.person}-${place.channel}-${thread ?? ''}`;
  return html`
    <form class="composer" ${act('post', thread === undefined ? {} : { threadTs: thread })} data-key="${key}" data-own>
      <textarea class="composer-input" name="text" rows="1" placeholder="${label}" aria-label="${label}"></textarea>
      <ul class="completions" role="listbox" hidden></ul>
      <p class="tools">
        <input type="file" name="files" multiple aria-label="Attach files">
        ${thread === undefined ? hints : isChannel(conversation) && also}
        <button class="button primary">Send</button>
      </p>
    </form>`;
}

/** The topmost modal. */
function renderModal({ local, place, reader }: Context): Html | false {
  const view = local.workspace.modalsOf(place.person).at(-1);
  if (view === undefined) return false;
  const title = plainOf(view.title);
  const close = html`${act('closeView', { view: view.id })}`;
  const submit = html`<button class="button modal-btn primary">${plainOf(view.submit)}</button>`;
  return html`
    <dialog class="modal" data-key="${view.id}" data-view="${view.id}" aria-label="${title}">
      <form ${act('submit', { view: view.id })} novalidate>
        <header>
          <h1>${title}</h1>
          <button type="button" class="modal-x" aria-label="Close" ${close} data-escape>✕</button>
        </header>
        <div class="modal-body">${renderBlocks(view.blocks, reader)}</div>
        <footer>
          <button type="button" class="button modal-btn" ${close}>${plainOf(view.close) || 'Close'}</button>
          ${view.submit !== undefined && submit}
        </footer>
      </form>
    </dialog>`;
}

function renderForward(context: Context, conversations: readonly Conversation[]): Html | false {
  const { place } = context;
  if (place.forward === undefined) return false;
  const options = conversations
    .filter(({ isMember }) => isMember)
    .map((each) => html`<option value="${each.id}">${titleOf(context, each)}</option>`);
  const back = addressOf(place, { forward: undefined });
  return html`
    <dialog class="modal" data-key="forward" aria-label="Forward message">
      <form ${act('forward', { ts: place.forward })} data-go="${back}">
        <header>
          <h1>Forward message</h1>
          <a class="modal-x" href="${back}" aria-label="Close" data-escape>✕</a>
        </header>
        <div class="modal-body">
          <label class="field"><span class="label">To</span><select name="to">${options}</select></label>
          <label class="field"><span class="label">Comment</span><textarea name="text"></textarea></label>
        </div>
        <footer>
          <a class="button" href="${back}">Cancel</a>
          <button class="button modal-btn primary">Forward</button>
        </footer>
      </form>
    </dialog>`;
}

/** What a form or button does. The script adds who does it, in which channel, and what stands in the form. */
function act(name: keyof Act, values: Record<string, string> = {}): Html {
  return html`data-act="${name}" data-by="${JSON.stringify(values)}"`;
}
