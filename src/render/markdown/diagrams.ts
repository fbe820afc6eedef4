import type { Paragraph } from 'mdast';
import { safeUrl } from '../links.ts';

declare module 'mdast' {
  interface ParagraphData {
    /** It belongs to the diagram before it. */
    isNote?: true;
  }
}

/** Languages of pictures that are written as code. */
export const DIAGRAM_LANGUAGES = ['mermaid', 'plantuml', 'puml', 'dot', 'graphviz', 'd2'] as const;

/** Where diagrams can be seen drawn, the label of that link, and what a diagram is called by its language. */
export interface DiagramNotes {
  url: string;
  label: string;
  names: ReadonlyMap<string, string>;
}

/** An answer of nothing but small pictures shall not become one of notes. */
const MAX_NOTES = 20;

/** Makes the notes of one answer: what follows a diagram to say where it is drawn, because Slack shows its code only. */
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
