import type { SlackChannels } from './channels.ts';
import type { SlackFile, SlackMessages } from './messages.ts';
import { team } from './people.ts';
import { type Methods, refused } from './wire.ts';

/** A file that a person attaches, with its content in one of three forms. */
export interface Attached {
  name: string;
  text?: string;
  bytes?: Uint8Array;
  base64?: string;
  mimetype?: string;
  filetype?: string;
  /** `snippet` for text typed into Slack, or else `hosted`. */
  mode?: 'snippet' | 'hosted';
  /** Fields that overwrite those of the file, for example `file_access`. */
  more?: Record<string, unknown>;
}

interface Upload {
  id: string;
  name: string;
  length: number;
  content?: Buffer;
}

/** The files of a workspace, at `origin`; `pages`: where links to them lead. */
export function createFiles(
  { origin, pages }: { origin: () => string; pages: () => string },
  channels: SlackChannels,
  messages: SlackMessages,
  violations: string[],
) {
  const contents = new Map<string, { name: string; content: Buffer; mimetype: string }>();
  const uploads = new Map<string, Upload>();
  let serial = 0;

  const methods: Methods = {
    'files.getUploadURLExternal': (args) => {
      const length = Number(args.length);
      if (typeof args.filename !== 'string' || args.filename === '' || !(length > 0))
        return refused('missing_argument');
      const id = nextId();
      uploads.set(id, { id, name: args.filename, length });
      return { ok: true, upload_url: `${origin()}/upload/${id}`, file_id: id };
    },
    'files.completeUploadExternal': (args) => {
      const named = Array.isArray(args.files) ? (args.files as { id?: unknown; title?: unknown }[]) : [];
      if (named.length === 0) return refused('invalid_arguments');
      const found = named.map(({ id }) => uploads.get(String(id)));
      if (found.some((upload) => upload?.content === undefined)) return refused('file_not_found');
      const refusal = args.channel_id === undefined ? undefined : channels.refusedRead(args.channel_id);
      if (refusal !== undefined) return refusal;
      const files = found.flatMap((upload, index) => {
        if (upload?.content === undefined) return [];
        uploads.delete(upload.id);
        const title = String(named[index]?.title ?? upload.name);
        return [keep(upload.id, team.botUserId, upload.content, { name: upload.name, more: { title } })];
      });
      if (args.channel_id !== undefined) {
        const message = messages.add({
          channel: String(args.channel_id),
          user: team.botUserId,
          bot_id: team.botId,
          text: String(args.initial_comment ?? ''),
          files,
          // As with `chat.postMessage`, a file for a thread that is gone goes to the channel.
          thread_ts: messages.find(args.channel_id, args.thread_ts)?.ts,
        });
        messages.told.of?.posted({ ...message, subtype: 'file_share', upload: false, display_as_bot: false });
      }
      return { ok: true, files: files.map(({ id, title }) => ({ id, title })) };
    },
    'files.info': (args) => {
      const file = messages.list.flatMap(({ files = [] }) => files).find(({ id }) => id === args.file);
      return file === undefined ? refused('file_not_found') : { ok: true, file };
    },
    /** Also deletes the message if it has no other content. */
    'files.delete': (args) => {
      const message = messages.list.find(({ files = [] }) => files.some(({ id }) => id === args.file));
      if (message === undefined) return refused('file_not_found');
      if (message.bot_id !== team.botId) return refused('cant_delete_file');
      const files = message.files?.filter(({ id }) => id !== args.file) ?? [];
      Object.assign(message, { files });
      if (files.length === 0 && message.text === '') messages.remove(message.ts);
      return { ok: true };
    },
  };

  return {
    methods,
    create,
    download: (id: string) => contents.get(id),
    receive: (id: string, content: Buffer): boolean => {
      const upload = uploads.get(id);
      if (upload === undefined) return false;
      if (upload.length !== content.length) {
        violations.push(`upload of ${content.length} bytes, ${upload.length} announced`);
        return false;
      }
      upload.content = content;
      return true;
    },
  };

  function create(user: string, attached: Attached): SlackFile {
    const { base64, text = '', bytes = text } = attached;
    const content = base64 === undefined ? Buffer.from(bytes) : Buffer.from(base64, 'base64');
    return keep(nextId(), user, content, attached);
  }

  function nextId(): string {
    serial += 1;
    return `F0${serial}`;
  }

  function keep(id: string, user: string, content: Buffer, attached: Attached): SlackFile {
    const { name, mode = 'hosted' } = attached;
    const [, ending = 'txt'] = /\.(\w+)$/.exec(name) ?? [];
    const filetype = attached.filetype ?? filetypes[ending] ?? ending;
    const image = ['png', 'jpg', 'gif'].includes(filetype);
    const mimetype = attached.mimetype ?? (image ? `image/${filetype}` : 'text/plain');
    contents.set(id, { name, content, mimetype });
    const url = `${origin()}/files-pri/${team.id}-${id}`;
    return {
      id,
      created: 1_700_000_000,
      timestamp: 1_700_000_000,
      name,
      title: name,
      mimetype,
      filetype,
      pretty_type: image ? filetype.toUpperCase() : 'Plain Text',
      user,
      user_team: team.id,
      editable: mode === 'snippet',
      size: content.length,
      mode,
      is_external: false,
      external_type: '',
      is_public: true,
      public_url_shared: false,
      url_private: `${url}/${encodeURIComponent(name)}`,
      url_private_download: `${url}/download/${encodeURIComponent(name)}`,
      permalink: `${pages()}/files/${user}/${id}/${encodeURIComponent(name)}`,
      has_rich_preview: false,
      file_access: 'visible',
      ...attached.more,
    };
  }
}

/** Slack's names of kinds whose files end otherwise. */
const filetypes: Record<string, string> = {
  txt: 'text',
  log: 'text',
  md: 'markdown',
  ts: 'typescript',
  js: 'javascript',
  py: 'python',
  json: 'javascript',
};
