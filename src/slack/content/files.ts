import { z } from 'zod';
import type { MessageFile } from '../../core/question/thread-notes.ts';
import { mostFilesNoted } from '../settings.ts';
import { listOf, maybeText, someText } from './fields.ts';

/** What is read of a file (docs.slack.dev/reference/objects/file-object). */
const fileObject = z.object({
  id: z.string().min(1),
  name: maybeText,
  title: maybeText,
  mimetype: someText,
  filetype: someText,
  mode: someText,
  subtype: someText,
  size: z.number().nonnegative().catch(0),
  is_external: z.boolean().catch(false),
  file_access: z.string().catch('visible'),
  url_private: maybeText,
  /** The transcript of a clip, and its first words. */
  vtt: maybeText,
  transcription: z
    .object({
      status: someText,
      preview: z
        .object({ content: someText, has_more: z.boolean().catch(false) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Of an e-mail. */
  subject: someText,
  plain_text: someText,
});

type FileObject = z.infer<typeof fileObject>;

/** Most characters that are read of a text that the message itself has of a file: of an e-mail or a transcript. */
const givenTextRoom = 8_000;

/**
 * The files of a message. `url` only for those whose content is text that the app may read. A file is listed once, also
 * if it stands in the text too. Deleted files are left out.
 */
export function readFiles(raw: unknown): MessageFile[] {
  const files = new Map<string, MessageFile>();
  for (const file of listOf(fileObject).parse(raw)) {
    if (isDeleted(file)) continue;
    const known = files.get(file.id);
    if (known === undefined || known.isUnknown === true) files.set(file.id, readFile(file));
  }
  return [...files.values()].slice(0, mostFilesNoted);
}

/** The file of a `file` or `canvas` element, which has its id and sometimes a name. */
export function fileOfElement({ type, file_id: id, text }: Record<string, unknown>): Record<string, unknown> {
  return { id, title: text, ...(type === 'canvas' ? { mimetype: canvasType } : {}) };
}

function isDeleted({ mode, file_access: access }: FileObject): boolean {
  return mode === 'tombstone' || access === 'file_not_found';
}

function readFile(file: FileObject): MessageFile {
  const { id, name, title, mimetype, filetype, size } = file;
  const isCanvas = mimetype === canvasType || filetype === 'quip' || filetype === 'canvas';
  const shownName = isCanvas ? (title ?? name) : (name ?? title);
  const url = isReadable(file) ? (isClip(file) ? file.vtt : file.url_private) : undefined;
  const text = givenText(file);
  return {
    id,
    name: shownName ?? id,
    type: isCanvas ? canvasType : mimetype,
    bytes: size,
    url,
    ...(text === '' ? {} : { text }),
    ...(isUnknown(file) ? { isUnknown: true } : {}),
  };
}

const canvasType = 'application/vnd.slack-docs';

/** Slack gave only the id, or the transcript is not ready (docs.slack.dev/apis/slack-connect). */
function isUnknown(file: FileObject): boolean {
  if (file.file_access === 'check_file_info') return true;
  if (file.mode === '' && file.mimetype === '' && file.filetype === '' && file.url_private === undefined) return true;
  return isClip(file) && file.transcription?.status === 'processing';
}

function isClip({ subtype }: FileObject): boolean {
  return subtype === 'slack_audio' || subtype === 'slack_video';
}

/** What Slack tells of the content: of an e-mail all, of a clip the beginning. */
function givenText({ mode, subject, plain_text: text, transcription }: FileObject): string {
  if (mode === 'email')
    return [subject, text]
      .filter((part) => part !== '')
      .join('\n\n')
      .slice(0, givenTextRoom);
  if (transcription?.status !== 'complete' || transcription.preview === undefined) return '';
  const { content, has_more: hasMore } = transcription.preview;
  return `${content.slice(0, givenTextRoom)}${content !== '' && hasMore ? '…' : ''}`;
}

function isReadable(file: FileObject): boolean {
  if (file.is_external || file.mode === 'external' || file.mode === 'hidden_by_limit') return false;
  if (file.file_access !== 'visible') return false;
  // Its content is the page of a mail, with the text that Slack gives.
  if (file.mode === 'email' && file.plain_text !== '') return false;
  if (isClip(file)) return file.transcription?.status === 'complete';
  return file.mode === 'snippet' || textTypes.test(file.mimetype) || textFiletypes.has(file.filetype);
}

const textTypes =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|sql|graphql|javascript|typescript|x-(?:sh|python|ruby|perl|php|sql|ndjson|diff|patch|javascript|typescript|tex|yaml))(?:;|$))/i;

/** Slack's own names for kinds of text (docs.slack.dev/reference/objects/file-object, "File types"). */
const textFiletypes = new Set(
  `text apache applescript boxnote c clojure coffeescript cpp csharp css csv d dart diff dockerfile erlang fortran fsharp go
groovy handlebars haskell haxe html java javascript json julia kotlin latex lisp log lua markdown matlab mumps objc ocaml
pascal perl php pig powershell puppet python r ruby rust sass scala scheme shell smalltalk sql swift toml tsv typescript
vb vbscript velocity verilog vhdl xml yaml`.split(/\s+/),
);
