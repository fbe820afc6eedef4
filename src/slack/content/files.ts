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
  size: z.number().nonnegative().catch(0),
  is_external: z.boolean().catch(false),
  file_access: z.string().catch('visible'),
  url_private: maybeText,
});

/** The files of a message or an event; `url` only for those whose content is text that the app may read. */
export function readFiles(raw: unknown): MessageFile[] {
  return listOf(fileObject)
    .parse(raw)
    .slice(0, mostFilesNoted)
    .filter(({ mode }) => mode !== 'tombstone')
    .map((file) => ({
      id: file.id,
      name: file.name ?? file.title ?? file.id,
      type: file.mimetype,
      bytes: file.size,
      ...(file.url_private !== undefined && isReadable(file) ? { url: file.url_private } : {}),
    }));
}

function isReadable(file: z.infer<typeof fileObject>): boolean {
  if (file.is_external || file.mode === 'external' || file.mode === 'hidden_by_limit') return false;
  if (file.file_access !== 'visible') return false;
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
