/** The words around durations, by language; `span` is a written duration such as "41 s". */
export const durationWords = {
  en: {
    lessThan: (span: string) => `less than ${span}`,
    upTo: (span: string) => `up to ${span}`,
    range: (from: string, to: string) => `${from} to ${to}`,
  },
  de: {
    lessThan: (span: string) => `weniger als ${span}`,
    upTo: (span: string) => `bis zu ${span}`,
    range: (from: string, to: string) => `${from} bis ${to}`,
  },
};
