import type { Paragraph } from 'mdast';
import { safeUrl } from '../text.ts';

declare module 'mdast' {
  interface ParagraphData {
    /** The paragraph is the note of the diagram before it. */
    isNote?: true;
  }
}

/** Languages that describe diagrams as code. */
export const DIAGRAM_LANGUAGES = ['mermaid', 'plantuml', 'puml', 'dot', 'graphviz', 'd2'] as const;

/** Where people can see diagrams drawn, the label of that link, and the name of a diagram in each language. */
export interface DiagramNotes {
  url: string;
  label: string;
  names: ReadonlyMap<string, string>;
}

/** Most notes per answer, so that an answer with many small diagrams does not consist mainly of notes. */
const MAX_NOTES = 20;

/**
 * Creates the notes of one answer. A note follows each diagram and says where to see it drawn, because Slack shows only
 * its code.
 */
export function createDiagramNotes(notes: DiagramNotes | undefined): (language: string) => Paragraph[] {
  if (notes === undefined) return () => [];
  const url = safeUrl(notes.url);
  let left = MAX_NOTES;
  return (language) => {
    const name = notes.names.get(language.toLowerCase());
    if (name === undefined || url === undefined || left === 0) return [];
    left -= 1;
    return [
      {
        type: 'paragraph',
        data: { isNote: true },
        children: [
          { type: 'text', value: `${name} · ` },
          { type: 'link', url, children: [{ type: 'text', value: notes.label }] },
        ],
      },
    ];
  };
}
